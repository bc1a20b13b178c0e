"""Executes one work order on one baseline and records how it went: what a run and a build have in common.

Where it works, whether it may start, and where a passed attempt lands are the caller's business.
"""

import gc
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass

from pydantic import BaseModel, ConfigDict

from factory.attempt.exit_codes import ExitCode
from factory.attempt.outcome import RunOutcome
from factory.attempt.prompt import TEMPLATE_NAME
from factory.attempt.state import RunState
from factory.checkout.workspace import Checkout
from factory.configuration.document import Configuration
from factory.contract.note import Note, notes_hash
from factory.contract.strict_json import JsonObject
from factory.contract.work_order import WorkOrder
from factory.gates.baseline_report import BaselineReport
from factory.gates.checks.registry import registry
from factory.llm.port import Model, Parameters
from factory.llm.spending.meter import Meter
from factory.llm.spending.prices import Price
from factory.repository.landable import unlandable_path
from factory.repository.target import Target
from factory.runs.nodes.deps import Deps
from factory.runs.probe import probed
from factory.runs.record.artifacts import REPAIR_FILE, RunFolder
from factory.runs.record.documents import Ending, RunRecord
from factory.runs.record.endings import ending_of, failed, interrupted, stopped
from factory.runs.record.repair_request import repair_request
from factory.system.clock import Clock
from factory.system.process.environment import gate_environment
from factory.system.process.signals import Interrupted, shielded
from factory.system.process.stop import Stop, Stopped
from factory.system.sandbox.port import Terms
from factory.system.templates import template_path
from factory.system.terminal.console import visible


class AttemptSettings(BaseModel):
    """How a work order is attempted; plain data, so that it can travel to another process.

    Attributes:
        max_attempts: how many attempts model defects may spend.
        parameters: how the model is asked.
        timeout_seconds: the time limit of each command that is run.
        passed_variables: further environment variables that commands may see.
        llm: the model as the user named it, for the record.
        price: what the user says that the model costs; None to look it up.
        red_probe: whether acceptance commands must fail before the work is done.
        mutants: how many mutants of the written lines are tried; 0 for none.
        kill_threshold: the percentage of them that the checks must notice; None to record it only.
        notes: what the user wants the model to know, as it was read at the start.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_attempts: int
    parameters: Parameters
    timeout_seconds: float
    passed_variables: tuple[str, ...] = ()
    llm: str = ""
    price: Price | None = None
    red_probe: bool = True
    mutants: int = 0
    kill_threshold: int | None = None
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class Outside:
    """What an execution touches beside the repository.

    Attributes:
        model: makes the model when everything else is known to be in order. It heeds the stop, if there is
            one; the price is what the repository says that the model costs.
        clock: the time, for records.
        progress: tells the user what happens now.
        environment: the factory's own environment variables.
        terms: finds the sandbox that works here, told whether commands work in the user's own checkout, and
            what the repository configures.
    """

    model: Callable[[Stop | None, Price | None], Model]
    clock: Clock
    progress: Callable[[str], None]
    environment: Mapping[str, str]
    terms: Callable[[bool, Configuration], Terms | None] = lambda _in_place, _configuration: None


@dataclass(frozen=True)
class Execution:
    """One work order on one baseline.

    Attributes:
        order: the work order.
        contract: its contract hash.
        run_id: the name of this execution.
        goal: where it starts and lands.
        folder: where its artifacts go.
        settings: how it is attempted.
        configuration: the repository's own.
        known: what the baseline already failed, if that is accepted.
        world: what it touches beside the repository.
        facts: further facts for the record.
        lands: whether a passed attempt is landed; else it only counts as passed.
        entered: told the node and the state when the graph enters a node.
        terms: the sandbox of every command; None for none.
        stop: ends it when another thread asks for that.
    """

    order: WorkOrder
    contract: str
    run_id: str
    goal: Target
    folder: RunFolder
    settings: AttemptSettings
    configuration: Configuration
    world: Outside
    facts: JsonObject
    known: BaselineReport | None = None
    lands: bool = True
    entered: Callable[[str, RunState], None] = lambda _node, _state: None
    terms: Terms | None = None
    stop: Stop | None = None

    def recorded(
        self,
        landed: Callable[[], str | None],
        prepare: Callable[[], Ending | None],
        place: Callable[[], AbstractContextManager[Checkout]],
        start: RunState,
    ) -> "Executed":
        """Execute, and record every ending, a bug included.

        Args:
            landed: the commit of this execution if it has landed; asked after an interruption.
            prepare: what is done before anything is paid; an ending if there is nothing to do.
            place: opens the checkout of the baseline.
            start: the state in which the graph starts.
        """
        record = RunRecord.start(self.folder, self.order, {**self._facts(), **self.facts})
        meter = Meter()
        state: RunState | None = None
        try:
            ending = prepare()
            if ending is None:
                ending, state = self._execute(meter, place, start)
        except Interrupted as signal:
            ending = interrupted(signal, landed())
        except Stopped:
            ending = Ending(
                RunOutcome.INTERRUPTED, ExitCode.INTERRUPTED, "stopped; nothing is left half done"
            )
        except BaseException as error:
            expected = ending_of(error)
            if expected is None:
                record.end(
                    Ending(RunOutcome.INTERNAL_ERROR, ExitCode.INTERNAL, repr(error)),
                    meter.usage,
                    meter.calls,
                )
                raise
            ending = expected
        with shielded():
            request = repair_request(
                self.order,
                self.contract,
                ending.failure,
                ending.attempts,
                state.get("proposal") if state is not None else None,
            )
            if request is not None:
                self.folder.document(REPAIR_FILE, request)
            record.end(ending, meter.usage, meter.calls, meter.cost_usd(self.price))
        return Executed(ending, state, record)

    @property
    def price(self) -> Price | None:
        """What the user, or else the repository, says that the model costs."""
        return self.settings.price or configured_price(self.configuration)

    def deps(self, opened: Checkout, model: Model) -> Deps:
        """The outside world of the graph's nodes."""
        return Deps(
            order=self.order,
            run_id=self.run_id,
            contract=self.contract,
            target=self.goal,
            checkout=opened,
            model=model,
            parameters=self.settings.parameters,
            template=template_path(TEMPLATE_NAME).read_text("utf-8"),
            folder=self.folder,
            gate_environment=gate_environment(
                self.world.environment,
                home=opened.home,
                temporary=opened.temporary,
                passed=self.settings.passed_variables,
            ),
            timeout_seconds=self.settings.timeout_seconds,
            max_attempts=self.settings.max_attempts,
            checks=registry(
                self.configuration,
                self.known,
                interfaces=bool(self.order.provides or self.order.consumes),
            ),
            progress=self.world.progress,
            lands=self.lands,
            entered=self.entered,
            mutants=self.settings.mutants,
            kill_threshold=self.settings.kill_threshold,
            terms=self.terms,
            notes=self.settings.notes,
            stop=self.stop,
        )

    def _execute(
        self, meter: Meter, place: Callable[[], AbstractContextManager[Checkout]], start: RunState
    ) -> tuple[Ending, RunState | None]:
        model = meter.metered(self.world.model(self.stop, self.price))
        with place() as opened:
            problem = unlandable_path(self.order, opened.git, self.goal)
            if problem is not None:
                return stopped(problem, ()), None
            deps = self.deps(opened, model)
            self.folder.begin()
            if self.settings.red_probe and start["attempt"] == 1:
                problem = probed(deps)
                if problem is not None:
                    return stopped(problem, ()), None
            state = imported_graph()(deps, start)
        return self._ending(state, meter), state

    def _ending(self, state: RunState, meter: Meter) -> Ending:
        attempts = tuple(
            tried.model_copy(update={"cost_usd": meter.cost_of(tried.usage, self.price)})
            for tried in state["attempts"]
        )
        if state.get("verdict") == "landed":
            commit = state["commit"]
            assert commit is not None
            message = f"{self.order.id} landed on {self.goal.branch} as {commit[:12]}"
            return Ending(RunOutcome.LANDED, ExitCode.PASS, message, commit=commit, attempts=attempts)
        if state.get("verdict") == "passed":
            message = f"{self.order.id} passed its gates, and waits for its turn to land"
            return Ending(RunOutcome.PASSED, ExitCode.PASS, message, attempts=attempts)
        failure = state["failure"]
        assert failure is not None
        if state.get("verdict") == "failed":
            return failed(self.order.id, failure, attempts)
        return stopped(failure, attempts)

    def _facts(self) -> JsonObject:
        return {
            "run_id": self.run_id,
            "contract": self.contract,
            "baseline": self.goal.baseline,
            "branch": self.goal.branch,
            "repository": visible(str(self.goal.git.common_dir)),
            "pid": os.getpid(),
            "sandbox": sandbox_facts(self.terms),
        }


@dataclass(frozen=True)
class Executed:
    """How an execution ended.

    Attributes:
        ending: for the user and the record.
        state: the graph's last state; None if it was never entered.
        record: the record, which the caller may end anew when it knows more.
    """

    ending: Ending
    state: RunState | None
    record: RunRecord


def configured_price(configuration: Configuration) -> Price | None:
    """What the repository says that the model costs."""
    told = configuration.price
    return Price(told.input, told.output) if told is not None else None


def sandbox_facts(terms: Terms | None) -> JsonObject | None:
    """What commands run in, as it is recorded."""
    if terms is None:
        return None
    resources: JsonObject = asdict(terms.resources)
    return {
        "level": terms.sandbox.level,
        "version": terms.sandbox.version,
        "gaps": list(terms.sandbox.gaps),
        "network": terms.network,
        "resources": resources,
        "bounds": {"processes": terms.bounds.processes, "memory": terms.bounds.memory},
    }


def settings_facts(settings: AttemptSettings) -> JsonObject:
    """The settings as they are recorded."""
    return {
        "llm": visible(settings.llm),
        "max_attempts": settings.max_attempts,
        "timeout_seconds": settings.timeout_seconds,
        "temperature": settings.parameters.temperature,
        "max_output_tokens": settings.parameters.max_output_tokens,
        "knowledge": notes_hash(settings.notes),
    }


def imported_graph() -> Callable[[Deps, RunState], RunState]:
    """The graph; importing its library takes most of a second, so it waits until everything else is right.

    Without collecting garbage meanwhile, and with what is imported set aside for good, a run is a fifth of a
    second shorter: nothing of it is garbage before the process ends.
    """
    first = "factory.runs.graph" not in sys.modules
    if first:
        gc.disable()
    try:
        from factory.runs.graph import execute
    finally:
        if first:
            gc.freeze()
            gc.enable()
    return execute

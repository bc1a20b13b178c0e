"""Executes one work order on one baseline and records how it went: what a run and a build have in common.

Where it works, whether it may start, and where a passed attempt lands are the caller's business.
"""

import gc
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace

from factory.attempt.exit_codes import ExitCode
from factory.attempt.outcome import RunOutcome
from factory.attempt.routing import Nodes
from factory.attempt.state import RunState
from factory.checkout.workspace import Checkout
from factory.gates.bench import Bench
from factory.gates.build_cache import filled_build_cache
from factory.gates.temporary_files import lost_between_commands
from factory.llm.ladder import started_at
from factory.llm.port import Model
from factory.llm.spending.meter import Meter
from factory.repository.landable import unlandable_path
from factory.runs.agents.workplace import workplace
from factory.runs.inputs import Run
from factory.runs.nodes.bound import bound_nodes
from factory.runs.oracle import Oracle
from factory.runs.owners import owned_tests
from factory.runs.probe import probe_baseline
from factory.runs.record.documents import RunRecord
from factory.runs.record.endings import Ending, ending_of, failed, interrupted, stopped
from factory.runs.record.files import REPAIR_REQUEST
from factory.runs.record.repair_request import repair_request
from factory.services.resolved import Services
from factory.services.templates import prepared
from factory.system.process.signals import Interrupted, shielded
from factory.system.process.stop import Stopped


@dataclass(frozen=True)
class Executed:
    """How a run ended.

    Attributes:
        ending: for the user and the record.
        state: the graph's last state; None if it was never entered.
    """

    ending: Ending
    state: RunState | None


def execute(
    run: Run,
    *,
    start: RunState,
    place: Callable[[], AbstractContextManager[Checkout]],
    prepare: Callable[[], Ending | None] = lambda: None,
    verify: Callable[[Run, Bench], Run] = lambda run, _bench: run,
    landed: Callable[[], str | None] = lambda: None,
) -> Executed:
    """Execute a run, and record every ending, a bug included.

    Args:
        run: the run.
        start: the state in which the graph starts.
        place: opens the checkout of the baseline.
        prepare: what is done before anything is paid; an ending if there is nothing to do.
        verify: adds to the run what is known of its base; the checkout is as it was afterwards.
        landed: the commit of this run if it has landed; asked after an interruption.
    """
    record = RunRecord.start(run.folder, run.planned, run.document)
    meter = Meter()
    state: RunState | None = None
    try:
        ending = prepare()
        if ending is None:
            ending, state = _attempt(run, meter, place, verify, start)
    except Interrupted as signal:
        ending = interrupted(signal, landed())
    except Stopped:
        ending = Ending(RunOutcome.INTERRUPTED, ExitCode.INTERRUPTED, "stopped; nothing is left half done")
    except BaseException as error:
        expected = ending_of(error)
        if expected is None:
            bug = Ending(RunOutcome.INTERNAL_ERROR, ExitCode.INTERNAL, repr(error))
            record.end(bug, meter.usage, meter.calls)
            raise
        ending = expected
    with shielded():
        proposal = state.get("proposal") if state is not None else None
        failing = owned_tests(run, state.get("failing_tests", ()), proposal) if state is not None else ()
        request = repair_request(
            run.planned, run.contract, ending.failure, ending.attempts, proposal, failing
        )
        if request is not None:
            REPAIR_REQUEST.write(run.folder.path, request)
        record.end(ending, meter.usage, meter.calls, meter.cost_usd(run.price))
    return Executed(ending, state)


def _attempt(
    run: Run,
    meter: Meter,
    place: Callable[[], AbstractContextManager[Checkout]],
    verify: Callable[[Run, Bench], Run],
    start: RunState,
) -> tuple[Ending, RunState | None]:
    # Where the plan, or a person, gives the texts nobody is asked, so not even a key is needed.
    asked = run.work is None and not run.order.fixed_files
    model = _model(run, meter) if asked and run.ports.agent is None else None
    with place() as checkout, prepared_services(run) as services:
        run = replace(run, services=services)
        problem = unlandable_path(run.order, checkout.git, run.target)
        if problem is not None:
            return stopped(problem, ()), None
        bench = run.bench(checkout)
        if asked and run.ports.agent is not None:
            model = meter.wrap(run.ports.agent(workplace(bench, run.order), run.stop, run.price))
        run.folder.begin()
        with nullcontext() if run.ports.trials.are_elsewhere else filled_build_cache(bench):
            run = verify(run, bench)
            problem = lost_between_commands(run.order, run.terms.sandbox.level) if run.terms else None
            if problem is not None:
                return stopped(problem, ()), None
            if run.settings.red_probe and start["attempt"] == 1:
                problem = probe_baseline(
                    run.order, run.conditions(bench), run.ports.trials, run.folder, run.ports.progress
                )
                if problem is not None:
                    return stopped(problem, ()), None
            oracle = _oracle(run, model) if model is not None else None
            if oracle is not None and run.settings.oracle_check == "always" and start["attempt"] == 1:
                problem = oracle.dispute()
                if problem is not None:
                    return stopped(problem, ()), None
            nodes = bound_nodes(run, bench, model, oracle)
            state = imported_graph()(nodes, start, run.settings.max_attempts, run.entering)
    return _ending(run, state, meter), state


def _model(run: Run, meter: Meter) -> Model:
    model = started_at(run.ports.model(run.stop, run.price), run.order.difficulty)
    return meter.wrap(run.ports.diverted(model, run.folder.path.parent, run.contract, run.stop))


def prepared_services(run: Run) -> AbstractContextManager[Services]:
    """The run's services with what is made once for all commands."""
    return prepared(run.services, run.target.git, run.terms, run.ports.environment, run.stop)


def _oracle(run: Run, model: Model) -> Oracle | None:
    """Whom the run asks for a second opinion; None if nobody."""
    if run.settings.oracle_check == "off":
        return None
    if not run.requirements:
        run.ports.progress("there is no second opinion without a plan that has the work order's requirements")
    progress, parameters = run.ports.progress, run.settings.parameters
    return Oracle(run.order, run.requirements, model, parameters, run.folder, progress, run.begins)


def _ending(run: Run, state: RunState, meter: Meter) -> Ending:
    attempts = tuple(
        tried.model_copy(update={"cost_usd": meter.cost_of(tried.usage, tried.model, run.price)})
        for tried in state["attempts"]
    )
    if state.get("verdict") == "landed":
        commit = state["commit"]
        assert commit is not None
        scores = state.get("scores")
        proof = f"; {scores.description}" if scores is not None else ""
        message = f"{run.order.id} landed on {run.target.branch} as {commit[:12]}{proof}"
        return Ending(RunOutcome.LANDED, ExitCode.PASS, message, commit=commit, attempts=attempts)
    if state.get("verdict") == "passed":
        message = f"{run.order.id} passed its gates, and waits for its turn to land"
        return Ending(RunOutcome.PASSED, ExitCode.PASS, message, attempts=attempts)
    failure = state["failure"]
    assert failure is not None
    if state.get("verdict") == "failed":
        return failed(run.order.id, failure, attempts, by_person=run.work is not None)
    return stopped(failure, attempts)


def imported_graph() -> Callable[[Nodes, RunState, int, Callable[[str, RunState], None]], RunState]:
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

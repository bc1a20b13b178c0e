"""What a worker does: attempts of one work order on one base, or the gates once more before a landing.

Which task comes when, and what follows from a result, is for `decisions`.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from factory.attempt.exit_codes import ExitCode
from factory.attempt.outcome import RunOutcome
from factory.attempt.state import RunState
from factory.builds.decisions.messages import NodeEntered
from factory.builds.decisions.tasks import AttemptTask, LandingTask, Result
from factory.builds.state.attempts import RunEntry
from factory.builds.state.records import attempts_of, attempts_so_far
from factory.builds.watch import Doing, Watch, nobody
from factory.checkout.named import NamedCheckout
from factory.checkout.workspace import Checkout
from factory.configuration.document import Configuration
from factory.contract.identity import contract_hash, run_id
from factory.contract.work_order import Plan, WorkOrder
from factory.environments.environment import Environment
from factory.environments.projects import Subproject
from factory.gates.baseline_report import BaselineReport
from factory.gates.step import Occasion, Step, StepKind
from factory.llm.spending.prices import Prices
from factory.people.hints import attempts_with
from factory.repository.target import Target
from factory.runs.execution import execute
from factory.runs.inputs import Ports, Run
from factory.runs.nodes.po import examine
from factory.runs.record.endings import Ending, ending_of
from factory.runs.record.files import LANDING_FOLDER
from factory.runs.record.folder import RunFolder
from factory.runs.settings import AttemptSettings
from factory.services.resolved import Services
from factory.specification.passages import Specification
from factory.system.process.stop import Stop, Stopped
from factory.system.sandbox.port import Terms


@dataclass
class Worker:
    """Carries out tasks, in any thread.

    Attributes:
        goal: the branch that the build lands on.
        out: the directory with the run folders.
        settings: how work orders are attempted.
        configuration: the repository's own.
        user_base: the commit that the build starts from.
        known: what the baseline already failed, if that is accepted.
        ports: what an execution touches beside the repository.
        terms: the sandbox of every command; None for none.
        environment: what commands find beside their checkout.
        services: what runs beside every command.
        projects: those of the repository beside its root.
        plan: the plan.
        spec: the specification that it was made for; None if it keeps none.
        place: opens a checkout of a commit.
        prices: what answers cost.
        entered: told when a work order comes to a node; called in any thread.
        watch: told what is done now; called in any thread.
    """

    goal: Target
    out: Path
    settings: AttemptSettings
    configuration: Configuration
    user_base: str
    known: BaselineReport | None
    ports: Ports
    terms: Terms | None
    environment: Environment
    services: Services
    projects: tuple[Subproject, ...]
    plan: Plan
    spec: Specification | None
    place: Callable[[str], AbstractContextManager[Checkout]]
    prices: Prices
    entered: Callable[[NodeEntered], None]
    watch: Watch = nobody
    _stops: dict[str, Stop] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _over: bool = False

    def stop(self, order_id: str) -> None:
        """Ask the task of a work order to stop, if it is under way."""
        with self._lock:
            if order_id in self._stops:
                self._stops[order_id].ask()

    def stop_all(self) -> None:
        """Ask every task to stop, and every later one, too."""
        with self._lock:
            self._over = True
            for stop in self._stops.values():
                stop.ask()

    def attempt(self, task: AttemptTask) -> Result:
        """Attempt a work order until it passes or its attempts are spent."""
        with _Heeded(self, task.order.id) as stop:
            self.watch(Doing(task.order.id, Step(StepKind.PREPARING)))
            folder = RunFolder(self.out / task.run_id, self.ports.clock)
            run = self._run(task.order, task.baseline, folder, stop, task.passed_tests)
            start: RunState = {"attempt": 1, "attempts": ()}
            if task.retry is not None:
                start["attempt"] = task.retry.attempt
                start["previous_proposal"] = task.retry.proposal
                start["previous_failure"] = task.retry.failure
            done = execute(run, start=start, place=lambda: self.place(task.baseline))
        state: RunState = done.state or start
        return Result(
            exit_code=done.ending.exit_code,
            run_id=task.run_id,
            baseline=task.baseline,
            attempt=state["attempt"],
            message=done.ending.message,
            hint=done.ending.hint,
            failure=done.ending.failure,
            attempts=attempts_of(done.ending.attempts),
            tree=state.get("tree"),
            proposal=state.get("proposal"),
            known_by=state.get("known_by", "exit code"),
            removed=len(state.get("removed_tests", ())),
            generated_by=state.get("generated_by", ""),
            scores=state.get("scores"),
        )

    def examine(self, task: LandingTask) -> Result:
        """Run the gates on a candidate."""
        with _Heeded(self, task.order.id) as stop:
            ending = self._gates(task, stop)
        return Result(
            exit_code=ending.exit_code,
            run_id=task.run_id,
            baseline=task.commit,
            attempt=task.attempt,
            message=ending.message,
            hint=ending.hint,
            failure=ending.failure,
        )

    def _gates(self, task: LandingTask, stop: Stop) -> Ending:
        folder = RunFolder(self.out / task.run_id / LANDING_FOLDER, self.ports.clock)
        run = self._run(task.order, task.commit, folder, stop, task.passed_tests)
        folder.attempt(task.attempt)
        try:
            with self._candidate(task.commit) as opened:
                update = examine(
                    {"attempt": task.attempt, "tree": task.tree},
                    order=task.order,
                    conditions=run.conditions(run.bench(opened).on(Occasion.LANDING)),
                    trials=run.ports.trials,
                    files=(),
                    folder=folder,
                    progress=run.ports.progress,
                )
        except Stopped:
            return Ending(RunOutcome.INTERRUPTED, ExitCode.INTERRUPTED, "")
        except Exception as error:
            ending = ending_of(error)
            if ending is None:
                raise
            return ending
        failure = update.get("failure")
        if failure is None:
            return Ending(RunOutcome.PASSED, ExitCode.PASS, "")
        return Ending(RunOutcome.FAILED, ExitCode.FAIL, "", failure=failure)

    @contextmanager
    def _candidate(self, commit: str) -> Iterator[Checkout]:
        """Within the block there is a checkout of a candidate, of which gates elsewhere need no file here."""
        if self.ports.trials.are_elsewhere:
            yield NamedCheckout(self.goal.git, commit)
            return
        with self.place(commit) as opened:
            # From here on everything that differs is what a check changed.
            opened.stage([])
            yield opened

    def _enter(self, order_id: str, run_id: str, node: str, state: RunState) -> None:
        run = RunEntry(run_id=run_id, attempts=attempts_so_far(state, self.prices))
        failure = state.get("previous_failure")
        self.entered(NodeEntered(order_id, node, state["attempt"], failure, run))

    def _run(
        self, order: WorkOrder, baseline: str, folder: RunFolder, stop: Stop, passed: tuple[str, ...]
    ) -> Run:
        def begins(step: Step) -> None:
            self.watch(Doing(order.id, step))

        return Run(
            order=order,
            target=replace(self.goal, baseline=baseline),
            folder=folder,
            settings=self.settings.model_copy(
                update={
                    "max_attempts": attempts_with(self.out, contract_hash(order), self.settings.max_attempts)
                }
            ),
            configuration=self.configuration,
            user_base=self.user_base,
            plan=self.plan,
            spec=self.spec,
            known=self.known,
            kept_tests=tuple(passed),
            # Of several at a time a person sees states and steps; lines would be those of all at once.
            ports=replace(self.ports, progress=lambda _text: None),
            lands=False,
            terms=self.terms,
            environment=self.environment,
            services=self.services,
            projects=self.projects,
            entered=partial(self._enter, order.id, run_id(order, baseline)),
            stop=stop,
            begins=begins,
        )


class _Heeded:
    """A task's stop, known to the worker while the task goes on."""

    def __init__(self, worker: Worker, order_id: str) -> None:
        self._worker = worker
        self._order_id = order_id
        self._stop = Stop()

    def __enter__(self) -> Stop:
        with self._worker._lock:
            self._worker._stops[self._order_id] = self._stop
            if self._worker._over:
                self._stop.ask()
        return self._stop.__enter__()

    def __exit__(self, *_: object) -> None:
        with self._worker._lock:
            del self._worker._stops[self._order_id]
        self._stop.__exit__(None, None, None)

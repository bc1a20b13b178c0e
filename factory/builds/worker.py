"""What a worker does: attempts of one work order on one base, or the gates once more before a landing.

A task and its result are plain JSON values, so that an engine on other machines can take the place of
threads. Which task comes when, and what follows from a result, is decided in `loop`.
"""

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from factory.attempt.exit_codes import ExitCode
from factory.attempt.failure import Failure
from factory.attempt.outcome import RunOutcome
from factory.attempt.state import RunState
from factory.attempt.summary import AttemptSummary
from factory.checkout.workspace import Checkout
from factory.configuration.document import Configuration
from factory.contract.canonical import dump, run_id
from factory.contract.proposal import WriteProposal
from factory.contract.strict_json import JsonObject
from factory.contract.work_order import WorkOrder
from factory.gates.baseline_report import BaselineReport
from factory.repository.target import Target
from factory.runs.execution import execute
from factory.runs.nodes.po import examine
from factory.runs.record.endings import ending_of
from factory.runs.record.files import LANDING_FOLDER
from factory.runs.record.folder import RunFolder
from factory.runs.settings import AttemptSettings, Outside
from factory.runs.wiring import Run
from factory.system.process.stop import Stop, Stopped
from factory.system.sandbox.port import Terms


class _Plain(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class AttemptTask(_Plain):
    """Attempts of one work order on one base.

    Attributes:
        order: the work order.
        baseline: the commit to start from.
        attempt: the number of the first attempt.
        previous_proposal: what the attempt before proposed, if it failed only when it was to land.
        previous_failure: why it failed.
    """

    order: WorkOrder
    baseline: str
    attempt: int = 1
    previous_proposal: WriteProposal | None = None
    previous_failure: Failure | None = None

    @property
    def run_id(self) -> str:
        """The name of this execution."""
        return run_id(self.order, self.baseline)


class LandingTask(_Plain):
    """The gates of a candidate, on exactly the tree that will be the branch's tip.

    Attributes:
        order: the work order.
        run_id: the run that the candidate came from.
        attempt: the attempt that it came from.
        candidate: the commit that would land.
        tree: its tree.
    """

    order: WorkOrder
    run_id: str
    attempt: int
    candidate: str
    tree: str


class Result(_Plain):
    """How a task ended.

    Attributes:
        outcome: which way of ending it is.
        exit_code: what it would mean for a run of its own.
        message: what happened.
        hint: who must do what next.
        failure: the failure that ended it.
        run_id: the run's name.
        attempt: the number of the last attempt.
        attempts: the attempts.
        tree: the tree that passed.
        proposal: the last proposal.
    """

    outcome: RunOutcome
    exit_code: ExitCode
    message: str = ""
    hint: str = ""
    failure: Failure | None = None
    run_id: str
    attempt: int
    attempts: tuple[AttemptSummary, ...] = ()
    tree: str | None = None
    proposal: WriteProposal | None = None


@dataclass
class Worker:
    """Carries out tasks, in any thread.

    Attributes:
        goal: the branch that the build lands on.
        out: the directory with the run folders.
        settings: how work orders are attempted.
        configuration: the repository's own.
        known: what the baseline already failed, if that is accepted.
        world: what an execution touches beside the repository.
        terms: the sandbox of every command; None for none.
        place: opens a checkout of a commit.
        entered: told the work order, the node and the state when one enters a node; called in any thread.
    """

    goal: Target
    out: Path
    settings: AttemptSettings
    configuration: Configuration
    known: BaselineReport | None
    world: Outside
    terms: Terms | None
    place: Callable[[str], AbstractContextManager[Checkout]]
    entered: Callable[[str, str, RunState], None]
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

    def attempt(self, task: JsonObject) -> JsonObject:
        """Carry out an `AttemptTask`; a `Result`."""
        wanted = AttemptTask.model_validate(task)
        with _Heeded(self, wanted.order.id) as stop:
            return _plain(self._attempt(wanted, stop))

    def examine(self, task: JsonObject) -> JsonObject:
        """Carry out a `LandingTask`; a `Result`."""
        wanted = LandingTask.model_validate(task)
        with _Heeded(self, wanted.order.id) as stop:
            return _plain(self._examine(wanted, stop))

    def _attempt(self, task: AttemptTask, stop: Stop) -> Result:
        folder = RunFolder(self.out / task.run_id, self.world.clock)
        run = self._run(task.order, task.baseline, folder, stop)
        start: RunState = {"attempt": task.attempt, "attempts": ()}
        if task.previous_failure is not None:
            start["previous_proposal"] = task.previous_proposal
            start["previous_failure"] = task.previous_failure
        done = execute(run, start=start, place=lambda: self.place(task.baseline))
        state: RunState = done.state or start
        return Result(
            outcome=done.ending.outcome,
            exit_code=done.ending.exit_code,
            message=done.ending.message,
            hint=done.ending.hint,
            failure=done.ending.failure,
            run_id=task.run_id,
            attempt=state["attempt"],
            attempts=done.ending.attempts,
            tree=state.get("tree"),
            proposal=state.get("proposal"),
        )

    def _examine(self, task: LandingTask, stop: Stop) -> Result:
        folder = RunFolder(self.out / task.run_id / LANDING_FOLDER, self.world.clock)
        run = self._run(task.order, task.candidate, folder, stop)
        folder.attempt(task.attempt)

        def result(
            outcome: RunOutcome, code: ExitCode, failure: Failure | None = None, **told: str
        ) -> Result:
            return Result(
                outcome=outcome,
                exit_code=code,
                failure=failure,
                run_id=task.run_id,
                attempt=task.attempt,
                tree=task.tree,
                **told,
            )

        try:
            with self.place(task.candidate) as opened:
                # From here on everything that differs is what a check changed.
                opened.stage([])
                update = examine(
                    {"attempt": task.attempt, "tree": task.tree},
                    order=task.order,
                    bench=run.bench(opened),
                    checks=run.checks,
                    folder=folder,
                    progress=run.outside.progress,
                )
        except Stopped:
            return result(RunOutcome.INTERRUPTED, ExitCode.INTERRUPTED)
        except Exception as error:
            ending = ending_of(error)
            if ending is None:
                raise
            return result(ending.outcome, ending.exit_code, message=ending.message, hint=ending.hint)
        failure = update.get("failure")
        if failure is None:
            return result(RunOutcome.PASSED, ExitCode.PASS)
        return result(RunOutcome.FAILED, ExitCode.FAIL, failure)

    def _run(self, order: WorkOrder, baseline: str, folder: RunFolder, stop: Stop) -> Run:
        return Run(
            order=order,
            target=replace(self.goal, baseline=baseline),
            folder=folder,
            settings=self.settings,
            configuration=self.configuration,
            known=self.known,
            # Of several at a time a person sees the states, not every step.
            outside=replace(self.world, progress=lambda _text: None),
            lands=False,
            terms=self.terms,
            entered=partial(self.entered, order.id),
            stop=stop,
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


def _plain(document: BaseModel) -> JsonObject:
    value = dump(document)
    assert isinstance(value, dict)
    return value

"""What is handed to a worker and what comes back: attempts of a work order, or the gates before a landing.

Pure values, and what the loop asks of a worker.
"""

from dataclasses import dataclass
from typing import Protocol

from factory.attempt.exit_codes import ExitCode
from factory.attempt.failure import Failure
from factory.attempt.outcome import VerdictKind
from factory.attempt.summary import KillScores
from factory.builds.state.attempts import AttemptRecord, RunEntry
from factory.contract.identity import run_id
from factory.contract.proposal import WriteProposal
from factory.contract.work_order import WorkOrder


@dataclass(frozen=True)
class Retry:
    """What the next attempt knows of one that failed only when it was to land.

    Attributes:
        attempt: the number of the next attempt.
        proposal: what the one before proposed.
        failure: why it failed.
    """

    attempt: int
    proposal: WriteProposal | None
    failure: Failure


@dataclass(frozen=True)
class AttemptTask:
    """Attempts of one work order on one base.

    Attributes:
        order: the work order.
        baseline: the commit to start from.
        retry: what the first of them knows of an attempt before it; None if there was none.
        passed_tests: the ids of the tests that passed on the baseline, as far as reports tell.
    """

    order: WorkOrder
    baseline: str
    retry: Retry | None = None
    passed_tests: tuple[str, ...] = ()

    @property
    def run_id(self) -> str:
        """The name of this execution."""
        return run_id(self.order, self.baseline)


@dataclass(frozen=True)
class LandingTask:
    """The gates of a candidate, on exactly the tree that will be the branch's tip.

    Attributes:
        order: the work order.
        run_id: the run that the candidate came from.
        attempt: the attempt that it came from.
        commit: the commit that would land.
        tree: its tree.
        passed_tests: the ids of the tests that passed before it, as far as reports tell.
    """

    order: WorkOrder
    run_id: str
    attempt: int
    commit: str
    tree: str
    passed_tests: tuple[str, ...] = ()


@dataclass(frozen=True)
class Result:
    """How a task ended.

    Attributes:
        exit_code: what it would mean for a run of its own.
        run_id: the run's name.
        baseline: the commit that was started from.
        attempt: the number of the last attempt.
        message: what happened.
        hint: who must do what next.
        failure: the failure that ended it.
        attempts: what is recorded of each attempt; none for the gates before a landing.
        tree: the tree that passed.
        proposal: the last proposal.
        known_by: how it can be known that the acceptance commands of what passed did.
        removed: how many tests that passed before it removed from files that it may write.
        generated_by: who wrote what passed; empty if nothing did.
        scores: how many changes of what passed its checks noticed; None if none were tried.
    """

    exit_code: ExitCode
    run_id: str
    baseline: str
    attempt: int
    message: str = ""
    hint: str = ""
    failure: Failure | None = None
    attempts: tuple[AttemptRecord, ...] = ()
    tree: str | None = None
    proposal: WriteProposal | None = None
    known_by: VerdictKind = "exit code"
    removed: int = 0
    generated_by: str = ""
    scores: KillScores | None = None

    @property
    def run(self) -> RunEntry:
        """The run as it is recorded."""
        return RunEntry(run_id=self.run_id, attempts=self.attempts)

    def failed_on_tip(self, failure: Failure) -> RunEntry:
        """The run as it is recorded once its last attempt could not land."""
        attempts = tuple(
            record.model_copy(update={"passed": False, "stage": failure.stage})
            if record.attempt == self.attempt
            else record
            for record in self.attempts
        )
        return RunEntry(run_id=self.run_id, attempts=attempts)


@dataclass(frozen=True)
class Halt:
    """Why a build ends before its work orders do.

    Attributes:
        exit_code: who must act.
        message: what happened.
        hint: what to do next.
        order_id: the work order it is about; None if it is about everything.
        run_id: the run whose folder tells more.
        failure: the failure with its evidence.
    """

    exit_code: ExitCode
    message: str
    hint: str = ""
    order_id: str | None = None
    run_id: str | None = None
    failure: Failure | None = None

    @classmethod
    def at_deadline(cls) -> "Halt":
        """Because the time is up."""
        return cls(
            ExitCode.BUDGET,
            "the deadline has come",
            "build again with a later one: nothing that was paid is paid again",
        )

    @classmethod
    def by_rules(cls, failure: Failure, order_id: str | None, run_id: str | None) -> "Halt":
        """Because the plan breaks rules on the files that it starts from; of one work order, or of more."""
        message = f"plan defect at {failure.stage}: {failure.description}"
        return cls(ExitCode.PLAN_DEFECT, message, failure.hint, order_id, run_id, failure)

    @classmethod
    def of(cls, order_id: str, result: Result) -> "Halt":
        """Because of a task's result."""
        # Some messages begin with it.
        message = result.message if result.message.startswith(order_id) else f"{order_id}: {result.message}"
        return cls(result.exit_code, message, result.hint, order_id, result.run_id, result.failure)


class TaskRunner(Protocol):
    """Who carries out tasks, each call in a thread of its own."""

    def attempt(self, task: AttemptTask) -> Result:
        """Attempt a work order until it passes or its attempts are spent."""
        ...

    def examine(self, task: LandingTask) -> Result:
        """Run the gates on a candidate."""
        ...

    def stop(self, order_id: str) -> None:
        """Ask the task of a work order to stop, if it is under way."""
        ...

    def stop_all(self) -> None:
        """Ask every task to stop, and every later one, too."""
        ...

"""One work order in `state.json`: where it stands, and what became of what was tried. Pure."""

from typing import Annotated

from pydantic import Field

from factory.attempt.summary import KillScores
from factory.builds.state.attempts import RETIRED, AttemptRecord, LastFailure, Record, RunEntry, Spending
from factory.builds.state.machine import OrderPhase
from factory.contract.identity import contract_hash
from factory.contract.work_order import WorkOrder


class OrderState(Record):
    """Where one work order stands.

    Attributes:
        id: the work order's id.
        title: its title.
        contract: its contract hash.
        state: its state.
        attempt: the number of the attempt under way or of the last one; 0 before the first.
        last_failure: why the latest failed attempt failed.
        commit: the commit that holds its result.
        landed_run: the run that the commit came from.
        runs: all that was tried, on this baseline and on earlier ones.
        since: when it came into this state.
    """

    id: str
    title: str
    contract: str
    state: OrderPhase = OrderPhase.PENDING
    attempt: Annotated[int, Field(ge=0)] = 0
    last_failure: LastFailure | None = None
    commit: str | None = None
    landed_run: str | None = None
    runs: tuple[RunEntry, ...] = ()
    since: str

    @classmethod
    def of(cls, order: WorkOrder, since: str) -> "OrderState":
        """A work order that waits."""
        return cls(id=order.id, title=order.title, contract=contract_hash(order), since=since)

    def with_run(self, run: RunEntry) -> "OrderState":
        """With what was tried in a run; an earlier telling of the same run is replaced."""
        others = tuple(entry for entry in self.runs if entry.run_id != run.run_id)
        return self.model_copy(update={"runs": (*others, run)})

    def scores_of(self, run_id: str) -> KillScores | None:
        """How many mutants were noticed in the last attempt of a run; None if that is not known."""
        last = [run.attempts[-1] for run in self.runs if run.run_id == run_id and run.attempts]
        return last[0].scores if last else None

    @property
    def spent(self) -> Spending:
        """What it used."""
        return Spending.on(attempt for _, attempt in self._tried)

    @property
    def useful_attempts(self) -> tuple[AttemptRecord, ...]:
        """The attempt that landed, or that may still land."""
        return tuple(attempt for run, attempt in self._tried if self._counts(run, attempt))

    @property
    def wasted_attempts(self) -> tuple[AttemptRecord, ...]:
        """What came to nothing: failed attempts, and what was made again on another baseline."""
        not_wasted = {*self.useful_attempts, *self.open_attempts}
        answers = {attempt.answer for attempt in not_wasted if attempt.answer is not None}
        return tuple(
            attempt
            for run, attempt in self._tried
            if not self._counts(run, attempt)
            and not self._is_open(run, attempt)
            and attempt.answer not in answers
        )

    @property
    def open_attempts(self) -> tuple[AttemptRecord, ...]:
        """What was answered and has not ended; what was cut off there takes the answer from the ledger."""
        ended = {attempt.answer for _, attempt in self._tried if attempt.ended and attempt.answer}
        return tuple(
            attempt
            for run, attempt in self._tried
            if self._is_open(run, attempt) and attempt.answer not in ended
        )

    @property
    def _tried(self) -> tuple[tuple[RunEntry, AttemptRecord], ...]:
        return tuple((run, attempt) for run in self.runs for attempt in run.attempts)

    def _counts(self, run: RunEntry, attempt: AttemptRecord) -> bool:
        return attempt.passed and run.run_id == (self.landed_run if self.commit else self.runs[-1].run_id)

    def _is_open(self, run: RunEntry, attempt: AttemptRecord) -> bool:
        return not attempt.ended and self.commit is None and RETIRED not in run.run_id

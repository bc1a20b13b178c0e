"""What becomes of work orders in the course of one message: their positions, the record, what is undone."""

from dataclasses import replace
from typing import assert_never

from factory.builds.decisions.acts import Act, RecordPhase, StopEverything, StopTask
from factory.builds.decisions.messages import Collided, ExaminationEnded
from factory.builds.decisions.standing import (
    EXAMINED,
    Attempting,
    Failed,
    Landed,
    Passed,
    Position,
    Skipped,
    Standing,
    Step,
    Waiting,
    Withdrawn,
)
from factory.builds.decisions.tasks import Halt
from factory.builds.state.machine import UNDER_WAY, OrderPhase


class Course:
    """A standing that moves on, and the acts that go with it.

    Args:
        standing: where the build stands.
    """

    def __init__(self, standing: Standing) -> None:
        self.standing = standing
        self.acts: list[Act] = []

    def act(self, *acts: Act) -> None:
        """Do this next."""
        self.acts += acts

    def passed(self, order_id: str) -> Passed:
        """The position of a work order that is in the landing queue."""
        position = self.standing.positions[order_id]
        assert isinstance(position, Passed)
        return position

    def place(self, order_id: str, position: Position, phase: OrderPhase | None = None) -> None:
        """Give a work order another position; its state on record, too, if an act of its own writes that."""
        self.standing = self.standing.with_position(order_id, position)
        if phase is not None:
            self.standing = self.standing.with_phase(order_id, phase)

    def step(self, order_id: str, step: Step) -> None:
        """Move a work order on in the landing queue."""
        self.place(order_id, replace(self.passed(order_id), step=step))

    def refuse(self, refusal: Collided | ExaminationEnded) -> None:
        """A candidate can't land, so there is none of those behind it that were made on it."""
        order_id = refusal.order_id
        self.place(order_id, replace(self.passed(order_id), step=Step.REFUSED, refusal=refusal))
        order = self.standing.dependencies.order
        for other in order[order.index(order_id) + 1 :]:
            position = self.standing.positions[other]
            if not isinstance(position, Passed):
                continue
            if position.step is Step.EXAMINING:
                self.act(StopTask(other))
            under_way = position.step in EXAMINED
            self.place(other, Passed(position.result, Step.OUTDATED if under_way else Step.QUEUED))

    def record(self, order_id: str, phase: OrderPhase) -> None:
        """Put another state on record."""
        self.standing = self.standing.with_phase(order_id, phase)
        self.act(RecordPhase(order_id, phase))

    def fail(self, order_id: str, why: Halt) -> None:
        """A work order has failed for good."""
        self.place(order_id, Failed(why))
        self.record(order_id, OrderPhase.FAILED)

    def wait_again(self, order_id: str) -> None:
        """A work order waits, as if it had not begun."""
        self.place(order_id, Waiting())
        self._put_back(order_id)

    def take_back(self, order_id: str) -> None:
        """Forget what a work order has done so far, a failure included; its task is asked to stop."""
        match self.standing.positions[order_id]:
            case Attempting() | Passed(step=Step.EXAMINING | Step.OUTDATED):
                self.act(StopTask(order_id))
                self.place(order_id, Withdrawn())
                self._put_back(order_id)
            case Waiting() | Passed() | Failed():
                self.wait_again(order_id)
            case Withdrawn() | Landed() | Skipped():
                pass
            case _ as never:
                assert_never(never)

    def halt(self, why: Halt) -> None:
        """Start nothing more; what is under way goes on."""
        self.standing = replace(self.standing, halt=why)

    def cut(self, why: Halt) -> None:
        """Stop everything: what is under way or waits to land does not count."""
        self.standing = replace(self.standing, halt=why, cut=True)
        self.act(StopEverything())
        for order_id, position in self.standing.positions.items():
            if isinstance(position, Attempting | Passed):
                self.take_back(order_id)

    def end(self) -> None:
        """Nothing is left to wait for: what has not ended waits for another build."""
        for order_id, position in self.standing.positions.items():
            if not isinstance(position, Failed):
                self.take_back(order_id)
        self.standing = replace(self.standing, over=True)

    def _put_back(self, order_id: str) -> None:
        if self.standing.phases[order_id] in (*UNDER_WAY, OrderPhase.FAILED):
            self.record(order_id, OrderPhase.PENDING)

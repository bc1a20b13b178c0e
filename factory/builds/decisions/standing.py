"""Where a build stands, as one value. What follows from a message is for `next`.

Each work order has one position, so no two lists of work orders have to agree.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from enum import Enum, auto
from functools import cached_property
from types import MappingProxyType
from typing import Final, TypeAlias

from factory.builds.decisions.messages import Collided, ExaminationEnded
from factory.builds.decisions.schedule import Dependencies, GivenUp, given_up, startable, turns
from factory.builds.decisions.tasks import Halt, Result, Retry
from factory.builds.state.machine import OrderPhase


class Step(Enum):
    """Where a work order that has passed stands in the landing queue.

    From `MERGING` on there is a candidate. `OUTDATED`: there is none any more, and a worker is still at the
    one that was; `REFUSED`: it can't land after those before it.
    """

    QUEUED = auto()
    MERGING = auto()
    UNPROVEN = auto()
    EXAMINING = auto()
    OUTDATED = auto()
    PROVEN = auto()
    REFUSED = auto()
    LANDING = auto()


EXAMINED: Final = (Step.EXAMINING, Step.OUTDATED)
"""Where a worker is at a candidate."""


@dataclass(frozen=True)
class Waiting:
    """It has not started, or is to start again; with `retry` on the branch's tip."""

    retry: Retry | None = None


@dataclass(frozen=True)
class Attempting:
    """A worker attempts it."""


@dataclass(frozen=True)
class Withdrawn:
    """A worker is still at it, and what comes of that does not count."""


@dataclass(frozen=True)
class Passed:
    """Its gates have passed, and it is on its way through the landing queue.

    Attributes:
        result: what its attempts came to.
        step: how far it has come.
        refusal: why its candidate can't land, which counts once all before it have landed.
    """

    result: Result
    step: Step = Step.QUEUED
    refusal: Collided | ExaminationEnded | None = None


@dataclass(frozen=True)
class Landed:
    """The branch holds it."""


@dataclass(frozen=True)
class Failed:
    """It failed for good."""

    why: Halt


@dataclass(frozen=True)
class Skipped:
    """A person leaves it out."""


Position: TypeAlias = Waiting | Attempting | Withdrawn | Passed | Landed | Failed | Skipped


@dataclass(frozen=True)
class Standing:
    """Where a build stands.

    Attributes:
        dependencies: of the plan.
        jobs: how many tasks may be under way at a time.
        max_attempts: of each work order.
        keep_going: whether what does not depend on a failure goes on.
        positions: of all work orders.
        phases: what is on record of each.
        halt: why nothing more is started; None while work is.
        cut: whether everything was asked to stop.
        over: whether nothing is left to wait for.
    """

    dependencies: Dependencies
    jobs: int
    max_attempts: int
    keep_going: bool
    positions: Mapping[str, Position]
    phases: Mapping[str, OrderPhase]
    halt: Halt | None = None
    cut: bool = False
    over: bool = False

    @classmethod
    def at_start(
        cls,
        dependencies: Dependencies,
        landed: Collection[str],
        *,
        jobs: int,
        max_attempts: int,
        keep_going: bool,
        skipped: Collection[str] = (),
        failed: Mapping[str, Halt] = MappingProxyType({}),
    ) -> "Standing":
        """The standing of a build at its start.

        Args:
            dependencies: of the plan.
            landed: those that have landed.
            jobs: how many tasks may be under way at a time.
            max_attempts: of each work order.
            keep_going: whether what does not depend on a failure goes on.
            skipped: those that are left out.
            failed: those that failed before and are not tried anew, and why; all others wait.
        """
        positions: dict[str, Position] = {}
        phases: dict[str, OrderPhase] = {}
        for order_id in dependencies.order:
            positions[order_id] = Landed() if order_id in landed else Waiting()
            phases[order_id] = OrderPhase.LANDED if order_id in landed else OrderPhase.PENDING
            if order_id in skipped and order_id not in landed:
                positions[order_id], phases[order_id] = Skipped(), OrderPhase.SKIPPED
            elif order_id in failed:
                positions[order_id], phases[order_id] = Failed(failed[order_id]), OrderPhase.FAILED
        return cls(dependencies, jobs, max_attempts, keep_going, positions, phases)

    @cached_property
    def failed(self) -> Mapping[str, Halt]:
        """The work orders that failed, in the plan's order, and why."""
        return {
            order_id: position.why
            for order_id in self.dependencies.order
            if isinstance(position := self.positions[order_id], Failed)
        }

    @cached_property
    def given_up(self) -> GivenUp:
        """The work orders that are not executed because of those that failed, or are left out."""
        given = given_up(self.dependencies, self.failed, keep_going=self.keep_going)
        left_out = {name for name, position in self.positions.items() if isinstance(position, Skipped)}
        behind = {other for name in left_out for other in self.dependencies.dependents(name)} - left_out
        blocked = given.blocked | (behind - self.failed.keys())
        return GivenUp(blocked, given.unreached - blocked)

    @property
    def startable(self) -> tuple[str, ...]:
        """The work orders that may start now, in the plan's order."""
        passed = [name for name, position in self.positions.items() if isinstance(position, (Passed, Landed))]
        given = self.given_up
        waiting = [
            order_id
            for order_id, position in self.positions.items()
            if isinstance(position, Waiting) and order_id not in given
        ]
        return startable(self.dependencies, waiting, passed)

    @cached_property
    def _turns(self) -> tuple[str, ...]:
        """The work orders that are not settled yet, in the order in which they land."""
        given = self.given_up
        settled = {
            order_id
            for order_id, position in self.positions.items()
            if isinstance(position, (Landed, Failed, Skipped)) or order_id in given
        }
        return tuple(turns(self.dependencies, settled))

    @property
    def turn(self) -> str | None:
        """The work order whose turn it is to land, whether or not it has passed; None if all are settled."""
        return next(iter(self._turns), None)

    @cached_property
    def line(self) -> tuple[tuple[str, Passed], ...]:
        """The work orders that can land one after the other: the first has its turn, and all have passed."""
        line = []
        for order_id in self._turns:
            position = self.positions[order_id]
            if not isinstance(position, Passed):
                break
            line.append((order_id, position))
        return tuple(line)

    @property
    def waiting_to_land(self) -> Mapping[str, str]:
        """Those that have passed and wait, and whose turn it is; nobody's where only a worker is missing."""
        turn = self.turn
        return {
            order_id: turn if turn is not None and turn != order_id else ""
            for order_id, position in self.positions.items()
            if isinstance(position, Passed) and position.step not in (*EXAMINED, Step.LANDING)
        }

    @cached_property
    def tasks(self) -> int:
        """How many tasks are under way."""
        return sum(
            isinstance(position, (Attempting, Withdrawn))
            or (isinstance(position, Passed) and position.step in EXAMINED)
            for position in self.positions.values()
        )

    @property
    def free(self) -> int:
        """How many more tasks may be under way."""
        return max(0, self.jobs - self.tasks)

    @property
    def end(self) -> Halt | None:
        """Why the build ends: what stopped everything, or the first failure; None if all has landed."""
        return self.halt or next(iter(self.failed.values()), None)

    def with_position(self, order_id: str, position: Position) -> "Standing":
        """With a work order in another position."""
        return replace(self, positions={**self.positions, order_id: position})

    def with_phase(self, order_id: str, phase: OrderPhase) -> "Standing":
        """With another state on record."""
        return replace(self, phases={**self.phases, order_id: phase})

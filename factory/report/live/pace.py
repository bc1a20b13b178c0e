"""How long a build may still take: from how long its work orders took, in this pass and in earlier ones.

Pure. It reads the events of the build. Before one of its work orders has landed, what the ledger tells stands
in, and then what those of earlier builds took; where there is neither, nothing is said. The ledger tells how
long answers took to come, and not how long it took to check them. A work order with an answer there waits for
no model again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from statistics import mean
from typing import Final

from factory.builds.state.machine import UNDER_WAY, BuildPhase, OrderPhase
from factory.builds.state.model import BuildState
from factory.builds.state.order import OrderState
from factory.contract.strict_json import JsonObject, JsonValue

_ASKING: Final = (OrderPhase.GENERATING, OrderPhase.PATCHING)
_MOST: Final = 50
"""How many of the work orders that landed last count: an older one tells of another machine or model."""
_LEAST_ASKED: Final = 1.0
"""Where an earlier build waited for less, in seconds, no model was asked: the answer was there."""


@dataclass(frozen=True)
class Taken:
    """What a work order took, in seconds.

    Attributes:
        asking: waiting for answers.
        checking: everything after them, and waiting for its turn to land.
    """

    asking: float = 0.0
    checking: float = 0.0

    @property
    def total(self) -> float:
        """All of it."""
        return self.asking + self.checking

    def plus(self, seconds: float, phase: OrderPhase) -> "Taken":
        """With time in another state."""
        if phase in _ASKING:
            return Taken(self.asking + seconds, self.checking)
        return Taken(self.asking, self.checking + seconds)


@dataclass
class Pace:
    """What landed work orders took, and what those under way have taken so far.

    Attributes:
        answered: the contracts for which the ledger held an answer when this pass began, and how many seconds
            that took to come; None where that is not known.
        earlier: what work orders took that landed in earlier builds, the latest last.
    """

    answered: Mapping[str, float | None] = field(default_factory=dict)
    earlier: Sequence[Taken] = ()
    _landed: list[tuple[str, Taken]] = field(default_factory=list)
    _taken: dict[str, Taken] = field(default_factory=dict)
    _entered: dict[str, tuple[OrderPhase, float]] = field(default_factory=dict)
    _began: float | None = None
    _busy: float = 0.0

    def read(self, events: Iterable[JsonObject]) -> None:
        """Take events, as `events.jsonl` has them; what can't be read tells nothing."""
        for event in events:
            time = _seconds(event.get("time"))
            if time is None:
                continue
            if event.get("event") == "build" and event.get("after") == BuildPhase.RUNNING:
                # Another pass: what the one before left under way was cut off.
                self._taken, self._entered, self._began, self._busy = {}, {}, None, 0.0
            elif event.get("event") == "work_order":
                self._read_transition(str(event.get("work_order")), event.get("after"), time)

    @property
    def landed(self) -> tuple[Taken, ...]:
        """What work orders took that have landed, the latest last."""
        return tuple(taken for _, taken in self._landed[-_MOST:])

    def left(self, state: BuildState, now: str) -> float | None:
        """How many seconds the rest may take; None if nothing is known of that.

        Args:
            state: of the build.
            now: the time, as events have it.
        """
        time = _seconds(now)
        rest = [order for order in state.orders if order.state in (*UNDER_WAY, OrderPhase.PENDING)]
        # After a failure, how much is still tried is not the state's to say.
        if time is None or not rest or any(order.state is OrderPhase.FAILED for order in state.orders):
            return None
        contracts = {order.id: order.contract for order in state.orders}
        landed = self._landed[-_MOST:]
        checking = [taken.checking for _, taken in landed]
        # Files that a plan gives ask nobody, and tell nothing of how long a model takes.
        given = {order.id for order in state.orders if order.runs and not order.spent.output_tokens}
        asking = [
            taken.asking
            for name, taken in landed
            if contracts.get(name) not in self.answered and name not in given
        ]
        earlier = self.earlier[-_MOST:]
        checking = checking or [taken.checking for taken in earlier]
        asking = (
            asking
            or [seconds for seconds in self.answered.values() if seconds is not None]
            or [taken.asking for taken in earlier if taken.asking >= _LEAST_ASKED]
        )
        expected = [self._expected(order, asking, checking, time) for order in rest]
        known = [seconds for seconds in expected if seconds is not None]
        return sum(known) / self._at_once(time) if len(known) == len(expected) else None

    def _expected(
        self, order: OrderState, asking: list[float], checking: list[float], time: float
    ) -> float | None:
        """How long one may still take."""
        is_answered = order.contract in self.answered
        if not checking or not (asking or is_answered):
            return None
        whole = mean(checking) + (0.0 if is_answered else mean(asking))
        return max(0.0, whole - self._so_far(order.id, time).total)

    def _at_once(self, time: float) -> float:
        """How many work orders this pass was at, at the same time."""
        if self._began is None or time <= self._began:
            return 1.0
        under_way = sum(max(0.0, time - since) for _, since in self._entered.values())
        return max(1.0, (self._busy + under_way) / (time - self._began))

    def _so_far(self, order_id: str, time: float) -> Taken:
        taken = self._taken.get(order_id, Taken())
        if order_id not in self._entered:
            return taken
        phase, since = self._entered[order_id]
        return taken.plus(max(0.0, time - since), phase)

    def _read_transition(self, order_id: str, after: JsonValue, time: float) -> None:
        if order_id in self._entered:
            taken = self._so_far(order_id, time)
            self._busy += taken.total - self._taken.get(order_id, Taken()).total
            self._taken[order_id] = taken
            del self._entered[order_id]
        if after in _PHASES:
            self._entered[order_id] = (_PHASES[str(after)], time)
            self._began = time if self._began is None else self._began
        elif after == OrderPhase.LANDED and order_id in self._taken:
            self._landed.append((order_id, self._taken.pop(order_id)))
        else:
            self._taken.pop(order_id, None)


_PHASES: Final[Mapping[str, OrderPhase]] = {str(phase): phase for phase in UNDER_WAY}


def _seconds(time: JsonValue) -> float | None:
    try:
        return datetime.fromisoformat(str(time)).timestamp()
    except ValueError:
        return None

"""What stands on the terminal while a build goes on: a row for each work order, and a total. Pure.

How it is drawn is in `view`.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from factory.attempt.failure import FailureClass
from factory.builds.state.attempts import AttemptRecord, Spending, unpriced
from factory.builds.state.machine import UNDER_WAY, OrderPhase
from factory.builds.state.model import BuildState
from factory.builds.state.order import OrderState
from factory.gates.step import Step
from factory.llm.spending.budget import Limits
from factory.report.figures import dollars, elapsed, in_one_line, tokens, used
from factory.report.live.steps import render_step

STARTING: Final = "starting"
"""What a work order is called that no model was asked for yet, and for which something is done."""

_COUNTED: Final = (
    OrderPhase.LANDED,
    OrderPhase.FAILED,
    OrderPhase.BLOCKED,
    OrderPhase.SKIPPED,
    *UNDER_WAY,
    OrderPhase.PENDING,
)


@dataclass(frozen=True)
class Begun:
    """A step, and when it began, as the state has times."""

    step: Step
    since: str


@dataclass(frozen=True)
class Around:
    """What is known beside the state.

    Attributes:
        steps: what is done now, by work orders; what is done for the base that all start from under no name.
        left: how many seconds the build may still take; None if that is not known.
        limits: what may be spent.
        spent: what counts for the limits; None for what the build itself used.
        unpriced: how many of its answers have no known price.
    """

    steps: Mapping[str, Begun] = field(default_factory=dict)
    left: float | None = None
    limits: Limits = field(default_factory=Limits)
    spent: Spending | None = None
    unpriced: int = 0

    def with_steps(self, steps: Mapping[str, Begun]) -> "Around":
        """With other things that are done."""
        return replace(self, steps=steps)

    def with_time(self, left: float | None) -> "Around":
        """With what is known now of the time that is left."""
        return replace(self, left=left)

    def having_spent(self, attempts: Sequence[AttemptRecord]) -> "Around":
        """With what these attempts used."""
        return replace(self, spent=Spending.on(attempts), unpriced=unpriced(attempts))


@dataclass(frozen=True)
class Row:
    """One work order; every text is safe for a terminal and on one line, and may be empty.

    Attributes:
        order_id: its id.
        title: its title.
        phase: its state.
        state: what that is called here.
        attempt: which attempt it is.
        elapsed: how long it has been in that state.
        tokens: what it used.
        cost: what that cost.
        step: what is done for it now.
        step_elapsed: for how long.
    """

    order_id: str
    title: str
    phase: OrderPhase
    state: str
    attempt: str
    elapsed: str
    tokens: str
    cost: str
    step: str = ""
    step_elapsed: str = ""


@dataclass(frozen=True)
class Board:
    """What stands on the terminal.

    Attributes:
        rows: the work orders that are shown, in the plan's order.
        others: what the rest is doing, or what is done for the base; empty if there is nothing to say.
        total: the last line.
    """

    rows: tuple[Row, ...]
    others: str
    total: str


def board(state: BuildState, now: str, started: str, lines: int, around: Around | None = None) -> Board:
    """What to show.

    Args:
        state: of the build.
        now: the time, as the state has it.
        started: when this pass began.
        lines: how many lines there may be; with one or two there is the total at least.
        around: what is known beside the state.
    """
    around = around or Around()
    base = around.steps.get("") if lines > 1 else None
    room = lines - 1 - (base is not None)
    steps = {name: begun for name, begun in around.steps.items() if name}
    shown = state.orders
    if _height(shown, steps) > room:
        # One line for those that are not shown; where even one with its step does not fit, it goes without.
        steps = steps if room > 2 else {}
        shown = _chosen(state.orders, steps, room - 1)
    ids = {order.id for order in shown}
    others = [order for order in state.orders if order.id not in ids]
    below = f"and {len(others)} more: {_counts(others)}" if others and room > 0 else ""
    if base is not None:
        below = f"the base: {render_step(base.step)}  {elapsed(base.since, now)}"
    return Board(
        tuple(_row(order, now, steps.get(order.id)) for order in shown),
        below,
        _total(state, now, started, around),
    )


def time_left(seconds: float) -> str:
    """Such as `about 5 min left`, rounded up: more would be pretended."""
    minutes = math.ceil(seconds / 60)
    if minutes <= 1:
        return "about 1 min left" if seconds > 30 else "less than 1 min left"
    if minutes < 90:
        return f"about {minutes} min left"
    hours, minutes = divmod(10 * math.ceil(minutes / 10), 60)
    return f"about {hours} h {minutes} min left" if minutes else f"about {hours} h left"


def _total(state: BuildState, now: str, started: str, around: Around) -> str:
    unlanded = [order for order in state.orders if order.state is not OrderPhase.LANDED]
    ending = next((order.id for order in unlanded if _ends_the_build(order, started)), "")
    left = "" if around.left is None else time_left(around.left)
    parts = [
        f"{len(state.orders) - len(unlanded)} of {len(state.orders)} landed",
        elapsed(started, now),
        f"ending, {ending} can't go on" if ending else left,
        used(around.spent or state.spent, around.limits, around.unpriced),
        _counts(unlanded),
    ]
    return "  ".join(part for part in parts if part)


def _ends_the_build(order: OrderState, started: str) -> bool:
    """Whether it waits for the next build: what made it fail in this pass is not the model's work."""
    failure = order.last_failure
    waits = order.state is OrderPhase.PENDING and order.since >= started
    return waits and failure is not None and failure.failure_class is not FailureClass.MODEL_DEFECT


def _height(orders: Iterable[OrderState], steps: Mapping[str, Begun]) -> int:
    return sum(1 + (order.id in steps) for order in orders)


def _chosen(orders: tuple[OrderState, ...], steps: Mapping[str, Begun], room: int) -> tuple[OrderState, ...]:
    """Those for which something is done, then failures, then what landed last, then what is next."""
    # The times have one form and one zone, so their text sorts as they do.
    latest = sorted(orders, key=lambda order: order.since, reverse=True)
    wanted = [
        *(order for order in orders if order.state in UNDER_WAY or order.id in steps),
        *(order for order in latest if order.state is OrderPhase.FAILED),
        *(order for order in latest if order.state is OrderPhase.LANDED),
        *(order for order in orders if order.state is OrderPhase.PENDING),
        *(order for order in orders if order.state in (OrderPhase.BLOCKED, OrderPhase.SKIPPED)),
    ]
    first: set[str] = set()
    for order in wanted:
        room -= 0 if order.id in first else _height([order], steps)
        if room < 0:
            break
        first.add(order.id)
    return tuple(order for order in orders if order.id in first)


def _row(order: OrderState, now: str, begun: Begun | None) -> Row:
    is_starting = begun is not None and order.state is OrderPhase.PENDING
    return Row(
        in_one_line(order.id),
        in_one_line(order.title),
        order.state,
        STARTING if is_starting else order.state,
        f"attempt {order.attempt}" if order.attempt else "",
        elapsed(order.since, now) if order.state in UNDER_WAY else "",
        tokens(order.spent),
        dollars(order.spent),
        "" if begun is None else render_step(begun.step),
        "" if begun is None else elapsed(begun.since, now),
    )


def _counts(orders: Iterable[OrderState]) -> str:
    """Such as `3 landed, 1 testing, 8 pending`, the ends first."""
    count = Counter(order.state for order in orders)
    return ", ".join(f"{count[phase]} {phase}" for phase in _COUNTED if count[phase])

"""What stands on the terminal while a build goes on: a row for each work order, and a total. Pure.

How it is drawn is in `live`.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from factory.builds.state.machine import OrderPhase
from factory.builds.state.model import BuildState
from factory.builds.state.order import OrderState
from factory.report.figures import dollars, elapsed, in_one_line, tokens

_IN_PROGRESS: Final = (OrderPhase.GENERATING, OrderPhase.TESTING, OrderPhase.PATCHING)
_COUNTED: Final = (
    OrderPhase.LANDED,
    OrderPhase.FAILED,
    OrderPhase.BLOCKED,
    OrderPhase.SKIPPED,
    *_IN_PROGRESS,
    OrderPhase.PENDING,
)


@dataclass(frozen=True)
class Row:
    """One work order; every text is safe for a terminal and on one line, and may be empty."""

    order_id: str
    title: str
    phase: OrderPhase
    attempt: str
    elapsed: str
    tokens: str
    cost: str


@dataclass(frozen=True)
class Board:
    """What stands on the terminal.

    Attributes:
        rows: the work orders that are shown, in the plan's order.
        others: what the rest is doing; empty if all are shown.
        total: the last line.
    """

    rows: tuple[Row, ...]
    others: str
    total: str


def board(state: BuildState, now: str, started: str, lines: int) -> Board:
    """What to show.

    Args:
        state: of the build.
        now: the time, as the state has it.
        started: when this pass began.
        lines: how many lines there may be; with one or two there is the total at least.
    """
    room = lines - 1
    shown = state.orders if len(state.orders) <= room else _chosen(state.orders, room - 1)
    ids = {order.id for order in shown}
    others = [order for order in state.orders if order.id not in ids]
    unlanded = [order for order in state.orders if order.state is not OrderPhase.LANDED]
    total = [f"{len(state.orders) - len(unlanded)} of {len(state.orders)} landed", elapsed(started, now)]
    if tokens(state.spent):
        total.append(f"{tokens(state.spent)} tokens")
    total += [dollars(state.spent), _counts(unlanded)]
    return Board(
        tuple(_row(order, now) for order in shown),
        f"and {len(others)} more: {_counts(others)}" if others and room > 0 else "",
        "  ".join(part for part in total if part),
    )


def _chosen(orders: tuple[OrderState, ...], room: int) -> tuple[OrderState, ...]:
    """Those in progress, then failures, then what landed last, then what is next."""
    # The times have one form and one zone, so their text sorts as they do.
    latest = sorted(orders, key=lambda order: order.since, reverse=True)
    wanted = [
        *(order for order in orders if order.state in _IN_PROGRESS),
        *(order for order in latest if order.state is OrderPhase.FAILED),
        *(order for order in latest if order.state is OrderPhase.LANDED),
        *(order for order in orders if order.state is OrderPhase.PENDING),
        *(order for order in orders if order.state in (OrderPhase.BLOCKED, OrderPhase.SKIPPED)),
    ]
    first = {order.id for order in wanted[: max(0, room)]}
    return tuple(order for order in orders if order.id in first)


def _row(order: OrderState, now: str) -> Row:
    return Row(
        in_one_line(order.id),
        in_one_line(order.title),
        order.state,
        f"attempt {order.attempt}" if order.attempt else "",
        elapsed(order.since, now) if order.state in _IN_PROGRESS else "",
        tokens(order.spent),
        dollars(order.spent),
    )


def _counts(orders: Iterable[OrderState]) -> str:
    """Such as `3 landed, 1 testing, 8 pending`, the ends first."""
    count = Counter(order.state for order in orders)
    return ", ".join(f"{count[phase]} {phase}" for phase in _COUNTED if count[phase])

"""The plan's graph and the timeline as drawings: places and sizes alone, in whole pixels. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from factory.report.figures import duration
from factory.report.page.story import Order

BOX: Final = (120, 40)
_GAP: Final = (44, 14)
ROW: Final = 24
LABELS: Final = 70
_WIDTH: Final = 640
_LEAST_BAR: Final = 2


@dataclass(frozen=True)
class Box:
    """A work order in the graph: its place."""

    order: Order
    x: int
    y: int


@dataclass(frozen=True)
class Graph:
    """The graph.

    Attributes:
        boxes: the work orders.
        lines: from the right of one to the left of what depends on it; what follows from others is left out.
        width: of the whole.
        height: of the whole.
    """

    boxes: tuple[Box, ...]
    lines: tuple[tuple[int, int, int, int], ...]
    width: int
    height: int


@dataclass(frozen=True)
class Bar:
    """A run in the timeline: its row from 0, where it begins, how long it is, and what it is called."""

    order: Order
    row: int
    x: int
    width: int
    label: str


@dataclass(frozen=True)
class Timeline:
    """The timeline.

    Attributes:
        bars: the runs that have ended.
        rows: the work orders with a run, one a row.
        width: of the whole.
        height: of the whole.
        total: how long it was from the first start to the last end.
    """

    bars: tuple[Bar, ...]
    rows: tuple[Order, ...]
    width: int
    height: int
    total: str


def graph(orders: Sequence[Order]) -> Graph:
    """The work orders in columns, each right of all that it depends on."""
    ids = {order.id for order in orders}
    before: Mapping[str, tuple[str, ...]] = {
        order.id: tuple(
            name for name in (order.contract.depends_on or () if order.contract else ()) if name in ids
        )
        for order in orders
    }
    depth: dict[str, int] = {}
    above: dict[str, set[str]] = {}
    for order in orders:
        # A plan's order is one in which everything comes after what it depends on.
        above[order.id] = {*before[order.id]}.union(*(above.get(name, ()) for name in before[order.id]))
        depth[order.id] = 1 + max((depth.get(name, -1) for name in before[order.id]), default=-1)
    filled: dict[int, int] = {}
    boxes = []
    for order in orders:
        column = depth[order.id]
        row = filled.get(column, 0)
        filled[column] = row + 1
        boxes.append(Box(order, 1 + column * (BOX[0] + _GAP[0]), 1 + row * (BOX[1] + _GAP[1])))
    places = {box.order.id: box for box in boxes}
    lines = tuple(
        (
            places[name].x + BOX[0],
            places[name].y + BOX[1] // 2,
            places[order.id].x,
            places[order.id].y + BOX[1] // 2,
        )
        for order in orders
        for name in before[order.id]
        if not any(name in above[other] for other in before[order.id])
    )
    width = 2 + max((box.x for box in boxes), default=0) + BOX[0]
    return Graph(tuple(boxes), lines, width, 2 + max((box.y for box in boxes), default=0) + BOX[1])


def timeline(orders: Sequence[Order]) -> Timeline | None:
    """The runs in time; None if none has ended."""
    spans = [
        (order, begin, end)
        for order in orders
        for run in order.runs
        if (begin := _moment(run.record.started)) is not None
        and (end := _moment(run.summary.ended if run.summary else run.record.ended)) is not None
        and end >= begin
    ]
    if not spans:
        return None
    first, last = min(begin for _, begin, _ in spans), max(end for _, _, end in spans)
    whole = max(last - first, 0.001)
    rows = tuple(order for order in orders if any(order is named for named, _, _ in spans))
    bars = tuple(
        Bar(
            order=order,
            row=rows.index(order),
            x=LABELS + round((begin - first) / whole * _WIDTH),
            width=max(_LEAST_BAR, round((end - begin) / whole * _WIDTH)),
            label=duration(end - begin),
        )
        for order, begin, end in spans
    )
    return Timeline(bars, rows, LABELS + _WIDTH + 60, len(rows) * ROW, duration(whole))


def _moment(text: str | None) -> float | None:
    try:
        return None if text is None else datetime.fromisoformat(text).timestamp()
    except ValueError:
        return None

"""The plan's graph and the timeline as drawings: places and sizes alone, in whole pixels. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from factory.report.page.story import Order, Step
from factory.system.terminal.console import duration

BOX: Final = (168, 44)
_GAP: Final = (36, 14)
_TITLE: Final = 24
"""How many characters of a title find room in a box."""
ROW: Final = 22
LABELS: Final = 126
_WIDTH: Final = 640
_LEAST_BAR: Final = 2
_PAUSE: Final = 120.0
"""So many seconds without anything done are cut short."""
_BREAK: Final = 24


@dataclass(frozen=True)
class Box:
    """A work order in the graph: its place, and as much of its title as finds room."""

    order: Order
    title: str
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
    """A step in the timeline: its row from 0, where it begins, how long it is, and what it was."""

    row: int
    x: int
    width: int
    kind: str
    passed: bool
    label: str


@dataclass(frozen=True)
class Row:
    """An attempt in the timeline: its name, how it ended, and the steps with when they began and how long."""

    order: Order
    label: str
    passed: bool
    took: str
    steps: tuple[tuple[str, str, str, bool], ...]


@dataclass(frozen=True)
class Timeline:
    """The timeline.

    Attributes:
        bars: the steps.
        rows: the attempts, one a row.
        breaks: where time is left out, because nothing was done for long.
        width: of the whole.
        height: of the whole.
        total: how long it was from the first start to the last end, pauses left out.
    """

    bars: tuple[Bar, ...]
    rows: tuple[Row, ...]
    breaks: tuple[int, ...]
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
        title = order.title if len(order.title) <= _TITLE else f"{order.title[: _TITLE - 1]}…"
        boxes.append(Box(order, title, 1 + column * (BOX[0] + _GAP[0]), 1 + row * (BOX[1] + _GAP[1])))
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
    """The attempts in time; None if nothing is known of any."""
    listed = [(order, label, steps, well) for order in orders for label, steps, well in _attempts(order)]
    axis = _Axis(sorted((step.begin, step.end) for _, _, steps, _ in listed for step in steps))
    if not listed:
        return None
    bars, rows = [], []
    for number, (order, label, steps, well) in enumerate(listed):
        for step in steps:
            x = axis.x(step.begin)
            width = max(_LEAST_BAR, axis.x(step.end) - x)
            took = f"{step.label}: {_seconds(step.end - step.begin)}"
            bars.append(Bar(number, LABELS + x, width, step.kind, step.passed, took))
        told = tuple(
            (step.label, duration(axis.seconds(step.begin)), _seconds(step.end - step.begin), step.passed)
            for step in steps
        )
        rows.append(Row(order, label, well, duration(steps[-1].end - steps[0].begin), told))
    breaks = tuple(LABELS + x for x in axis.breaks)
    return Timeline(
        tuple(bars), tuple(rows), breaks, LABELS + _WIDTH + 60, len(rows) * ROW, duration(axis.whole)
    )


def _attempts(order: Order) -> Iterator[tuple[str, tuple[Step, ...], bool]]:
    for run in order.runs:
        timed = [attempt for attempt in run.attempts if attempt.steps]
        for attempt in timed:
            steps = (*run.before, *attempt.steps) if attempt is timed[0] else attempt.steps
            yield f"{order.id}, {attempt.title}", steps, attempt.failure is None
        if run.before and not timed:
            yield f"{order.id}, before the work", run.before, run.failure is None


class _Axis:
    """Time as places: a pause in which nothing was done is cut short.

    Args:
        spans: when something was done, by its beginning.
    """

    def __init__(self, spans: Sequence[tuple[float, float]]) -> None:
        busy: list[list[float]] = []
        for begin, end in spans:
            if busy and begin <= busy[-1][1] + _PAUSE:
                busy[-1][1] = max(busy[-1][1], end)
            else:
                busy.append([begin, end])
        self._busy = busy
        self.whole = sum(end - begin for begin, end in busy)
        self._room = _WIDTH - _BREAK * max(0, len(busy) - 1)
        self.breaks = [self.x(begin) - _BREAK // 2 for begin, _ in busy[1:]]

    def seconds(self, moment: float) -> float:
        """How long after the start, pauses left out."""
        return sum(min(end, moment) - begin for begin, end in self._busy if begin < moment)

    def x(self, moment: float) -> int:
        """The place of a moment in which something was done."""
        before = sum(begin <= moment for begin, _ in self._busy) - 1
        return round(self.seconds(moment) / max(self.whole, 0.001) * self._room) + _BREAK * before


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 60 else duration(seconds)

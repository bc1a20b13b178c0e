"""Draws a build on a terminal again and again while it goes on."""

import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Final, TextIO

from rich.cells import cell_len
from rich.console import Group, RenderableType
from rich.text import Text

from factory.builds.state.machine import OrderPhase
from factory.builds.state.model import BuildState
from factory.builds.state.unrecorded import Remembered
from factory.builds.watch import Doing
from factory.contract.strict_json import JsonObject
from factory.llm.spending.budget import Limits
from factory.report.live.board import Around, Begun, Board, Row, board
from factory.report.live.pace import Pace, Taken
from factory.report.transitions import lasting, render_event
from factory.system.clock import Clock
from factory.system.terminal.drawing import Drawing

_TITLE_FROM_WIDTH: Final = 72
_SPENDING_FROM_WIDTH: Final = 48
_GAP: Final = "  "
_INDENT: Final = "       "

_STYLES: Final = {
    OrderPhase.PENDING: "dim",
    OrderPhase.GENERATING: "cyan",
    OrderPhase.TESTING: "cyan",
    OrderPhase.PATCHING: "cyan",
    OrderPhase.LANDED: "green",
    OrderPhase.FAILED: "red",
    OrderPhase.BLOCKED: "yellow",
    OrderPhase.SKIPPED: "dim",
}


def render_board(shown: Board, width: int) -> RenderableType:
    """The board for a terminal with `width` columns. Texts are never markup."""
    below = [Text(line, no_wrap=True, overflow="ellipsis") for line in (shown.others, shown.total) if line]
    return Group(*_table(shown.rows, width), *below)


def _table(rows: tuple[Row, ...], width: int) -> Iterator[Text]:
    """The rows, in columns, and below each what is done for it now: a line that takes the whole width."""
    titled, with_spending = width >= _TITLE_FROM_WIDTH, width >= _SPENDING_FROM_WIDTH
    right = [[row.elapsed, row.tokens, row.cost][: 3 if with_spending else 1] for row in rows]
    left = [[row.order_id, row.state, row.attempt] for row in rows]
    left_widths, right_widths = _widths(left), _widths(right)
    taken = sum(left_widths) + sum(right_widths) + len(_GAP) * (len(left_widths) + len(right_widths))
    title_width = min(max((cell_len(row.title) for row in rows), default=0), max(0, width - taken))
    for row, before, after in zip(rows, left, right, strict=True):
        line = Text(no_wrap=True, overflow="ellipsis")
        line.append_text(_cell(before[0], left_widths[0])).append(_GAP)
        if titled:
            line.append_text(_cell(row.title, title_width)).append(_GAP)
        line.append_text(_cell(before[1], left_widths[1], _STYLES[row.phase])).append(_GAP)
        line.append_text(_cell(before[2], left_widths[2]))
        for text, columns in zip(after, right_widths, strict=True):
            line.append(_GAP).append(" " * (columns - cell_len(text)) + text)
        line.rstrip()
        yield line
        if row.step:
            yield _step(row, width)


def _step(row: Row, width: int) -> Text:
    """What is done now; a long command is cut, and how long it takes is not."""
    time = f"{_GAP}{row.step_elapsed}" if row.step_elapsed else ""
    room = max(1, width - len(_INDENT) - len(time))
    text = Text(row.step, style="dim")
    text.truncate(room, overflow="ellipsis")
    return Text(_INDENT, no_wrap=True, overflow="ellipsis").append_text(text).append(time)


def _cell(text: str, columns: int, style: str = "") -> Text:
    cell = Text(text, style=style)
    cell.truncate(columns, overflow="ellipsis")
    # Blanks have no colour.
    return Text().append_text(cell).append(" " * (columns - cell.cell_len))


def _widths(cells: list[list[str]]) -> list[int]:
    return [max(map(cell_len, column), default=0) for column in zip(*cells, strict=True)]


@dataclass(frozen=True)
class Known:
    """What is known when a build begins.

    Attributes:
        limits: what may be spent.
        remembered: what the ledger held.
        events: of earlier passes.
        earlier: what work orders of earlier builds took.
    """

    limits: Limits = field(default_factory=Limits)
    remembered: Remembered = field(default_factory=Remembered)
    events: Iterable[JsonObject] = ()
    earlier: Sequence[Taken] = ()


class LiveView:
    """A build on a terminal, while the block goes on.

    Told by one thread and drawn by another: what is told is put in the place of what was there, or is locked.

    Args:
        terminal: where to draw.
        clock: the time, for what is shown as elapsed.
        known: what is known when it begins.
    """

    def __init__(self, terminal: TextIO, clock: Clock, known: Known | None = None) -> None:
        self._clock = clock
        self._known = known or Known()
        self._pace = Pace(self._known.remembered.contracts, self._known.earlier)
        self._pace.read(self._known.events)
        self._lock = threading.Lock()
        self._state: BuildState | None = None
        self._around = Around(limits=self._known.limits)
        self._started = clock.now()
        self._drawing = Drawing(terminal, self._render)

    def __enter__(self) -> "LiveView":
        self._drawing.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._drawing.__exit__(kind, error, trace)

    def progress(self, text: str) -> None:
        """A line that stays, above what is drawn."""
        self._drawing.print(text)

    def event(self, state: BuildState, event: JsonObject) -> None:
        """Another state; of events, only what must not scroll away gets a line."""
        with self._lock:
            self._pace.read([event])
        if event.get("event") == "work_order":
            self._without(str(event.get("work_order")))
        self._count(state)
        self._state = state
        if lasting(event):
            for line in render_event(state, event):
                self.progress(line)

    def doing(self, doing: Doing) -> None:
        """What is done now."""
        if doing.step is None:
            self._without(doing.order_id)
        else:
            begun = Begun(doing.step, self._clock.now())
            self._around = self._around.with_steps({**self._around.steps, doing.order_id: begun})

    def _without(self, order_id: str) -> None:
        steps = {name: begun for name, begun in self._around.steps.items() if name != order_id}
        self._around = self._around.with_steps(steps)

    def _count(self, state: BuildState) -> None:
        """What was spent, as the state has it after an event."""
        limits = self._known.limits
        is_limited = limits.usd is not None or limits.tokens is not None
        attempts = self._known.remembered.with_those_of(state) if is_limited else state.attempts
        self._around = self._around.having_spent(attempts)

    def _render(self, width: int, lines: int) -> RenderableType:
        state = self._state
        if state is None:
            return Text("")
        now = self._clock.now()
        with self._lock:
            left = self._pace.left(state, now)
        around = self._around.with_time(left)
        return render_board(board(state, now, self._started, lines, around), width)

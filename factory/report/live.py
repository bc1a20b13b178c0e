"""Draws a build on a terminal again and again while it goes on. The one module that knows rich."""

from contextlib import suppress
from types import TracebackType
from typing import Final, TextIO

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from factory.builds.state.machine import OrderPhase
from factory.builds.state.model import BuildState
from factory.contract.strict_json import JsonObject
from factory.report.board import Board, board
from factory.report.transitions import lasting, render_event
from factory.system.clock import Clock
from factory.system.process.signals import shielded
from factory.system.terminal.console import visible

_REFRESHES_PER_SECOND: Final = 4

_TITLE_FROM_WIDTH: Final = 72
_SPENDING_FROM_WIDTH: Final = 48

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
    titled, with_spending = width >= _TITLE_FROM_WIDTH, width >= _SPENDING_FROM_WIDTH
    table = Table.grid(padding=(0, 2, 0, 0), expand=titled)
    table.add_column(no_wrap=True)
    if titled:
        table.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
    table.add_column(no_wrap=True)
    for _ in range(4 if with_spending else 2):
        table.add_column(no_wrap=True, justify="right")
    for row in shown.rows:
        cells = [Text(row.order_id)]
        if titled:
            cells.append(Text(row.title))
        cells += [Text(row.phase, style=_STYLES[row.phase]), Text(row.attempt), Text(row.elapsed)]
        if with_spending:
            cells += [Text(row.tokens), Text(row.cost)]
        table.add_row(*cells)
    below = [Text(line, no_wrap=True, overflow="ellipsis") for line in (shown.others, shown.total) if line]
    return Group(*([table] if shown.rows else []), *below)


class LiveView:
    """A build on a terminal, while the block goes on.

    Args:
        terminal: where to draw.
        clock: the time, for what is shown as elapsed.
    """

    def __init__(self, terminal: TextIO, clock: Clock) -> None:
        self._clock = clock
        self._state: BuildState | None = None
        self._started = clock.now()
        # Forced: that it is a terminal is decided already.
        self._console = Console(
            file=terminal,
            force_terminal=True,
            force_interactive=True,
            markup=False,
            emoji=False,
            highlight=False,
        )
        self._live = Live(
            console=self._console,
            refresh_per_second=_REFRESHES_PER_SECOND,
            redirect_stdout=False,
            redirect_stderr=False,
            vertical_overflow="crop",
            get_renderable=self._render,
        )

    def __enter__(self) -> "LiveView":
        with shielded():
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # A terminal that is gone can't be restored.
        with shielded(), suppress(OSError):
            self._live.stop()

    def progress(self, text: str) -> None:
        """A line that stays, above what is drawn."""
        with shielded():
            self._console.print(Text(visible(text)), soft_wrap=True)

    def event(self, state: BuildState, event: JsonObject) -> None:
        """Another state; of events, only what must not scroll away gets a line."""
        self._state = state
        if lasting(event):
            for line in render_event(state, event):
                self.progress(line)

    def _render(self) -> RenderableType:
        state = self._state
        if state is None:
            return Text("")
        width, height = self._console.size
        # The last line stays free, so that nothing scrolls.
        return render_board(board(state, self._clock.now(), self._started, height - 1), width)

"""Draws on a terminal again and again while something goes on. Slow to import: only where it is shown."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Final, TextIO

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from factory.system.process.signals import shielded
from factory.system.terminal.console import visible

_REFRESHES_PER_SECOND: Final = 4


class Drawing:
    """What is drawn on a terminal, while the block goes on; what is printed meanwhile stays above it.

    Args:
        terminal: where to draw.
        render: what stands there now, given the columns and lines that there are; called in another thread.
        stays: whether it is still there when the block has ended.
    """

    def __init__(
        self, terminal: TextIO, render: Callable[[int, int], RenderableType], *, stays: bool = True
    ) -> None:
        # Forced: that it is a terminal is decided already.
        self._console = Console(
            file=terminal,
            force_terminal=True,
            force_interactive=True,
            markup=False,
            emoji=False,
            highlight=False,
        )

        def drawn() -> RenderableType:
            width, height = self._console.size
            # The last line stays free, so that nothing scrolls.
            return render(width, height - 1)

        self._live = Live(
            console=self._console,
            refresh_per_second=_REFRESHES_PER_SECOND,
            redirect_stdout=False,
            redirect_stderr=False,
            vertical_overflow="crop",
            transient=not stays,
            get_renderable=drawn,
        )

    def __enter__(self) -> "Drawing":
        with shielded():
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # A terminal that is gone can't be restored.
        with shielded(), suppress(OSError):
            self._live.stop()

    def print(self, text: str) -> None:
        """A line that stays, above what is drawn."""
        with shielded():
            self._console.print(Text(visible(text)), soft_wrap=True)


def in_lines(texts: Sequence[str]) -> RenderableType:
    """Texts, each in a line of its own that is cut where the terminal ends; they are never markup."""
    return Group(*(Text(visible(text), no_wrap=True, overflow="ellipsis") for text in texts))

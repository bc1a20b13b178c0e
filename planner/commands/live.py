"""What a person sees while a plan is asked for: on a terminal lines that change, in a log lines that stay."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TextIO, assert_never

from factory.llm.port import Heard, unheard
from factory.system.clock import Clock
from factory.system.process.signals import interruptible
from factory.system.terminal.console import SHOW_CURSOR, Console
from planner.compile.watch import Answered, Asked, Happening, Judged, Watch, nobody
from planner.report.asking import Asking, render_asking


@dataclass(frozen=True)
class Face:
    """One way to show it.

    Attributes:
        progress: gets lines that stay.
        watch: told what happens.
        heard: told how many characters of an answer have come, each time some do.
        detail: gets lines that tell what is drawn anyway; None where nothing is.
    """

    progress: Callable[[str], None]
    watch: Watch = nobody
    heard: Heard = unheard
    detail: Callable[[str], None] | None = None


class Ear:
    """Who is told of what comes of an answer: the model is there before it is decided how it is shown.

    Attributes:
        by: who is told in the end.
    """

    def __init__(self) -> None:
        self.by: Heard = unheard

    def __call__(self, characters: int) -> None:
        self.by(characters)


class Watched:
    """A compile as it is shown.

    Told by one thread; each time the value is replaced, because another one draws it.

    Args:
        asking: where it stands at the beginning.
        clock: the time.
    """

    def __init__(self, asking: Asking, clock: Clock) -> None:
        self._asking = asking
        self._clock = clock

    def tell(self, happening: Happening) -> None:
        """Something has happened."""
        asking = self._asking
        match happening:
            case Asked(attempt):
                now = self._clock.monotonic()
                self._asking = replace(asking, attempt=attempt, asked=now, heard=0)
            case Answered(usage, True):
                self._asking = replace(asking, asked=None, heard=0, stored=(*asking.stored, usage))
            case Answered(usage, _):
                self._asking = replace(asking, asked=None, heard=0, new=(*asking.new, usage))
            case Judged(attempt, diagnostics, is_json):
                self._asking = replace(asking, judged=(attempt, diagnostics), is_json=is_json)
            case _ as never:
                assert_never(never)

    def hear(self, characters: int) -> None:
        """So much more of an answer has come."""
        self._asking = replace(self._asking, heard=self._asking.heard + characters)

    def lines(self, count: int) -> list[str]:
        """What stands there now, in so many lines at most."""
        return render_asking(self._asking, self._clock.monotonic(), count)


@contextmanager
def shown(
    console: Console, terminal: TextIO | None, asking: Callable[[], Asking], clock: Clock
) -> Iterator[Face]:
    """How a compile is shown, within the block.

    Args:
        console: standard output and standard error.
        terminal: where lines can be drawn again and again, if there is such a place.
        asking: where it stands at the beginning; asked for only where it is shown.
        clock: the time.
    """
    if terminal is None:
        yield Face(console.progress)
        return
    # Only here: it takes a tenth of a second, and a log needs none of it.
    from factory.system.terminal.drawing import Drawing, in_lines

    watched = Watched(asking(), clock)
    drawing = Drawing(terminal, lambda _width, lines: in_lines(watched.lines(lines)), stays=False)
    with interruptible(lambda: f"{SHOW_CURSOR}\n"), drawing:
        yield Face(drawing.print, watched.tell, watched.hear, lambda _text: None)

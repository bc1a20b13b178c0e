"""What a person sees: lines on standard output and standard error, with hostile text made harmless."""

import os
import sys
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final, TextIO

SHOW_CURSOR: Final = "\x1b[?25h"
"""What a terminal needs on which something was drawn again and again, if that ends at once."""

_KEPT: Final = frozenset("\n\t")
_LISTED: Final = 5


def visible(text: str) -> str:
    """`text` with every control, invisible-format and surrogate character escaped.

    Text from a model, a repository or a command could otherwise move the cursor, hide lines or change the
    terminal's title. Newlines and tabs stay.
    """
    if text.isascii() and text.isprintable():
        return text
    return text.translate(_VISIBLE)


def one_line(text: str) -> str:
    """`text` with every control character escaped, line breaks and tabs included."""
    return visible(text).replace("\n", "\\n").replace("\t", "\\t")


def duration(seconds: float) -> str:
    """`0:07`, `12:34` or `1:02:03`; never negative, because two clocks may disagree."""
    minutes, rest = divmod(max(0, int(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def listed(names: Sequence[str]) -> str:
    """The first of the names, made fit for a line of text."""
    shown = [visible(name.strip()).replace("\n", "\\n") for name in names[:_LISTED]]
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return ", ".join(shown) + more


class _Visible(dict[int, str]):
    """What stands in a character's place, looked up once for each that there is."""

    def __missing__(self, point: int) -> str:
        character = chr(point)
        hidden = unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
        self[point] = ascii(character)[1:-1] if hidden and character not in _KEPT else character
        return self[point]


_VISIBLE: Final = _Visible()


class Console:
    """Standard output for results, standard error for progress and errors.

    Attributes:
        naming: names the commands of what happens and what went wrong as who reads has called them.
    """

    def __init__(self, out: TextIO | None = None, err: TextIO | None = None) -> None:
        self._out = out if out is not None else sys.stdout
        self._err = err if err is not None else sys.stderr
        self.naming: Callable[[str], str] = str

    def result(self, text: str) -> None:
        """Print a result."""
        self._write(self._out, text)

    def paged(self, text: str) -> None:
        """Print a long result; on a terminal through the user's pager, as `PAGER` says."""
        if not self._out.isatty() or not sys.stdin.isatty():
            self._write(self._out, text)
            return
        # Slow to import, and only for a person who waits for it.
        import pydoc

        pydoc.pager(visible(text) + "\n")

    def progress(self, text: str) -> None:
        """Print what is happening."""
        self._write(self._err, self.naming(text))

    def error(self, text: str) -> None:
        """Print what went wrong."""
        self._write(self._err, f"error: {self.naming(text)}")

    def bell(self) -> None:
        """Ring the bell of the terminal, if there is one."""
        if self._err.isatty():
            self._err.write("\a")
            self._err.flush()

    def animated(self, environment: Mapping[str, str]) -> TextIO | None:
        """Standard error, if what stands on it can be drawn anew; None in a log, or on a simple terminal.

        Args:
            environment: the variables of this process.
        """
        if environment.get("TERM", "dumb") in ("", "dumb", "unknown") or not self._err.isatty():
            return None
        encoding = (self._err.encoding or "").lower().replace("-", "")
        return self._err if encoding == "utf8" else None

    @staticmethod
    def _write(stream: TextIO, text: str) -> None:
        line = visible(text)
        encoding = getattr(stream, "encoding", None) or "utf-8"
        # A terminal that can't show a character shows its escape instead of ending the program.
        try:
            stream.write(line.encode(encoding, "backslashreplace").decode(encoding) + "\n")
            stream.flush()
        except OSError:
            # What the stream still holds would fail again when Python ends, and change the exit code.
            _discard(stream)
            raise


def _discard(stream: TextIO) -> None:
    with suppress(OSError), open(os.devnull, "wb") as nothing:
        os.dup2(nothing.fileno(), stream.fileno())

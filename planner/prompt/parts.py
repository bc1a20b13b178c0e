"""What a prompt says beside the specification, as values: its parts, their pieces, what became of them."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class Part(StrEnum):
    """The parts of what is known, in the order of their importance."""

    FILES = "files"
    AGENTS = "AGENTS.md"
    README = "README"
    NOTES = "notes"
    CONFIGURATION = "configuration"
    SOURCE = "source"
    OUTLINE = "outline"
    TESTS = "tests"


@dataclass(frozen=True)
class Piece:
    """What is shown as a whole or not at all.

    Attributes:
        text: the text; empty if there is nothing to show, or nothing that may stand outside a quotation.
        without: what of the file was cut off, for the user; empty if nothing was.
        problem: why the file can't be shown; empty if it can.
    """

    text: str
    without: str = ""
    problem: str = ""


@dataclass(frozen=True)
class Unit:
    """A piece that is not read yet.

    Attributes:
        name: its path.
        open: reads it.
        short: reads it without details; None if it has no shorter form.
    """

    name: str
    open: Callable[[], Piece]
    short: Callable[[], Piece] | None = None


@dataclass(frozen=True)
class Shown:
    """What became of one part. Names are paths.

    Attributes:
        part: which.
        text: what the prompt says of it; empty if nothing is shown.
        tokens: the tokens that it takes in the prompt.
        names: what is shown, sorted.
        shortened: what of it is shown without details.
        cut: what is missing at the end of what is shown.
        left_out: what there was no room for, the most important first.
        unreadable: what can't be shown, each with the reason.
    """

    part: Part
    text: str
    tokens: int
    names: tuple[str, ...]
    shortened: tuple[str, ...]
    cut: tuple[str, ...]
    left_out: tuple[str, ...]
    unreadable: tuple[tuple[str, str], ...]

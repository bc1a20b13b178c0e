"""The requirements that a specification numbers, with their words, and passages by their lines."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from factory.specification.labels import labelled, without_label
from factory.specification.units import Outline
from planner.specification.blocks import is_silent_title
from planner.specification.lines import SpecLines

_TEXT_CHARS: Final = 200


@dataclass(frozen=True)
class Numbered:
    """A requirement that the specification numbers.

    Attributes:
        id: its id.
        text: what is asked for, in the specification's words, shortened.
        quotes: all that is said under the id, piece by piece.
    """

    id: str
    text: str
    quotes: tuple[str, ...]


def numbered(lines: SpecLines, outline: Outline) -> tuple[Numbered, ...]:
    """The requirements that a text numbers, but for those in sections that ask for nothing."""
    found = []
    for entry in labelled(outline):
        headings = [*outline.headings(entry.place), entry.place]
        if any(is_silent_title(outline.text(heading).strip(" #")) for heading in headings):
            continue
        quotes = tuple(_quotes(lines, outline, entry.place, entry.pieces))
        if quotes:
            title = (
                outline.text(entry.place).strip(" #").replace(entry.id, "").strip(" :.()[]-*_`\u2013\u2014")
            )
            is_title = outline.units[entry.place].kind == "heading"
            found.append(Numbered(entry.id, shortened(title if is_title and title else quotes[0]), quotes))
    return tuple(found)


def between(lines: SpecLines, outline: Outline, first: int, last: int) -> Iterator[str]:
    """What is said from one line to another, piece by piece; heads of tables and fences say nothing."""
    pieces = {piece: None for line in range(first, last + 1) if (piece := outline.at(line)) is not None}
    for piece in pieces:
        unit = outline.units[piece]
        begin, end = max(first, unit.first), min(last, unit.last)
        if unit.kind == "code":
            begin, end = max(begin, unit.first + 1), min(end, unit.last - 1)
        says = any(lines.words.of_line.get(line) for line in range(begin, end + 1))
        if says and (unit.kind not in ("head", "heading") or len(pieces) == 1):
            yield lines.between(begin, end).text


def shortened(text: str) -> str:
    """The beginning of a text, whole words."""
    return text if len(text) <= _TEXT_CHARS else f"{text[:_TEXT_CHARS].rpartition(' ')[0]} …"


def _quotes(lines: SpecLines, outline: Outline, place: int, pieces: tuple[int, ...]) -> Iterator[str]:
    for piece in pieces:
        unit = outline.units[piece]
        for text in between(lines, outline, unit.first, unit.last):
            said = text
            if piece == place:
                said = without_label(text).removesuffix("|").strip()
            # A quote must be found again.
            yield said if said and lines.places(said) else text

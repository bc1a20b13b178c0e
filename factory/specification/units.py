"""Divides a specification into the pieces that are shown whole: headings, paragraphs, items, rows, code.

By its lines, as Markdown or plain text mean them, and for every line: what asks for something is not decided
here. A piece knows the heading that it stands under, and what it hangs on: the item above a nested one, the
head of a table, the words that lead to a list.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

from factory.specification.quotations import LINE_BREAK

Kind = Literal["heading", "paragraph", "item", "head", "row", "code"]

_HEADING: Final = re.compile(r" {0,3}(#{1,6})(?:\s|$)")
_UNDERLINE: Final = re.compile(r" {0,3}(=+|-{2,})\s*")
_FENCE: Final = re.compile(r"\s*(`{3,}|~{3,})")
_ITEM: Final = re.compile(r"\s*(?:[-*+•]|[0-9]{1,9}[.)])\s+\S")
_LABELLED: Final = re.compile(r"\s*(?:\*\*)?\[?[A-Z][A-Z0-9]*-[0-9]+(?:[\]:)]+(?:\*\*)?:?|\*\*:?)\s+\S")
_CAPTION: Final = re.compile(r"\W{0,4}(?:Table|Figure|Listing)\s+\w")


@dataclass(frozen=True)
class Unit:
    """A piece of a specification.

    Attributes:
        kind: what it is; a `head` is that of a table, with the line below it.
        first: its first line, counted from 1.
        last: its last line.
        level: of a heading, from 1; else 0.
        section: the index of the heading that it stands under, of a heading that above it; None for none.
        parent: the index of what it hangs on; None for nothing.
    """

    kind: Kind
    first: int
    last: int
    level: int = 0
    section: int | None = None
    parent: int | None = None


@dataclass(frozen=True)
class Outline:
    """A specification as its pieces.

    Attributes:
        lines: its lines without their ends.
        units: its pieces, in order; what lies between two of them is blank.
    """

    lines: tuple[str, ...]
    units: tuple[Unit, ...]

    @classmethod
    def of(cls, text: str) -> "Outline":
        """The pieces of a text."""
        lines = tuple(LINE_BREAK.split(text))
        return cls(lines, tuple(_Reading(lines).units()))

    def text(self, index: int) -> str:
        """What stands in a piece, its lines as they are."""
        unit = self.units[index]
        return "\n".join(self.lines[unit.first - 1 : unit.last])

    def at(self, line: int) -> int | None:
        """The index of the piece that a line belongs to; None of a blank line."""
        return self._by_line.get(line)

    def above(self, index: int) -> Iterator[int]:
        """What a piece hangs on, the nearest first."""
        parent = self.units[index].parent
        while parent is not None:
            yield parent
            parent = self.units[parent].parent

    def headings(self, index: int) -> Iterator[int]:
        """The headings that a piece stands under, the nearest first."""
        section = self.units[index].section
        while section is not None:
            yield section
            section = self.units[section].section

    def below(self, index: int) -> tuple[int, ...]:
        """What hangs on a piece, directly or not, in order."""
        kept: list[int] = []
        waiting = [index]
        while waiting:
            children = self._children.get(waiting.pop(), [])
            kept += children
            waiting += children
        return tuple(sorted(kept))

    def introduces(self, index: int) -> bool:
        """Whether a piece leads to what hangs on it, as words that end with a colon do."""
        return self.text(index).rstrip().rstrip("*_`").endswith(":")

    def under(self, heading: int) -> range:
        """The pieces of a heading's section, those of lower headings included, without itself."""
        level = self.units[heading].level
        stop = heading + 1
        while stop < len(self.units) and not 0 < self.units[stop].level <= level:
            stop += 1
        return range(heading + 1, stop)

    @cached_property
    def _by_line(self) -> dict[int, int]:
        return {
            line: index for index, unit in enumerate(self.units) for line in range(unit.first, unit.last + 1)
        }

    @cached_property
    def _children(self) -> dict[int, list[int]]:
        children: dict[int, list[int]] = {}
        for index, unit in enumerate(self.units):
            if unit.parent is not None:
                children.setdefault(unit.parent, []).append(index)
        return children


class _Reading:
    """The lines of a specification, read once from the first to the last."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._units: list[Unit] = []
        self._open = False
        """Whether the next line may go on with the last unit."""
        self._headings: list[int] = []
        self._items: list[tuple[int, int]] = []
        """The items that a line may belong to: their columns and indices."""
        self._lead: int | None = None
        """The paragraph that leads to the list under way."""

    def units(self) -> list[Unit]:
        number = 1
        while number <= len(self._lines):
            number = self._read(number)
        return self._units

    def _read(self, number: int) -> int:
        """Read what begins at a line, and return the number of the line behind it."""
        line = self._lines[number - 1]
        if not line.strip():
            self._open = False
            return number + 1
        fence = _FENCE.match(line)
        if fence is not None:
            return self._code(number, fence[1])
        heading = _HEADING.match(line)
        if heading is not None:
            return self._heading(number, number, len(heading[1]))
        underline = _UNDERLINE.fullmatch(line)
        if underline is not None and self._open and self._units[-1].kind == "paragraph":
            title = self._units.pop()
            return self._heading(title.first, number, 1 if underline[1][0] == "=" else 2)
        if "|" in line and number < len(self._lines) and self._is_delimiter(self._lines[number]):
            return self._table(number)
        if _ITEM.match(line) or _LABELLED.match(line):
            return self._item(number)
        return self._text(number)

    def _is_delimiter(self, line: str) -> bool:
        return "|" in line and "-" in line and not line.strip(" \t|:-")

    def _code(self, number: int, fence: str) -> int:
        last = number + 1
        while last <= len(self._lines):
            closing = self._lines[last - 1].strip()
            if closing.startswith(fence) and not closing.strip(fence[0]):
                break
            last += 1
        last = min(last, len(self._lines))
        self._add("code", number, last, parent=self._holder(number))
        self._open = False
        return last + 1

    def _heading(self, first: int, last: int, level: int) -> int:
        while self._headings and self._units[self._headings[-1]].level >= level:
            self._headings.pop()
        self._add("heading", first, last, level=level)
        self._headings.append(len(self._units) - 1)
        self._items, self._lead, self._open = [], None, False
        return last + 1

    def _table(self, number: int) -> int:
        self._add("head", number, number + 1, parent=self._holder(number))
        head = len(self._units) - 1
        last = number + 2
        while last <= len(self._lines) and "|" in self._lines[last - 1]:
            self._add("row", last, last, parent=head)
            last += 1
        self._open = False
        return last

    def _item(self, number: int) -> int:
        indent = self._indent(number)
        if not self._items:
            self._lead = self._leading()
        while self._items and self._items[-1][0] >= indent:
            self._items.pop()
        parent = self._items[-1][1] if self._items else self._lead
        self._add("item", number, number, parent=parent)
        self._items.append((indent, len(self._units) - 1))
        self._open = True
        return number + 1

    def _text(self, number: int) -> int:
        if self._open:
            last = self._units[-1]
            self._units[-1] = Unit(last.kind, last.first, number, 0, last.section, last.parent)
            return number + 1
        around = self._item_around(number)
        if around is None:
            self._items, self._lead = [], None
        self._add("paragraph", number, number, parent=around)
        self._open = True
        return number + 1

    def _add(self, kind: Kind, first: int, last: int, *, level: int = 0, parent: int | None = None) -> None:
        section = self._headings[-1] if self._headings else None
        self._units.append(Unit(kind, first, last, level, section, parent))

    def _indent(self, number: int) -> int:
        line = self._lines[number - 1].expandtabs(4)
        return len(line) - len(line.lstrip())

    def _item_around(self, number: int) -> int | None:
        """The item that a line of text, code or a table belongs to by its indent."""
        indent = self._indent(number)
        while self._items and self._items[-1][0] >= indent:
            self._items.pop()
        return self._items[-1][1] if self._items else None

    def _holder(self, number: int) -> int | None:
        """What code or a table hangs on: the item around it, or the words that lead to it."""
        leading = self._leading()
        around = self._item_around(number)
        return leading if around is None else around

    def _leading(self) -> int | None:
        """The paragraph, item or caption before, if it leads to what comes now."""
        if not self._units or self._units[-1].kind not in ("paragraph", "item"):
            return None
        before = self._units[-1]
        text = "\n".join(self._lines[before.first - 1 : before.last])
        leads = text.rstrip().rstrip("*_`").endswith(":") or _CAPTION.match(text) is not None
        return len(self._units) - 1 if leads else None

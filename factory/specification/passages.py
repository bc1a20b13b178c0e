"""The passages of a specification that requirements quote, as an engineer is shown them.

Each quote stands for the pieces that hold it: whole items, paragraphs and rows, with what they hang on and
the headings above. What these pieces name and what is defined elsewhere follows, as far as there is room.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from factory.contract.limits import MAX_REFERENCES_BYTES, MAX_WHOLE_SPEC_BYTES
from factory.specification.definitions import Definition, What, definitions
from factory.specification.labels import ids_named, is_named
from factory.specification.quotations import Words
from factory.specification.units import Outline, Unit

GAP: Final = "[…]"
"""Stands where something of the specification is not shown."""

_LEFT_AS_IT_IS: Final = ("code", "head", "row")
"""Pieces of which nothing is put between the words."""

_Kind: TypeAlias = What | Literal["example"]

_Wanted: TypeAlias = tuple[_Kind, str, tuple[int, ...]]
"""What is referred to, its name, and the indices of its pieces."""

_DEPTH: Final = 2
"""How far definitions are followed that definitions name."""

_MOST_LOOKED_AT: Final = 20
"""How many examples, the nearest, may be what is pointed to."""

_POINTING: Final = re.compile(
    r"\b(?P<what>\w+)\s+(?P<way>above|below)\s*(?:[.,;:!?)]|$)|\bthe\s+(?P<before>above)\s+(?P<after>\w+)",
    re.IGNORECASE | re.MULTILINE,
)
"""Words that point to an example or a table; `above 100` and `below the limit` don't."""


def is_short(spec: str, most: int = MAX_WHOLE_SPEC_BYTES) -> bool:
    """Whether a specification is shown whole to everybody, having at most so many bytes."""
    return len(spec.encode("utf-8", "backslashreplace")) <= most


@dataclass(frozen=True)
class Reference:
    """Something that shown passages name and that is defined elsewhere in the specification.

    Attributes:
        what: what kind of thing.
        name: its name; of an example or a table that is pointed to, where: `above line 12`.
        lines: the lines that define it, first and last of each run.
        bytes: how many bytes they have.
    """

    what: _Kind
    name: str
    lines: tuple[tuple[int, int], ...]
    bytes: int


@dataclass(frozen=True)
class Passages:
    """What is shown of a specification.

    Attributes:
        quoted: the passages of the requirements, under their headings. Where the specification does not say
            which requirement it is, its id stands in brackets in front of the words that the plan quotes.
        referred: what they name that is defined elsewhere, likewise; empty if nothing.
        lines: for each requirement the lines that are shown for it.
        absent: the quotes that are not in the specification, by requirement.
        references: what `referred` holds.
        left_out: what they name and there was no room for.
        is_whole: whether `quoted` is all of the specification, the same for each work order of a plan.
    """

    quoted: str
    referred: str
    lines: Mapping[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    absent: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    references: tuple[Reference, ...] = ()
    left_out: tuple[Reference, ...] = ()
    is_whole: bool = False


@dataclass(frozen=True)
class Specification:
    """The text of a specification, as the quotes of a plan refer to it."""

    text: str

    @cached_property
    def outline(self) -> Outline:
        """Its pieces."""
        return Outline.of(self.text)

    @cached_property
    def words(self) -> Words:
        """Its words."""
        return Words(self.text)

    @cached_property
    def definitions(self) -> tuple[Definition, ...]:
        """What has a name in it."""
        return definitions(self.outline)

    def pieces(self, quote: str) -> frozenset[int]:
        """The indices of the pieces that hold a quote, at whichever of its places; empty if it has none.

        What several places have in common word for word stands for each of them.
        """
        lines = {self.words.all[index].line for place in self.words.places(quote) for index in place.words}
        return frozenset(piece for line in lines if (piece := self.outline.at(line)) is not None)

    def passages(
        self,
        quotes: Mapping[str, Sequence[str]],
        *,
        told: str = "",
        others: Mapping[str, Sequence[str]] = MappingProxyType({}),
        room: int = MAX_REFERENCES_BYTES,
        short: int = MAX_WHOLE_SPEC_BYTES,
    ) -> Passages:
        """What is shown to who carries out requirements: a short specification whole, else what they need.

        Args:
            quotes: the quotes of each requirement, by its id.
            told: what else is said of the work; the requirements, tables and sections that it names follow
                those that the passages name.
            others: the quotes of the plan's other requirements, by their ids.
            room: how many bytes what is referred to may take.
            short: how many bytes a specification may have that is shown whole.
        """
        pieces = {
            name: frozenset(piece for text in texts for piece in self.pieces(text))
            for name, texts in quotes.items()
        }
        is_whole = is_short(self.text, short) and any(pieces.values())
        if is_whole:
            shown, named = frozenset(range(len(self.outline.units))), others
        else:
            shown = self._whole(frozenset().union(*pieces.values()))
            named = {name: others[name] for name in ids_named(told, others)}
        references, left_out, referred = self._referred(shown, room, self._told(told, named))
        written = self._rendered(shown | referred)
        # In an order that does not depend on whose requirements these are.
        marks = self._marks(
            {
                name: texts
                for name, texts in sorted({**quotes, **named}.items())
                if not is_named(name, written)
            }
        )
        return Passages(
            quoted=self._rendered(shown, marks),
            referred=self._rendered(referred, marks),
            lines={name: self._lines(found) for name, found in pieces.items()},
            absent={
                name: missing
                for name, texts in quotes.items()
                if (missing := tuple(text for text in texts if not self.words.places(text)))
            },
            references=references,
            left_out=left_out,
            is_whole=is_whole,
        )

    def _marks(self, quotes: Mapping[str, Sequence[str]]) -> dict[int, dict[int, str]]:
        """By line and column, the ids of those requirements whose quotes begin there."""
        names: defaultdict[tuple[int, int], dict[str, None]] = defaultdict(dict)
        for name, texts in quotes.items():
            for place in (place for text in texts for place in self.words.places(text)):
                word = self.words.all[place.words[0]]
                names[word.line, word.column][name] = None
        marks: defaultdict[int, dict[int, str]] = defaultdict(dict)
        for (line, column), ids in names.items():
            marks[line][column] = ", ".join(ids)
        return marks

    def lines_of(self, quotes: Mapping[str, Sequence[str]]) -> frozenset[int]:
        """The numbers of the lines that `passages` shows, those of headings and what is referred to included.

        Args:
            quotes: see `passages`.
        """
        return self._lines_with_references(
            piece for texts in quotes.values() for text in texts for piece in self.pieces(text)
        )

    def lines_around(self, lines: Iterable[int]) -> frozenset[int]:
        """Likewise of the pieces to which lines belong."""
        return self._lines_with_references(
            piece for line in lines if (piece := self.outline.at(line)) is not None
        )

    def _lines_with_references(self, pieces: Iterable[int]) -> frozenset[int]:
        shown = self._whole(pieces)
        _, _, referred = self._referred(shown, MAX_REFERENCES_BYTES)
        shown |= referred
        shown |= {heading for piece in shown for heading in self.outline.headings(piece)}
        units = self.outline.units
        return frozenset(line for piece in shown for line in range(units[piece].first, units[piece].last + 1))

    def _whole(self, pieces: Iterable[int]) -> frozenset[int]:
        """Pieces with what they hang on, and with what they lead to."""
        whole: set[int] = set()
        for piece in pieces:
            whole.add(piece)
            whole.update(self.outline.above(piece))
            for below in self.outline.below(piece):
                parent = self.outline.units[below].parent
                is_code = self.outline.units[below].kind == "code" and parent == piece
                if is_code or self.outline.introduces(piece):
                    whole.add(below)
        return frozenset(whole)

    def _told(self, text: str, others: Mapping[str, Sequence[str]]) -> list[_Wanted]:
        """What a text beside the passages names by an id, a number or a title."""
        places = {each.name: each.pieces for each in self.definitions if each.what == "requirement"}
        ids = ids_named(text, dict.fromkeys([*places, *others]))
        found: list[_Wanted] = [
            (
                "requirement",
                name,
                places.get(name) or tuple(sorted({*chain(*map(self.pieces, others[name]))})),
            )
            for name in ids
        ]
        folded = text.casefold()
        return found + [
            (each.what, each.name, each.pieces)
            for each in self.definitions
            if each.what in ("table", "section") and each.is_named_in(text, folded)
        ]

    def _referred(
        self, shown: frozenset[int], room: int, told: Iterable[_Wanted] = ()
    ) -> tuple[tuple[Reference, ...], tuple[Reference, ...], frozenset[int]]:
        """What is named and defined elsewhere: what there is room for, what there is none for, the pieces."""
        kept: list[Reference] = []
        left_out: list[Reference] = []
        referred: frozenset[int] = frozenset()
        asked: set[Definition] = set()
        reading = shown
        for _ in range(_DEPTH):
            text = "\n".join(self.outline.text(piece) for piece in sorted(reading))
            folded = text.casefold()
            named = [
                definition
                for definition in self.definitions
                if definition not in asked and definition.is_named_in(text, folded)
            ]
            asked.update(named)
            wanted = [
                *self._pointed(reading),
                *((each.what, each.name, each.pieces) for each in named),
                *told,
            ]
            told = ()
            reading = frozenset()
            for what, name, pieces in wanted:
                new = self._whole(pieces) - shown - referred
                if not new:
                    continue
                size = sum(len(self.outline.text(piece).encode("utf-8")) + 1 for piece in new)
                reference = Reference(what, name, self._lines(new), size)
                if size > room:
                    left_out.append(reference)
                    continue
                room -= size
                kept.append(reference)
                referred |= new
                reading |= new
        return tuple(kept), tuple(left_out), referred

    def _pointed(self, pieces: frozenset[int]) -> Iterator[_Wanted]:
        """The examples and tables that pieces point to as above or below.

        Of several the nearest that belongs to what is named (`the journal above`), else the nearest of all.
        """
        outline = self.outline
        for piece in sorted(pieces):
            if outline.units[piece].kind == "code":
                continue
            for match in _POINTING.finditer(outline.text(piece)):
                way, what = (match["way"] or match["before"]).lower(), match["what"] or match["after"]
                places = self._examples[:: -1 if way == "above" else 1]
                places = [place for place in places if (place < piece) is (way == "above") and place != piece]
                del places[_MOST_LOOKED_AT:]
                named = (place for place in places if self._is_of(place, what.casefold().removesuffix("s")))
                place = next(named, next(iter(places), None))
                if place is not None:
                    yield "example", f"{way} line {outline.units[piece].last}", (place, *outline.below(place))

    @cached_property
    def _examples(self) -> list[int]:
        """The pieces that are code, or the head of a table."""
        return [index for index, unit in enumerate(self.outline.units) if unit.kind in ("code", "head")]

    def _is_of(self, example: int, what: str) -> bool:
        """Whether an example, what leads to it or a heading above names a thing."""
        around = (example, *self.outline.above(example), *self.outline.headings(example))
        return any(what in self.outline.text(piece).casefold() for piece in around)

    def _rendered(
        self, pieces: frozenset[int], marks: Mapping[int, Mapping[int, str]] = MappingProxyType({})
    ) -> str:
        """Pieces under their headings, in the specification's order; a gap where some are left out."""
        if not pieces:
            return ""
        outline = self.outline
        headings = {heading for piece in pieces for heading in outline.headings(piece)}
        chosen = sorted(pieces | headings)
        lines: list[str] = []
        for before, piece in zip([None, *chosen], chosen, strict=False):
            unit = outline.units[piece]
            if before is not None:
                last = outline.units[before].last
                if before + 1 != piece:
                    lines += ["", GAP, ""]
                elif unit.first > last + 1:
                    lines.append("")
            lines += self._marked(unit, marks)
        return "\n".join(lines) + "\n"

    def _marked(self, unit: Unit, marks: Mapping[int, Mapping[int, str]]) -> list[str]:
        """The lines of a piece with the marks in front of words; of code and tables in front of all of it."""
        lines = [*self.outline.lines[unit.first - 1 : unit.last]]
        here = {line: marks[line] for line in range(unit.first, unit.last + 1) if line in marks}
        if unit.kind in _LEFT_AS_IT_IS:
            ids = dict.fromkeys(ids for columns in here.values() for ids in columns.values())
            return [*(f"[{name}]" for name in ids), *lines]
        for line, columns in here.items():
            for column in sorted(columns, reverse=True):
                text = lines[line - unit.first]
                lines[line - unit.first] = f"{text[:column]}[{columns[column]}] {text[column:]}"
        return lines

    def _lines(self, pieces: Iterable[int]) -> tuple[tuple[int, int], ...]:
        """The lines of pieces, those that follow each other as one run."""
        runs: list[tuple[int, int]] = []
        for piece in sorted(pieces):
            unit = self.outline.units[piece]
            if runs and runs[-1][1] + 1 >= unit.first:
                runs[-1] = (runs[-1][0], unit.last)
            else:
                runs.append((unit.first, unit.last))
        return tuple(runs)

"""The requirements that a specification numbers itself: `REQ-07` in a title, an item or the row of a table.

What begins with a word like that need not be a requirement (`UTF-8`, `E101`), so a kind of label counts only
if its letters are those that people number requirements with, or if there are several of it, counted from the
beginning.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from factory.specification.units import Outline

_ID: Final = r"[A-Z][A-Z0-9]{0,15}(?:-[A-Z0-9]{1,15}){0,3}"
_FORM: Final = re.compile(r"([A-Z][A-Z-]*?)-?([0-9]+)[A-Z]?")
"""The letters and the number of an id: `REQ-07`, `ENG-LEX-3`, `R12`."""

_ITEM: Final = re.compile(
    rf"\s*(?:(?:[-*+•]|[0-9]{{1,9}}[.)])\s+)?(?:\[[ xX]\]\s+)?[\[(`*_]{{0,4}}({_ID})(?![\w/])"
    r"([\])`*_:.,;\u2013\u2014-]{0,6})(?:\s|$)"
)
_TITLE: Final = re.compile(rf"(?<![\w/-])({_ID})(?![\w/-])")
_CELL: Final = re.compile(rf"\s*\|?\s*[\[(`*_]{{0,4}}({_ID})[\])`*_:.]{{0,6}}\s*\|")

_RANGE: Final = re.compile(
    rf"(?<![\w-])({_ID})(?:\s+(?:to|through|until)\s+|\s?(?:-|\u2013|\u2014|\u2026|\.\.\.?)\s?)({_ID})(?![\w-])"
)

_OF_REQUIREMENTS: Final = frozenset(
    {"AC", "F", "FR", "FUNC", "NF", "NFR", "R", "RQ", "REQ", "REQUIREMENT", "RULE", "SPEC", "UC", "US"}
)
_RANK: Final = {"heading": 0, "item": 1, "paragraph": 1, "row": 2}
_FEWEST: Final = 2


@dataclass(frozen=True)
class Labelled:
    """A requirement that the specification numbers.

    Attributes:
        id: the id.
        place: the index of the piece that begins with it, or whose title has it.
        pieces: the indices of the pieces that say what is asked for, in order; a title that says nothing else
            is none of them.
    """

    id: str
    place: int
    pieces: tuple[int, ...]


def labelled(outline: Outline) -> tuple[Labelled, ...]:
    """The requirements that a specification numbers, in its order.

    An id that stands at several places belongs to a title before an item, and to an item before a row.
    """
    places: dict[str, int] = {}
    for index, name in _labels(outline):
        known = places.get(name)
        if known is None or _rank(outline, index) < _rank(outline, known):
            places[name] = index
    series = _series(places)
    kept = {index: name for name, index in places.items() if name in series}
    return tuple(Labelled(name, index, _pieces(outline, index, kept)) for index, name in sorted(kept.items()))


def without_label(text: str) -> str:
    """The text of a piece without its id, and without the marker before that."""
    match = _CELL.match(text) or _ITEM.match(text)
    return text[match.end() :].strip() if match is not None else text.strip()


def is_named(name: str, text: str) -> bool:
    """Whether an id stands in a text as a word of its own."""
    return name in text and re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None


def ids_named(text: str, ids: Iterable[str]) -> tuple[str, ...]:
    """Those of some ids that a text names, also as one between two others (`R3 to R6`), in their order."""
    ranges = [
        (first[1], int(first[2][:9]), int(last[2][:9]))
        for match in _RANGE.finditer(text)
        if (first := _FORM.fullmatch(match[1]))
        and (last := _FORM.fullmatch(match[2]))
        and first[1] == last[1]
    ]
    return tuple(
        name
        for name in ids
        if is_named(name, text)
        or (
            (form := _FORM.fullmatch(name)) is not None
            and any(form[1] == letters and first < int(form[2][:9]) < last for letters, first, last in ranges)
        )
    )


def _labels(outline: Outline) -> Iterator[tuple[int, str]]:
    for index, unit in enumerate(outline.units):
        text = outline.lines[unit.first - 1]
        match unit.kind:
            case "heading":
                names = set(_TITLE.findall(text))
            case "row":
                names = set(_CELL.findall(text)[:1] if _CELL.match(text) else [])
            case "item" | "paragraph":
                match = _ITEM.match(text)
                is_label = match is not None and ("-" in match[1] or match[2] != "")
                names = {match[1]} if match is not None and is_label else set()
            case _:
                continue
        names = {name for name in names if _FORM.fullmatch(name)}
        # A title that names several is about them, and none of them.
        if len(names) == 1:
            yield index, names.pop()


def _rank(outline: Outline, index: int) -> int:
    return _RANK[outline.units[index].kind]


def _series(names: dict[str, int]) -> frozenset[str]:
    """The ids that number requirements."""
    groups: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for name in names:
        form = _FORM.fullmatch(name)
        assert form is not None
        groups[form[1].rstrip("-")][name] = int(form[2][:9])
    return frozenset(
        name
        for letters, members in groups.items()
        if letters.rpartition("-")[2] in _OF_REQUIREMENTS
        or letters.partition("-")[0] in _OF_REQUIREMENTS
        or (len(set(members.values())) >= _FEWEST and min(members.values()) <= 1)
        for name in members
    )


def _pieces(outline: Outline, place: int, labels: dict[int, str]) -> tuple[int, ...]:
    """What is said under a label: up to the next one."""
    unit = outline.units[place]
    if unit.kind == "heading":
        pieces: list[int] = []
        for index in outline.under(place):
            if index in labels:
                # Below a title only a title ends what another says; an item is one of its parts.
                if outline.units[index].kind == "heading":
                    break
                continue
            if outline.units[index].kind != "heading" and not any(
                above in labels for above in outline.above(index)
            ):
                pieces.append(index)
        return tuple(pieces) or (place,)
    hanging = [
        index
        for index in outline.below(place)
        if index not in labels
        and not any(above in labels and above != place for above in outline.above(index))
    ]
    return (place, *hanging)

"""What a specification defines under a name, and which of it a piece of text names.

By their form alone: titles of sections, captions (`Table 3: …`), ids of requirements, and terms, which a
glossary lists or a sentence explains (`**Slot**: …`, "A field is …").
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

from factory.specification.labels import labelled
from factory.specification.units import Outline

What = Literal["requirement", "table", "section", "term"]

_SIGNS: Final = "*_`\"'\u201c\u201d\u2018\u2019[]()"
_NUMBERED: Final = re.compile(r"(?:[Ss]ection |[Cc]hapter |§ ?)?([0-9]{1,3}(?:\.[0-9]{1,3}){0,4})\.?\s+(.*)")
_CAPTION: Final = re.compile(r"\W{0,4}((?:Table|Figure|Listing)\s+[0-9A-Z][0-9.]{0,6}?)[\s:.)*_]")
_APPENDIX: Final = re.compile(r"((?:Appendix|Annex)\s+[A-Z0-9]{1,3})\b")
_GLOSSARY: Final = re.compile(
    r"(?:[0-9.]+\s+)?(?:key |basic |main )?(?:terms?|terminology|definitions?|glossary|vocabulary|concepts?)"
    r"(?: (?:and|&) \w+)?",
    re.IGNORECASE,
)
_MARKED: Final = re.compile(
    r"(?:[-*+•]\s+|[0-9]{1,9}[.)]\s+)?(?:[Aa]n?\s+|[Tt]he\s+)?"
    r"(?:\*\*([^*\n]{2,60})\*\*|`([^`\n]{2,60})`|[\"\u201c]([^\"\u201d\n]{2,60})[\"\u201d]|_([^_\n]{2,60})_)"
    r"(?:\s*:|\s+[\u2013\u2014-]\s|\s+(?:is|are|means?|stands? for|consists? of|denotes?)\s|$)"
)
_LISTED: Final = re.compile(
    r"(?:[-*+•]\s+|[0-9]{1,9}[.)]\s+)?([\w][\w /-]{1,40}?)(?:\s*:|\s+[\u2013\u2014-]|\s+(?:is|are|means?))\s"
)
_SAID: Final = re.compile(
    r"(?:[-*+•]\s+|[0-9]{1,9}[.)]\s+)?An?\s+([a-z][\w-]*(?:\s[a-z][\w-]*){0,2}?)\s+"
    r"(?:is|has|means|stands for|consists of|denotes)\s"
)
_FEWEST_LETTERS: Final = 3


@dataclass(frozen=True)
class Definition:
    """Something that has a name in a specification.

    Attributes:
        what: what kind of thing.
        name: its name.
        pieces: the indices of the pieces that say what it is, in order.
        is_code: whether the name is code, whose letter case counts.
    """

    what: What
    name: str
    pieces: tuple[int, ...]
    is_code: bool = False

    def is_named_in(self, text: str, folded: str) -> bool:
        """Whether a text names it.

        Args:
            text: the text.
            folded: the same text without the difference of upper and lower case.
        """
        # Looked for first, because it is quick; a name may be broken between two lines.
        if any(word not in folded for word in self._words):
            return False
        return self._mention.search(text) is not None

    @cached_property
    def _words(self) -> tuple[str, ...]:
        return tuple(self.name.casefold().split())

    @cached_property
    def _mention(self) -> re.Pattern[str]:
        name = r"\s+".join(re.escape(word) for word in self.name.split())
        match self.what:
            case "requirement" | "table":
                return re.compile(rf"(?<![\w-]){name}(?![\w-])")
            case "section" if _NUMBERED.fullmatch(f"{self.name} x"):
                number = re.escape(self.name)
                return re.compile(rf"(?:sections?|chapters?|§|see|under|in)\s*{number}(?![\w]|\.[0-9])", re.I)
            case "section":
                # In backticks it is code, such as a command that has the name of a section.
                signs = r"[\"\u201c*_\[]{1,3}"
                return re.compile(
                    rf"{signs}{name}[\"\u201d*_\]]"
                    rf"|(?:see|sections?|chapters?|under)\s+(?:the\s+)?{name}(?!\w)|\b{name}\s+section\b",
                    re.I,
                )
            case "term" if self.is_code:
                return re.compile(rf"(?<![\w.]){name}(?![\w])")
            case "term":
                return re.compile(rf"(?<![\w-]){name}(?:s|es)?(?![\w-])", re.I)


def definitions(outline: Outline) -> tuple[Definition, ...]:
    """All that has a name, in the order in which it is wanted: ids, tables, sections, terms."""
    found = [
        *(Definition("requirement", name.id, (name.place, *name.pieces)) for name in labelled(outline)),
        *_captions(outline),
        *_sections(outline),
        *_terms(outline),
    ]
    first: dict[tuple[str, str], Definition] = {}
    for definition in found:
        pieces = tuple(sorted(set(definition.pieces)))
        key = (definition.what, definition.name)
        first.setdefault(key, Definition(definition.what, definition.name, pieces, definition.is_code))
    return tuple(first.values())


def _captions(outline: Outline) -> Iterator[Definition]:
    for index, unit in enumerate(outline.units):
        text = outline.text(index)
        if unit.kind == "heading":
            match = _APPENDIX.search(text) or _CAPTION.match(text.lstrip("# "))
            if match is not None:
                yield Definition("table", " ".join(match[1].split()), (index, *outline.under(index)))
        elif unit.kind == "paragraph":
            match = _CAPTION.match(f"{text} ")
            if match is not None:
                below = outline.below(index)
                before = index - 1 if not below and index and outline.units[index - 1].kind == "row" else None
                rows = _table(outline, before) if before is not None else below
                yield Definition("table", " ".join(match[1].split()), (*rows, index))


def _table(outline: Outline, row: int) -> tuple[int, ...]:
    head = outline.units[row].parent
    return (row,) if head is None else (head, *outline.below(head))


def _sections(outline: Outline) -> Iterator[Definition]:
    for index, unit in enumerate(outline.units):
        if unit.kind != "heading":
            continue
        title = outline.lines[unit.first - 1].strip().strip("#").strip()
        pieces = (index, *outline.under(index))
        numbered = _NUMBERED.fullmatch(title)
        if numbered is not None:
            yield Definition("section", numbered[1], pieces)
            title = numbered[2]
        title = title.strip(_SIGNS)
        # The title of the whole is no part of it.
        if len(title) >= _FEWEST_LETTERS and unit.level > 1:
            yield Definition("section", title, pieces)


def _terms(outline: Outline) -> Iterator[Definition]:
    for index, unit in enumerate(outline.units):
        text = outline.text(index).strip()
        is_listed = any(_is_glossary(outline, heading) for heading in outline.headings(index))
        pieces = (index, *(outline.below(index) if unit.kind != "head" else ()))
        if unit.kind == "row":
            if is_listed:
                cell = text.strip("|").partition("|")[0].strip()
                yield from _term(cell.strip(_SIGNS), pieces, is_code=cell.startswith("`"))
        elif unit.kind in ("item", "paragraph"):
            marked = _MARKED.match(text)
            plain = _SAID.match(text) or (_LISTED.match(text) if is_listed else None)
            if marked is not None:
                name = next(filter(None, marked.groups()))
                yield from _term(name.strip(_SIGNS + ":. "), pieces, is_code=marked[2] is not None)
            elif plain is not None:
                yield from _term(plain[1].strip(), pieces)


def _term(name: str, pieces: tuple[int, ...], *, is_code: bool = False) -> Iterator[Definition]:
    if len(name) >= _FEWEST_LETTERS:
        yield Definition("term", name, pieces, is_code)


def _is_glossary(outline: Outline, heading: int) -> bool:
    title = outline.lines[outline.units[heading].first - 1].strip().strip("#").strip()
    return _GLOSSARY.fullmatch(title) is not None

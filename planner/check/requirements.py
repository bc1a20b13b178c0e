"""The requirements of an answer, completed from the specification: ids that it numbers, passages by line.

A model writes only what has no number, and names a passage by its lines: `L12`, `L12-L14`, or
`L12: first words … last words` for a part of them, which may also be written out. On the disk every
requirement has its quotes.
"""

import re
from collections.abc import Collection, Iterator
from typing import Final

from factory.contract.strict_json import JsonObject, JsonValue
from factory.specification.labels import without_label
from factory.specification.quotations import folded_words
from planner.revision.references import SAME_AS
from planner.specification.numbered import Numbered
from planner.specification.spec import Spec

_LINES: Final = re.compile(r"L([0-9]{1,7})(?:-L?([0-9]{1,7}))?(?::\s*(\S.*))?", re.DOTALL)
_LEFT_OUT: Final = re.compile(r"\s*(?:…|\.\.\.)\s*")
_PUNCTUATION: Final = ".,:;!?()[]\"'`*_"
_MAX_LINES: Final = 500


def names_lines(quote: str) -> bool:
    """Whether a quote names lines of the specification instead of copying them."""
    return _LINES.fullmatch(quote.strip()) is not None


def with_requirements(document: JsonValue, spec: Spec, settled: Collection[str] = ()) -> JsonValue:
    """An answer with all requirements that the specification numbers, and with passages for lines.

    What can't be resolved stays as it is, and rule E201 tells of it.

    Args:
        document: the answer as it was read.
        spec: the specification.
        settled: the ids of requirements that an answer took over from the plan before; of their quotes those
            stay that the specification still has.
    """
    if not isinstance(document, dict):
        return document
    listed = document.get("requirements")
    if listed is None:
        listed = []
    if not isinstance(listed, list):
        return document
    numbered = {entry.id: entry for entry in spec.numbered}
    named = {
        name
        for element in listed
        if isinstance(element, dict) and isinstance(name := element.get("id", element.get(SAME_AS)), str)
    }
    completed = [_completed(element, spec, numbered, settled) for element in listed]
    completed += [_element(entry) for name, entry in numbered.items() if name not in named]
    return {**document, "requirements": completed}


def _completed(
    element: JsonValue, spec: Spec, numbered: dict[str, Numbered], settled: Collection[str]
) -> JsonValue:
    if not isinstance(element, dict) or SAME_AS in element:
        return element
    name, quotes = element.get("id"), element.get("quotes")
    entry = numbered.get(name) if isinstance(name, str) else None
    if quotes is None and entry is not None:
        quotes = []
    if not isinstance(quotes, list):
        return element
    texts = [text for quote in quotes for text in resolved(quote, spec)]
    if entry is None:
        return {**element, "quotes": texts}
    further = [
        text
        for text in texts
        if not _is_said_by(entry, text)
        and not (name in settled and isinstance(text, str) and not spec.lines.places(text))
    ]
    whole = {**_element(entry), **element}
    if not whole.get("text"):
        whole["text"] = entry.text
    return {**whole, "quotes": [*entry.quotes, *further]}


def _is_said_by(entry: Numbered, text: JsonValue) -> bool:
    """Whether a text is one of the quotes that are there without it, with or without the id before it."""
    return isinstance(text, str) and not {text, without_label(text)}.isdisjoint(entry.quotes)


def _element(entry: Numbered) -> JsonObject:
    return {"id": entry.id, "text": entry.text, "quotes": list(entry.quotes)}


def resolved(quote: JsonValue, spec: Spec) -> Iterator[JsonValue]:
    """The passages that a quote names; itself if it names none."""
    match = _LINES.fullmatch(quote.strip()) if isinstance(quote, str) else None
    if match is None:
        yield quote
        return
    first = int(match[1])
    last = int(match[2] or first)
    passages: list[JsonValue] = []
    if last - first < _MAX_LINES:
        if match[3] is None:
            passages += spec.passages_between(first, last)
        elif (part := _part(spec, first, last, match[3])) is not None:
            passages.append(part)
    yield from passages or [quote]


def _part(spec: Spec, first: int, last: int, said: str) -> str | None:
    """What stands between two lines from some words to others; all that is said if nothing is left out."""
    words = spec.lines.words
    indices = [index for line in range(first, last + 1) for index in words.of_line.get(line, ())]
    folded = [_bare(words.all[index].folded) for index in indices]
    begin, *rest = _LEFT_OUT.split(said, maxsplit=1)
    opening = _found(folded, begin, 0)
    if opening is None:
        return None
    start, stop = opening
    if rest and rest[0].strip():
        closing = _found(folded, rest[0], stop)
        if closing is None:
            return None
        stop = closing[1]
    return words.passage(indices[start:stop]).text


def _bare(word: str) -> str:
    """A word without the punctuation around it, where it has anything else."""
    return word.strip(_PUNCTUATION) or word


def _found(words: list[str], said: str, begin: int) -> tuple[int, int] | None:
    """Where words say something: the first, and the one after the last; None if they don't.

    The first of several may begin within a word, and the last end within one: `"a b"` of `f("a b")`.
    """
    sought = [_bare(word) for word in folded_words(said)]
    if not sought:
        return None
    size = len(sought)
    places = range(begin, len(words) - size + 1)
    at = next((at for at in places if words[at : at + size] == sought), None)
    if at is None:
        at = next((at for at in places if _is_part(sought, words[at : at + size])), None)
    return None if at is None else (at, at + size)


def _is_part(sought: list[str], there: list[str]) -> bool:
    return sought[1:-1] == there[1:-1] and there[0].endswith(sought[0]) and there[-1].startswith(sought[-1])

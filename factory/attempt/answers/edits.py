"""Changes passages of a text, or says why that can't be done. Pure.

All edits refer to the text as it was shown, so their order makes no difference.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from factory.contract.answer import Edit


@dataclass(frozen=True)
class BadEdit:
    """An edit that can't be made.

    Attributes:
        number: its index.
        message: what is wrong with it.
        hint: what to do instead.
    """

    number: int
    message: str
    hint: str


@dataclass(frozen=True)
class _Span:
    start: int
    end: int
    number: int
    new: str


def edited(text: str, edits: Sequence[Edit]) -> str | BadEdit:
    """`text` with each passage replaced.

    A model can't see line endings. Where the text has one kind throughout, they make no difference, and the
    result has LF.

    Args:
        text: the text as it was shown.
        edits: what to replace; each passage must stand in the text exactly once, and none may overlap.
    """
    windows = text.count("\r\n")
    has_one_kind = windows in (0, text.count("\n"))
    plain = _with_lf(text) if has_one_kind else text
    spans: list[_Span] = []
    for number, edit in enumerate(edits):
        old = _with_lf(edit.old) if has_one_kind else edit.old
        start = plain.find(old)
        if start < 0:
            return BadEdit(number, "the passage does not stand in the file", _how_to_find(plain, old))
        if plain.rfind(old) != start:
            return BadEdit(
                number,
                "the passage stands in the file more than once",
                "search for more of the lines around it, so that it stands there once",
            )
        spans.append(_Span(start, start + len(old), number, edit.new))
    spans.sort(key=lambda span: span.start)
    for before, after in pairwise(spans):
        if after.start < before.end:
            return BadEdit(
                max(before.number, after.number),
                f"the passage overlaps with that of edit {min(before.number, after.number)}",
                "make one edit of both",
            )
    pieces: list[str] = []
    position = 0
    for span in spans:
        pieces += [plain[position : span.start], span.new]
        position = span.end
    return "".join([*pieces, plain[position:]])


def _how_to_find(text: str, passage: str) -> str:
    if " ".join(passage.split()) in " ".join(text.split()):
        return "it stands there with other white space: copy its indentation and line breaks as they are"
    return "copy it from the file letter for letter, or write the file whole"


def _with_lf(text: str) -> str:
    return text.replace("\r\n", "\n")

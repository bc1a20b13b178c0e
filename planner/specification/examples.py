"""The examples of a specification that say what a call gives: in prose, in its code, in a Python session.

Leans towards silence: what is said under a condition, of today or of a mistake is no example here.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from factory.specification.quotations import LINE_BREAK
from planner.specification.blocks import is_silent_title

MAX_EXAMPLES: Final = 1_000
"""The most that are looked for in one specification."""

_VERB: Final = r"(?:is|are|returns?|gives?|yields?|equals?|evaluates\s+to|makes|becomes|→|->|=>|==?)"
_CLAIM: Final = re.compile(
    r"`(?P<call>[^`]{1,400})`\s+" + _VERB + r"\s+(?:`(?P<code>[^`]{1,400})`"
    r"|(?P<plain>-?[0-9]+(?:\.[0-9]+)?|None|True|False|\"[^\"`]{0,200}\"|'[^'`]{0,200}')"
    r"(?=[;:)]|[.,](?![0-9])|\s*$))"
)
_SPAN: Final = re.compile(r"`([^`]{1,400})`")
_SENTENCE_END: Final = re.compile(r"[.;!?](?=\s)")
_DOUBTFUL: Final = re.compile(
    r"\b(?:about|although|approximately|before|bug|but|currently|formerly|if|instead|must not|never|no longer"
    r"|not|otherwise|roughly|should|today|unless|until|used to|was|were|when|whereas|while|wrong\w*)\b|n't\b",
    re.IGNORECASE,
)
"""Words by which a sentence says something else than that a call gives a value."""

_DOUBTFUL_TITLE: Final = re.compile(
    r"\b(?:bugs?|current\w*|before|old|problems?|today|wrong)\b", re.IGNORECASE
)
_ITEM: Final = re.compile(r"\s*(?:[-*+•|>]|[0-9]{1,9}[.)])\s")
_TITLE: Final = re.compile(r"#{1,6}\s+(.*)")
_FENCE: Final = re.compile(r"\s*(```+|~~~+)\s*(\w*)")
_CODE: Final = frozenset({
    "", "cjs", "doctest", "javascript", "js", "mjs", "py", "pycon", "python", "python3", "text", "ts",
    "typescript",
})  # fmt: skip
_COMMENT: Final = re.compile(
    r"(?P<call>[^#]+?\))\s*;?\s*(?:#|//)\s*(?:->|=>|→|==|returns|gives)?\s*(?P<value>.+)"
)


@dataclass(frozen=True)
class Example:
    """What a specification says that an expression gives.

    Attributes:
        expression: the expression, as it is written.
        value: its value, as it is written.
        line: the line where that begins, counted from 1.
        is_text: whether the value may be a text that is written without quotation marks.
    """

    expression: str
    value: str
    line: int
    is_text: bool = False


def examples(text: str) -> tuple[Example, ...]:
    """The examples of a specification, in order."""
    kept: list[Example] = []
    for example in _examples(LINE_BREAK.split(text)):
        if len(kept) == MAX_EXAMPLES:
            break
        kept.append(example)
    return tuple(kept)


def _examples(lines: Sequence[str]) -> Iterator[Example]:
    paragraph: list[str] = []
    code: list[str] | None = None
    fence = ""
    is_heard = is_python = True
    for number, line in enumerate([*lines, ""], start=1):
        opening = _FENCE.match(line)
        if code is not None:
            if line.strip().startswith(fence):
                if is_heard and is_python:
                    yield from _in_code(code, number - len(code))
                code = None
            else:
                code.append(line)
            continue
        title = _TITLE.match(line)
        if not line.strip() or opening or title or _ITEM.match(line):
            if is_heard and paragraph:
                yield from _in_prose(paragraph, number - len(paragraph))
            paragraph = []
        if opening:
            code, fence, is_python = [], opening[1], opening[2].lower() in _CODE
        elif title:
            is_heard = not (is_silent_title(title[1]) or _DOUBTFUL_TITLE.search(title[1]))
        elif line.strip():
            paragraph.append(line)


def _in_prose(lines: Sequence[str], first: int) -> Iterator[Example]:
    text = "\n".join(lines)
    plain = _SPAN.sub(lambda span: "`" + "x" * len(span[1]) + "`", text)
    ends = [end.end() for end in _SENTENCE_END.finditer(plain)]
    doubtful: dict[int, bool] = {}
    claims = [(claim, claim["call"], claim["code"] or claim["plain"]) for claim in _CLAIM.finditer(text)]
    for span in _SPAN.finditer(text):
        left, equals, right = span[1].partition("==")
        if equals:
            claims.append((span, left.strip(), right.strip()))
    for place, expression, value in claims:
        sentence = bisect_right(ends, place.start())
        if sentence not in doubtful:
            begin, end = [0, *ends][sentence], [*ends, len(plain)][sentence]
            doubtful[sentence] = _DOUBTFUL.search(plain, begin, end) is not None
        if not doubtful[sentence]:
            # A name may be that of a type or of an argument.
            is_text = place.re is _CLAIM and place["code"] and not set(value) & set("()[]{}\"'")
            line = first + text.count("\n", 0, place.start())
            yield Example(
                _joined(expression), _joined(value), line, bool(is_text) and not value.isidentifier()
            )


def _in_code(lines: Sequence[str], first: int) -> Iterator[Example]:
    for number, line in enumerate(lines, start=first):
        if line.lstrip().startswith(">>>"):
            expression = line.lstrip().removeprefix(">>>").strip()
            following = [*lines[number - first + 1 :][:2], "", ""]
            if following[0].strip() and (not following[1].strip() or following[1].lstrip().startswith(">>>")):
                yield Example(expression, following[0].strip(), number)
            continue
        commented = _COMMENT.fullmatch(line.strip())
        sides = line.strip().rstrip(";").removeprefix("assert ").replace("===", "==").split("==")
        if commented is not None:
            yield Example(commented["call"].strip(), commented["value"].strip(), number)
        elif len(sides) == 2:
            yield Example(sides[0].strip(), sides[1].partition("  #")[0].strip(), number)


def _joined(text: str) -> str:
    return " ".join(text.split("\n"))

"""Divides a specification into items, paragraphs and rows of tables, as Markdown or plain text mean them.

What asks for nothing is left out: front matter, titles, code, heads of tables, quotations, comments, and
sections that say what is not asked for or why. Not here: which sentences ask for something (`normative`).
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

_FENCE: Final = re.compile(r"\s*(?:(?:[-*+]|[0-9]{1,9}[.)])\s+)?(`{3,}|~{3,})")
_HEADING: Final = re.compile(r" {0,3}(#{1,6})(?=\s|$)")
_ITEM: Final = re.compile(r"(\s*)(?:[-*+•]|[0-9]{1,9}[.)])\s+\S")
_LETTERED: Final = re.compile(r"(\s*)(?:[a-z]\)|\([a-z0-9]{1,2}\)|[\u2013\u2014])\s+\S")
"""Items as word processors write them; where a line may also begin like that by chance, they are none."""

_LABELLED: Final = re.compile(r"(\s*)(?:\*\*)?\[?[A-Z][A-Z0-9]*-[0-9]+(?:[\]:)]+(?:\*\*)?:?|\*\*:?)\s+\S")
_LABEL: Final = re.compile(r"\b[A-Z]+-[0-9]+\b")
_LINK_DEFINITION: Final = re.compile(r"\s*\[[^\]]+\]:\s*\S+\s*$")
_COMMENT: Final = re.compile(r"\s*<!--")
_FRONT_MATTER: Final = {"---": ("---", "..."), "+++": ("+++",)}
"""What begins the data about a document that stands before it, and what ends it."""

_CODE_INDENT: Final = 4

_SILENT: Final = re.compile(
    r"(?:(?:[0-9]+(?:\.[0-9]+)*|[IVX]+)[.)]?\s+)?(?:the\s+)?"
    r"(?:non[- ]?(?:goals?|features?)|(?:explicitly\s+)?(?:not|out)[- ](?:in|of)[- ]scope"
    r"|(?:scope )?exclusions?|what (?:it|this) (?:is|does) not(?: do)?|not (?:goals?|required|planned)"
    r"|future(?: (?:work|plans?|ideas|versions?))?|background|motivation|rationale|problem(?: statement)?"
    r"|(?:user )?personas?|target (?:audience|users?)|stakeholders?|timeline|milestones?|success metrics"
    r"|risks?(?: (?:and|&) mitigations?)?|glossary|references|see also|links|change ?log"
    r"|(?:revision |version |document )?history|(?:table of )?contents|open (?:questions|issues)"
    r"|acknowledge?ments)"
    r"(?:\s*\(.*|\s+(?:for|in)\s.*)?",
    re.IGNORECASE,
)
"""Titles of sections, and introductions of lists, whose text asks for nothing of the product."""


@dataclass
class Block:
    """A list item, a paragraph, a row of a table, or a heading that is a sentence.

    Attributes:
        lines: its line numbers, counted from 1.
        is_item: whether it is a list item.
        is_row: whether it is a row of a table.
        indent: the columns before its marker or first word.
        introduces: whether a list follows it: nested below an item, or after a paragraph.
    """

    lines: list[int] = field(default_factory=list)
    is_item: bool = False
    is_row: bool = False
    indent: int = 0
    introduces: bool = False


def is_silent_title(text: str) -> bool:
    """Whether a title or an introduction says that what follows it asks for nothing."""
    return _SILENT.fullmatch(text.strip(" *_:.#")) is not None


def blocks(lines: Sequence[str]) -> list[Block]:
    """The items and paragraphs that may ask for something, in order.

    Args:
        lines: the lines of the specification, without their ends.
    """
    found = list(_Divider(lines).blocks())
    kept: list[Block] = []
    silent_list = False
    for block, following in zip(found, [*found, None][1:], strict=True):
        if block is None:
            continue
        if following is not None and following.is_item:
            block.introduces = not block.is_item or following.indent > block.indent
        if not block.is_item and not block.is_row:
            text = " ".join(lines[number - 1] for number in block.lines)
            silent_list = block.introduces and is_silent_title(text)
        if not silent_list:
            kept.append(block)
    return kept


class _Divider:
    """Goes over the lines once. What stands between two blocks and is left out is told as None."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._open: Block | None = None
        self._after_blank = True
        self._in_list = False
        self._fence = ""
        # What swallows lines until it ends: a comment, or a quotation or table up to a blank line.
        self._inside = ""
        self._silent_level = 0

    def blocks(self) -> Iterator[Block | None]:
        begin = _after_front_matter(self._lines)
        for number, raw in enumerate(self._lines[begin:], start=begin + 1):
            yield from self._line(number, raw.expandtabs(4))
        yield from self._close()

    def _line(self, number: int, line: str) -> Iterator[Block | None]:
        if self._continues_what_is_left_out(line):
            if self._inside == "table" and not self._silent_level:
                yield Block([number], is_row=True)
            return
        if not line.strip():
            self._after_blank = True
            return
        if not line.startswith(" "):
            self._in_list = False
        if (fence := _FENCE.match(line)) is not None:
            self._fence = fence[1]
            yield from self._left_out()
        elif _COMMENT.match(line):
            self._inside = "" if "-->" in line else "comment"
            yield from self._left_out()
        elif (heading := _HEADING.match(line)) is not None:
            title = line[heading.end() :].strip().rstrip("#")
            yield from self._heading(len(heading[1]), title)
            # A requirement that stands as a title; other titles only name what follows.
            if (title.endswith(".") or _LABEL.search(title)) and not self._silent_level:
                yield Block([number])
        elif _is_rule(line):
            yield from self._rule(line)
        elif self._is_table(number, line) or line.lstrip().startswith(">"):
            self._inside = "quotation" if line.lstrip().startswith(">") else "table"
            yield from self._left_out()
        elif _LINK_DEFINITION.match(line):
            yield from self._left_out()
        else:
            yield from self._text(number, line)
        self._after_blank = False

    def _continues_what_is_left_out(self, line: str) -> bool:
        if self._fence:
            closing = line.strip()
            if closing.startswith(self._fence) and not closing.strip(self._fence[0]):
                self._fence = ""
            return True
        if self._inside == "comment":
            self._inside = "" if "-->" in line else self._inside
            return True
        if not line.strip() or _HEADING.match(line) or _ITEM.match(line):
            self._inside = ""
        return bool(self._inside)

    def _is_table(self, number: int, line: str) -> bool:
        if line.lstrip().startswith("|"):
            return True
        following = self._lines[number] if number < len(self._lines) else ""
        return (
            "|" in line and "|" in following and "-" in following and set(following.strip()) <= set("|:- \t")
        )

    def _heading(self, level: int, title: str) -> Iterator[Block | None]:
        yield from self._left_out()
        if not self._silent_level or level <= self._silent_level:
            self._silent_level = level if is_silent_title(title) else 0

    def _rule(self, line: str) -> Iterator[Block | None]:
        above = self._open
        underlines = set(line.strip()) <= {"="} or set(line.strip()) <= {"-"}
        if above is not None and not above.is_item and not self._after_blank and underlines:
            self._open = None
            title = " ".join(self._lines[number - 1] for number in above.lines)
            yield from self._heading(1 if "=" in line else 2, title)
        else:
            yield from self._left_out()

    def _text(self, number: int, line: str) -> Iterator[Block | None]:
        indent = len(line) - len(line.lstrip())
        item = _ITEM.match(line) or _LABELLED.match(line) or self._lettered(number, line)
        if item is not None:
            yield from self._close()
            self._open = Block([number], is_item=True, indent=len(item[1]))
            self._in_list = True
            return
        if self._open is not None and not self._after_blank:
            self._open.lines.append(number)
            return
        yield from self._close()
        if indent >= _CODE_INDENT and not self._in_list:
            yield None
        else:
            self._open = Block([number], indent=indent)

    def _lettered(self, number: int, line: str) -> re.Match[str] | None:
        open_line = "" if self._open is None or self._after_blank else self._lines[self._open.lines[0] - 1]
        begins = not open_line or _LETTERED.match(open_line) or self._lines[number - 2].rstrip().endswith(":")
        return _LETTERED.match(line) if begins else None

    def _close(self) -> Iterator[Block | None]:
        if self._open is not None and not self._silent_level:
            yield self._open
        self._open = None

    def _left_out(self) -> Iterator[Block | None]:
        yield from self._close()
        yield None


def _after_front_matter(lines: Sequence[str]) -> int:
    """How many lines the data about the document takes; 0 without any."""
    ends = _FRONT_MATTER.get(lines[0].rstrip(), ()) if lines else ()
    for index, line in enumerate(lines[1:], start=1):
        if line.rstrip() in ends:
            return index + 1
        if not line.strip():
            # A rule at the beginning of the text, and no data.
            return 0
    return 0


def _is_rule(line: str) -> bool:
    """Whether a line consists of one sign, as what underlines a title or divides a text."""
    signs = "".join(line.split())
    return (
        len(signs) >= 2
        and len(set(signs)) == 1
        and (signs[0] in "=-" or (signs[0] in "*_" and len(signs) > 2))
    )

"""Divides a specification into items, paragraphs and rows of tables, as Markdown or plain text mean them.

What asks for nothing is left out: front matter, titles, code, heads of tables, quotations, comments, and
sections that say what is not asked for or why. Not here: which sentences ask for something (`normative`).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from factory.specification.quotations import LINE_BREAK

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.parser_block import RuleFuncBlockType
    from markdown_it.rules_block import StateBlock

_ITEM: Final = re.compile(r"\s*(?:[-*+•]|[0-9]{1,9}[.)])\s+\S")
"""Items, those included that Markdown takes for text by their sign, their indent or their number."""

_TITLE: Final = re.compile(r" {0,3}(#{1,6})\s+(.*)")
_LETTERED: Final = re.compile(r"\s*(?:[a-z]\)|\([a-z0-9]{1,2}\)|[\u2013\u2014])\s+\S")
"""Items as word processors write them; where a line may also begin like that by chance, they are none."""

_LABELLED: Final = re.compile(r"\s*(?:\*\*)?\[?[A-Z][A-Z0-9]*-[0-9]+(?:[\]:)]+(?:\*\*)?:?|\*\*:?)\s+\S")
_LABEL: Final = re.compile(r"\b[A-Z]+-[0-9]+\b")
_LINK_DEFINITION: Final = re.compile(r"\s*\[[^\]]+\]:\s*\S+\s*$")
_FRONT_MATTER: Final = {"---": ("---", "..."), "+++": ("+++",)}
"""What begins the data about a document that stands before it, and what ends it."""

_MAX_LEVEL: Final = 20
"""The deepest level at which a list or quotation begins; further in, its signs are text."""

_BEFORE_TITLE: Final = r"(?:(?:[0-9]+(?:\.[0-9]+)*|[IVX]+)[.)]?\s+)?(?:the\s+)?"
_BEHIND_TITLE: Final = r"(?:\s*\(.*|\s+(?:for|in)\s.*)?"
_NOT_TO_BE: Final = (
    r"non[- ]?(?:goals?|features?)|(?:explicitly\s+)?(?:not|out)[- ](?:in|of)[- ]scope"
    r"|(?:scope )?exclusions?|what (?:it|this) (?:is|does) not(?: do)?"
    r"|(?:what is )?not (?:yet )?(?:asked for|goals?|included|needed|planned|required|wanted)"
)
_SILENT: Final = re.compile(
    rf"{_BEFORE_TITLE}(?:{_NOT_TO_BE}|(?:for )?later"
    r"|future(?: (?:work|plans?|ideas|versions?))?|background|motivation|rationale|problem(?: statement)?"
    r"|(?:user )?personas?|target (?:audience|users?)|stakeholders?|timeline|milestones?|success metrics"
    r"|risks?(?: (?:and|&) mitigations?)?|glossary|references|see also|links|change ?log"
    r"|(?:revision |version |document )?history|(?:table of )?contents|open (?:questions|issues)"
    rf"|acknowledge?ments){_BEHIND_TITLE}",
    re.IGNORECASE,
)
"""Titles of sections, and introductions of lists, whose text asks for nothing of the product."""

_UNWANTED: Final = re.compile(f"{_BEFORE_TITLE}(?:{_NOT_TO_BE}){_BEHIND_TITLE}", re.IGNORECASE)
"""Titles of sections, and introductions of lists, of what is not to be there."""


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

    lines: list[int]
    is_item: bool = False
    is_row: bool = False
    indent: int = 0
    introduces: bool = False


def is_silent_title(text: str) -> bool:
    """Whether a title or an introduction says that what follows it asks for nothing."""
    return _SILENT.fullmatch(text.strip(" *_:.#")) is not None


def unwanted_lines(text: str) -> frozenset[int]:
    """The numbers of the lines, from 1, that say what is not asked for: of such a section, or such a list."""
    found: list[int] = []
    level = 0
    in_code = in_list = False
    for number, line in enumerate(LINE_BREAK.split(text), start=1):
        if line.lstrip().startswith(("```", "~~~")):
            in_code = not in_code
        title = None if in_code else _TITLE.match(line)
        if title is not None:
            depth = len(title[1])
            if not level or depth <= level:
                level = depth if _UNWANTED.fullmatch(title[2].strip(" *_:.#")) else 0
            in_list = False
        elif level:
            found.append(number)
        elif _ITEM.match(line):
            found.extend([number] if in_list else [])
        elif line.strip():
            is_introduction = line.rstrip(" *_").endswith(":")
            in_list = is_introduction and _UNWANTED.fullmatch(line.strip(" *_:.")) is not None
    return frozenset(found)


def blocks(lines: Sequence[str]) -> list[Block]:
    """The items and paragraphs that may ask for something, in order.

    Args:
        lines: the lines of the specification, without their ends.
    """
    outside = list(_outside_silent_sections(lines))
    kept: list[Block] = []
    silent_list = False
    for block, following in zip(outside, [*outside, None][1:], strict=True):
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


def _outside_silent_sections(lines: Sequence[str]) -> Iterator[Block | None]:
    """The blocks; what stands between two of them and is left out is None."""
    begin = _after_front_matter(lines)
    tokens = iter(_markdown().parse("\n".join(lines[begin:])))
    silent_level = 0
    before = ""
    for token in tokens:
        numbers = [begin + 1 + line for line in range(*token.map or (0,))]
        divided: Iterable[Block | None] = ()
        match token.type:
            case "heading_open" if _begins_item(lines, numbers[0]):
                # What makes a title of it is a line below; that is no part of the item.
                divided = [*_items(lines, numbers[:-1] if token.markup in ("=", "-") else numbers), None]
            case "heading_open":
                level, title = int(token.tag[1:]), next(tokens).content
                if not silent_level or level <= silent_level:
                    silent_level = level if is_silent_title(title) else 0
                yield None
                # A requirement that stands as a title; other titles only name what follows.
                if title.endswith(".") or _LABEL.search(title):
                    divided = [Block(numbers[: title.count("\n") + 1])]
            case "paragraph_open":
                divided = _items(lines, numbers, is_item=before == "list_item_open")
            case "tbody_open":
                divided = [Block([number], is_row=True) for number in numbers]
            case "blockquote_open":
                closing = ("blockquote_close", token.level)
                next(inner for inner in tokens if (inner.type, inner.level) == closing)
                yield None
            case "code_block":
                first = (index for index, number in enumerate(numbers) if _begins_item(lines, number))
                divided = [None, *_items(lines, numbers[next(first, len(numbers)) :])]
            case "fence" | "html_block" | "hr" | "table_open":
                yield None
        if not silent_level:
            yield from divided
        before = token.type


def _items(lines: Sequence[str], numbers: Sequence[int], *, is_item: bool = False) -> Iterator[Block | None]:
    """The items and rows that stand in what is one paragraph to Markdown."""
    block: Block | None = None
    in_table = False
    for number in numbers:
        line = lines[number - 1].expandtabs(4)
        begins_item = _begins_item(lines, number, block)
        in_row = in_table and not begins_item
        in_table = in_row or line.lstrip().startswith("|")
        left_out = in_table or _LINK_DEFINITION.match(line)
        if block is not None and (left_out or begins_item):
            yield block
            block = None
        if left_out:
            yield Block([number], is_row=True) if in_row else None
        elif block is None:
            indent = len(line) - len(line.lstrip())
            block = Block([number], is_item=begins_item or (is_item and number == numbers[0]), indent=indent)
        else:
            block.lines.append(number)
    if block is not None:
        yield block


def _begins_item(lines: Sequence[str], number: int, above: Block | None = None) -> bool:
    line = lines[number - 1]
    if _ITEM.match(line) or _LABELLED.match(line):
        return True
    begins = (
        above is None
        or _LETTERED.match(lines[above.lines[0] - 1])
        or lines[number - 2].rstrip().endswith(":")
    )
    return bool(begins and _LETTERED.match(line))


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


@cache
def _markdown() -> "MarkdownIt":
    """Reads the blocks of Markdown, and not what is inside of their lines."""
    # Only here, so that whoever has no specification need not wait for the library.
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import blockquote, html_block, list_block

    def comment(state: "StateBlock", start: int, end: int, silent: bool) -> bool:
        """Of HTML, only comments are no text."""
        begin = state.bMarks[start] + state.tShift[start]
        return state.src.startswith("<!--", begin) and html_block(state, start, end, silent)

    def shallow(rule: "RuleFuncBlockType") -> "RuleFuncBlockType":
        """The rule, without the depth that takes time."""
        return lambda state, *place: state.level < _MAX_LEVEL and rule(state, *place)

    reader = MarkdownIt("commonmark", {"maxNesting": 2 * _MAX_LEVEL}).enable("table")
    # Whether a word in brackets is a link's name or a requirement's is decided here.
    reader.disable("reference").core.ruler.enableOnly(["block"])
    ruler = reader.block.ruler
    ruler.at("html_block", comment, {"alt": ["paragraph", "blockquote"]})
    ruler.at("list", shallow(list_block), {"alt": ["paragraph", "blockquote"]})
    ruler.at("blockquote", shallow(blockquote), {"alt": ["paragraph", "blockquote", "list"]})
    return reader

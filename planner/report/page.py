"""A page of sections for a person: as text, Markdown or HTML. What it shows is of strangers and can't act."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from html import escape
from textwrap import wrap
from typing import Final, Literal, assert_never

from factory.system.terminal.console import one_line, visible
from factory.system.terminal.markdown import escaped, paragraph

_WIDTH: Final = 100
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE: Final = """\
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 56rem; margin: 0 auto; padding: 0 1rem 3rem;
  overflow-wrap: anywhere; }
h2 { border-top: 1px solid; padding-top: 1rem; margin-top: 2rem; }
h3 { margin-bottom: 0; }
p { margin: .25rem 0; }
pre, blockquote { margin: .25rem 0; padding: .5rem .75rem; border-left: 3px solid; white-space: pre-wrap; }
"""


class PageFormat(StrEnum):
    """How a page is written."""

    TEXT = "text"
    MARKDOWN = "markdown"
    HTML = "html"


@dataclass(frozen=True)
class Item:
    """Something under a heading.

    Attributes:
        text: what it says.
        kind: a sentence of ours or others, a passage that is quoted, or something that a program reads.
        note: what is said of it; empty for nothing.
    """

    text: str
    kind: Literal["said", "quoted", "code"] = "said"
    note: str = ""


@dataclass(frozen=True)
class Part:
    """A heading and what stands under it."""

    title: str
    items: tuple[Item, ...]


@dataclass(frozen=True)
class Section:
    """A section of a page; parts without items are left out."""

    title: str
    parts: tuple[Part, ...]


def write_page(title: str, sections: Sequence[Section], page_format: PageFormat) -> str:
    """The page without a final line break.

    Args:
        title: what the whole is called.
        sections: its sections, in order.
        page_format: how it is written.
    """
    shown = [Section(section.title, tuple(filter(_has_items, section.parts))) for section in sections]
    match page_format:
        case PageFormat.TEXT:
            return "\n".join(_text(title, shown))
        case PageFormat.MARKDOWN:
            return "\n".join(_markdown(title, shown))
        case PageFormat.HTML:
            return "\n".join(_html(title, shown))
        case _ as never:
            assert_never(never)


def _has_items(part: Part) -> bool:
    return bool(part.items)


def _text(title: str, sections: Iterable[Section]) -> Iterator[str]:
    yield one_line(title)
    for section in sections:
        yield f"\n{one_line(section.title)}"
        for part in section.parts:
            yield from wrap(one_line(part.title), _WIDTH, initial_indent="  ", subsequent_indent="  ")
            for item in part.items:
                yield from _text_item(item)


def _text_item(item: Item) -> Iterator[str]:
    before = {"said": "    ", "quoted": "    | ", "code": "    $ "}[item.kind]
    if item.kind == "code":
        yield before + one_line(item.text)
    else:
        short = f"{before}{visible(item.text)}  ({one_line(item.note)})"
        if item.note and len(short) <= _WIDTH and "\n" not in short:
            yield short
            return
        for line in visible(item.text).splitlines() or [""]:
            yield from wrap(line, _WIDTH, initial_indent=before, subsequent_indent=before) or [
                before.rstrip()
            ]
    if item.note:
        yield from wrap(one_line(item.note), _WIDTH, initial_indent=" " * 6, subsequent_indent=" " * 6)


def _markdown(title: str, sections: Iterable[Section]) -> Iterator[str]:
    yield f"# {escaped(title)}"
    for section in sections:
        yield f"\n## {escaped(section.title)}"
        for part in section.parts:
            yield f"\n**{escaped(part.title)}**\n"
            for number, item in enumerate(part.items):
                note = f" ({escaped(item.note)})" if item.note else ""
                if item.kind == "quoted":
                    if number:
                        yield ""
                    lines = item.text.splitlines() or [""]
                    yield "\n".join(f"> {paragraph(line)}  " for line in lines).rstrip() + note
                else:
                    yield f"- {paragraph(item.text)}{note}"


def _html(title: str, sections: Iterable[Section]) -> Iterator[str]:
    yield "<!doctype html>"
    yield '<html lang="en"><head><meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{_marked(title)}</title><style>\n{_STYLE}</style></head><body><main>"
    yield f"<h1>{_marked(title)}</h1>"
    for section in sections:
        yield f"<section><h2>{_marked(section.title)}</h2>"
        for part in section.parts:
            yield f"<h3>{_marked(part.title)}</h3>"
            for item in part.items:
                text = _marked(item.text)
                note = f"<small>({_marked(item.note)})</small>" if item.note else ""
                if item.kind == "code":
                    # The note stands apart: a command is copied from here.
                    yield f"<pre>{text}</pre>" + (f"<p>{note}</p>" if note else "")
                else:
                    tag = {"said": "p", "quoted": "blockquote"}[item.kind]
                    yield f"<{tag}>{' '.join(filter(None, (text, note)))}</{tag}>"
        yield "</section>"
    yield "</main></body></html>"


def _marked(text: str) -> str:
    return escape(visible(text))

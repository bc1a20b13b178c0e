"""The report as one HTML page: no script, nothing from elsewhere, and nothing that a stranger wrote can act.

Every value is made visible (no control or invisible character) and then escaped by the template engine; the
page's policy forbids everything but its own style sheet, which its hash names.
"""

import base64
import hashlib
import os
from pathlib import Path
from typing import Final
from urllib.parse import quote

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import DiffLexer

from factory.report.page.pictures import BOX, LABELS, ROW, graph, timeline
from factory.report.page.story import Story
from factory.system.templates import template_path
from factory.system.terminal.console import visible

MOST_CHARACTERS: Final = 6_000
"""How much of each prompt, answer and diff is shown: thirty work orders are to stay below 3 MB."""

_STYLE: Final = "report.css"
_PAGE: Final = "report.html.j2"


def write_html(story: Story, place: Path) -> str:
    """The page.

    Args:
        story: what is told.
        place: the file that it will be, from which the artifacts are linked.
    """
    style = template_path(_STYLE).read_text("utf-8")
    template = _environment(place).from_string(template_path(_PAGE).read_text("utf-8"))
    return template.render(
        story=story,
        style=Markup(style),  # noqa: S704, it is ours
        style_hash=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode(),
        graph=graph(story.orders),
        timeline=timeline(story.orders),
        box_size=BOX,
        row=ROW,
        labels=LABELS,
    )


def _environment(place: Path) -> Environment:
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=_shown
    )
    environment.filters["diff"] = _diff
    environment.filters["link"] = lambda path: _link(path, place)
    return environment


def _shown(value: object) -> object:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _diff(text: str) -> Markup:
    """A diff with the classes of its lines; Pygments escapes what it shows."""
    shown = highlight(visible(text), DiffLexer(), HtmlFormatter(nowrap=True))
    return Markup(shown)  # noqa: S704, escaped by the formatter


def _link(path: Path, place: Path) -> str:
    """The address of a file, relative to the page."""
    return quote(os.path.relpath(path.resolve(), place.resolve().parent))

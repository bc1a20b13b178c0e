"""The report as one HTML page: nothing from elsewhere, and nothing that a stranger wrote can act in it.

Every value is made visible (no control or invisible character) and then escaped by the template engine. The
page's policy forbids everything but its own style sheet and its own scripts, which their hashes name; without
the scripts all can be read, and folded.
"""

import base64
import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote

from jinja2 import Environment, StrictUndefined, Template
from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import DiffLexer

from factory.report.page.attempts import Room
from factory.report.page.pictures import BOX, LABELS, ROW, graph, timeline
from factory.report.page.story import Story
from factory.report.workers import render_trial
from factory.system.templates import template_path
from factory.system.terminal.console import visible

ROOM: Final = Room(each=6_000, all=1_200_000)
"""How much of prompts, answers and diffs is shown: thirty work orders are to stay below 3 MB."""

_FOLDER: Final = "report"


@dataclass(frozen=True)
class Controls:
    """What a page that is served has beside the report.

    Attributes:
        token: what its forms must bring along.
        running: whether the build goes on.
        plan: the hash of the plan that is shown; empty if it is not known.
        approved: whether somebody has approved all of it.
        said: what became of the last act; empty if there was none.
        went_well: whether it was done.
        news: what happened last, the latest first.
    """

    token: str
    running: bool
    plan: str = ""
    approved: bool = False
    said: str = ""
    went_well: bool = True
    news: tuple[str, ...] = ()


def write_html(story: Story, place: Path, controls: Controls | None = None) -> str:
    """The page.

    Args:
        story: what is told.
        place: the file that it will be, from which the artifacts are linked.
        controls: what a page that is served has beside it; None for a file.
    """
    scripts = ["fold.js"] if controls is None else ["fold.js", "live.js"]
    environment = _environment(scripts, served=controls is not None)
    environment.filters |= {"diff": _diff, "trial": render_trial}
    environment.filters["link"] = lambda path: _link(path, place)
    return environment.from_string(_read("page.html.j2")).render(
        story=story,
        controls=controls,
        graph=graph(story.orders),
        timeline=timeline(story.orders),
        box_size=BOX,
        row=ROW,
        labels=LABELS,
    )


def page_template(name: str) -> Template:
    """A page without a script, made from a template beside that of the report."""
    return _environment((), served=True).from_string(_read(name))


def _environment(scripts: Sequence[str], *, served: bool) -> Environment:
    """What pages are made with: values are escaped; `style`, `scripts` and `policy` are for their heads.

    Args:
        scripts: the names of the scripts.
        served: whether the page comes from a server, to which forms and updates may go.
    """
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, finalize=_shown
    )
    style, texts = _read("style.css"), [_read(name) for name in scripts]
    hashes = " ".join(_hash(text) for text in texts) or "'none'"
    own = "; connect-src 'self'; form-action 'self'" if served else "; form-action 'none'"
    environment.globals |= {
        "style": Markup(style),  # noqa: S704, it is ours
        "scripts": [Markup(text) for text in texts],  # noqa: S704, they are ours
        "policy": f"default-src 'none'; style-src {_hash(style)}; script-src {hashes}{own}; base-uri 'none'",
    }
    return environment


def _read(name: str) -> str:
    return template_path(f"{_FOLDER}/{name}").read_text("utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _shown(value: object) -> object:
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _diff(text: str) -> Markup:
    """A diff with the classes of its lines; Pygments escapes what it shows."""
    shown = highlight(visible(text), DiffLexer(), HtmlFormatter(nowrap=True))
    return Markup(shown)  # noqa: S704, escaped by the formatter


def _link(path: Path, place: Path) -> str:
    """The address of a file, relative to the page."""
    return quote(os.path.relpath(path.resolve(), place.resolve().parent))

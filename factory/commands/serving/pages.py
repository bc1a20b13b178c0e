"""The pages of the server: the report with its buttons, lists, and what went wrong."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from urllib.parse import quote

from factory.builds.state.file import load_state
from factory.builds.state.model import BuildState
from factory.builds.state.plan_record import read_plan_record
from factory.contract.errors import WorkorderError
from factory.people.approvals import unapproved
from factory.report.page.html import ROOM, Controls, page_template, write_html
from factory.report.page.reading import read_story
from factory.report.transitions import render_event
from factory.runs.record.events import EVENTS_FILE
from factory.system.files.lock import is_held
from factory.system.files.tree import FileProblem, read_bounded
from factory.system.git.client import Git

_NEWS: Final = 8
_MOST_EVENT_BYTES: Final = 20_000_000


def report_page(out: Path, token: str, said: str, went_well: bool) -> str:
    """The report of a build, as it is now.

    Args:
        out: the directory of the build.
        token: what its forms bring along.
        said: what became of the last act; empty if there was none.
        went_well: whether it was done.

    Raises:
        WorkorderError: the state is damaged.
    """
    state = load_state(out)
    controls = Controls(
        token=token,
        running=is_held(out / "lock"),
        plan="" if state is None else state.plan_hash,
        approved=state is not None and _is_approved(out, state),
        said=said,
        went_well=went_well,
        news=() if state is None else _news(out, state),
    )
    return write_html(read_story(out, ROOM), out / "report.html", controls)


def list_page(place: Path, entries: Mapping[str, Path]) -> str:
    """What a directory holds.

    Args:
        place: the directory.
        entries: the builds, or the files in it, by the names under which they are found.
    """
    listed = [(_address(name, path), name, *_standing(path)) for name, path in entries.items()]
    return page_template("list.html.j2").render(title=str(place), entries=listed, failure="")


def failure_page(message: str) -> str:
    """What went wrong."""
    return page_template("list.html.j2").render(title="Nothing to show", entries=[], failure=message)


def _is_approved(out: Path, state: BuildState) -> bool:
    """Whether all of the plan is approved; no, where that can't be told."""
    record, git_dir = read_plan_record(out), Path(state.repository)
    try:
        git = Git.beside(git_dir)
        return record is not None and not unapproved(git, record.plan.work_orders)
    except (WorkorderError, OSError):
        return False


def _address(name: str, path: Path) -> str:
    is_build = path.is_dir() and not name.endswith("/")
    return f"/b/{quote(name, safe='')}/" if is_build else f"./{quote(name)}"


def _standing(path: Path) -> tuple[str, str]:
    """How a build ended or where it stands, and when that was written."""
    try:
        state = load_state(path) if path.is_dir() else None
    except WorkorderError as error:
        return error.message, ""
    if state is None:
        return "", ""
    landed = sum(order.commit is not None for order in state.orders)
    going = f"{landed} of {len(state.orders)} work orders have landed"
    return state.ended.message if state.ended is not None else going, state.updated


def _news(out: Path, state: BuildState) -> tuple[str, ...]:
    """What happened last, the latest first."""
    path = out / EVENTS_FILE
    try:
        lines = read_bounded(path, max_bytes=_MOST_EVENT_BYTES).splitlines() if path.is_file() else []
    except FileProblem:
        return ()
    news: list[str] = []
    for line in reversed(lines):
        if len(news) >= _NEWS:
            break
        try:
            event = json.loads(line)
            news += [f"{event.get('time', '')} {told}" for told in reversed(render_event(state, event))]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            continue
    return tuple(news[:_NEWS])

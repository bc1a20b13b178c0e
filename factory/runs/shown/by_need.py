"""Which part of a file an engineer is shown, and in which order the files come.

Of a file that a work order only uses, it needs the declarations that it consumes. So that prompts of one
build begin alike, a file is shown with what all work orders of the plan consume of it, and files that more of
them use come first.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final

from factory.attempt.answers.versions import ContextFile
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import Plan, WorkOrder
from factory.languages.port import BadSymbol, Excerpt
from factory.languages.table import language_of, language_of_symbol, parse_symbol

SMALL_BYTES: Final = 1_500
"""A file up to this size is shown whole: what a part would save is a few lines."""

_LARGEST_PART: Final = 0.7
"""A part that is larger, measured by the whole, saves too little for what it hides."""


def shown_by_need(order: WorkOrder, files: Sequence[ContextFile], plan: Plan | None) -> list[ContextFile]:
    """The files in the order in which they are shown, those that are only used in part.

    A file is shown whole where the work order may write it, consumes nothing of it, or says so in its notes
    (`` `PATH` whole ``); where it is short, or no source whose parts can be told, or lacks what is consumed;
    and where a part of it would be most of it.

    Args:
        order: the work order.
        files: its context files and allowed files, whole.
        plan: that of the build; None if there is none.
    """
    orders = plan.work_orders if plan is not None else (order,)
    paths = [file.path for file in files]
    own = _consumed(order, paths)
    others = [_consumed(other, paths) for other in orders]
    asked = {
        path: sorted(names.union(*(other.get(path, ()) for other in others))) for path, names in own.items()
    }
    used = [file for file in files if file.path in own and _may_be_cut(file, order)]
    excerpts = _excerpts(used, asked)
    # What is declared in one file and imported by the part of another is needed, too.
    imported = {path: excerpt.imported for path, excerpt in excerpts.items()}
    excerpts = _excerpts(
        used,
        {
            path: [
                *names,
                *sorted(frozenset().union(*(words for place, words in imported.items() if place != path))),
            ]
            for path, names in asked.items()
        },
    )
    shown = [_in_part(file, excerpts.get(file.path), own.get(file.path, ())) for file in files]
    return sorted(shown, key=lambda file: _rank(file.path, orders))


def _consumed(order: WorkOrder, paths: Sequence[RepoPath]) -> dict[RepoPath, set[str]]:
    """The names that a work order consumes, by the file that they are in."""
    names: dict[RepoPath, set[str]] = {}
    for text in order.consumes:
        try:
            symbol = parse_symbol(text)
        except BadSymbol:
            continue
        place = language_of_symbol(text).place(symbol, paths, lambda path: path in paths)
        if place is not None:
            names.setdefault(RepoPath(place.path), set()).add(symbol.name)
    return names


def _may_be_cut(file: ContextFile, order: WorkOrder) -> bool:
    return (
        file.content is not None
        and file.path not in order.allowed_files
        and len(file.content.encode("utf-8")) > SMALL_BYTES
        and re.search(rf"`{re.escape(file.path)}` whole\b", order.notes or "") is None
    )


def _excerpts(
    files: Sequence[ContextFile], asked: Mapping[RepoPath, Sequence[str]]
) -> dict[RepoPath, Excerpt]:
    excerpts: dict[RepoPath, Excerpt] = {}
    for file in files:
        language = language_of(file.path)
        excerpt = language.excerpt(file.path, file.content or "", asked[file.path]) if language else None
        if excerpt is not None:
            excerpts[file.path] = excerpt
    return excerpts


def _in_part(file: ContextFile, excerpt: Excerpt | None, names: Collection[str]) -> ContextFile:
    if excerpt is None or any(name.partition(".")[0] not in excerpt.names for name in names):
        return file
    if len(excerpt.text) > _LARGEST_PART * len(file.content or ""):
        return file
    return replace(file, part=excerpt.text)


def _rank(path: RepoPath, orders: Sequence[WorkOrder]) -> tuple[int, int, str]:
    """Those come first that more work orders read, then those that are written earlier."""
    readers = sum(path in order.context_files for order in orders)
    written = (number for number, order in enumerate(orders) if path in order.allowed_files)
    return -readers, next(written, -1), path

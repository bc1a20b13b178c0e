"""Tells the user of words that stand in `forbidden` where a path was asked for, and what comes of them."""

from collections.abc import Callable, Collection, Iterable
from typing import Final

from factory.contract.repo_path import Prose, forbids
from factory.contract.work_order import WorkOrder
from factory.plans.states.forbidden import named_paths
from factory.system.git.client import Git
from factory.system.terminal.console import listed, visible

_SHOWN_CHARS: Final = 120


def tell_prose(orders: Iterable[WorkOrder], git: Git, commit: str, progress: Callable[[str], None]) -> None:
    """Tell once of all words in the `forbidden` of these work orders.

    Args:
        orders: those that are to be executed.
        git: the repository.
        commit: what they start from; its files are those that words can name.
        progress: gets a line for each.
    """
    words = [(order, entry) for order in orders for entry in order.forbidden if isinstance(entry, Prose)]
    if not words:
        return
    files = frozenset(git.paths("ls-tree", "-r", "-z", "--name-only", "--full-tree", commit))
    for order, prose in words:
        progress(f"{order.id}: {describe_prose(order, prose, files)}")


def describe_prose(order: WorkOrder, prose: Prose, files: Collection[str]) -> str:
    """What comes of words in the `forbidden` of a work order.

    Args:
        order: the work order.
        prose: the words.
        files: the repository's files.
    """
    text = " ".join(prose.split())
    shown = visible(text if len(text) <= _SHOWN_CHARS else text[: _SHOWN_CHARS - 1] + "…")
    named = named_paths(prose, files)
    allowed = [path for path in order.allowed_files if any(path.is_within(place) for place in named)]
    kept = [path for path in order.allowed_files if forbids(prose, path)]
    parts = [f"`forbidden` says in words, which the model is shown: {shown}"]
    if named:
        parts.append(f"they name {_quoted(named)}")
    else:
        parts.append("they name nothing that is in the repository")
    if kept:
        parts.append(f"{_quoted(kept)} may not be written, although `allowed_files` has it")
    elif allowed:
        parts.append(f"{_quoted(allowed)} may be written all the same, by `allowed_files`")
    return "; ".join(parts)


def _quoted(paths: Iterable[str]) -> str:
    return listed([f"`{visible(path)}`" for path in paths])

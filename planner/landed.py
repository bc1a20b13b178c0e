"""What a branch tells of a plan: which commit landed each work order, and what the plan started from.

Only reads.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from factory.contract.canonical import contract_hash
from factory.contract.errors import WorkorderError
from factory.contract.python_module import MAX_SOURCE_BYTES
from factory.contract.python_source import Read
from factory.contract.work_order import Plan
from factory.system.git import Git

_FORMAT: Final = "%x00".join(
    ("%H", *(f"%(trailers:key={key},valueonly,unfold,separator=%x2C)" for key in ("Work-Order", "Contract")))
)


class NoSuchBranch(WorkorderError):
    """A revision that the repository does not have."""


@dataclass(frozen=True)
class StartingPoint:
    """The repository as it would be without what a plan's work orders did.

    Attributes:
        files: its tracked files.
        read: gives their bytes as they were before a work order changed them.
    """

    files: frozenset[str]
    read: Read


def landed_commits(repo: Path, plan: Plan, branch: str | None = None) -> dict[str, str]:
    """The newest commit of each work order that has landed with its present contract, by id.

    Args:
        repo: the root of the repository.
        plan: the plan.
        branch: where to look; None for the checkout's HEAD.

    Raises:
        NotARepository: `repo` is not the root of a git work tree.
        NoSuchBranch: `branch` names no commit.
        GitError: git failed.
    """
    git = Git.open(repo)
    tip = _tip(git, branch)
    if tip is None:
        return {}
    contracts = {order.id: contract_hash(order) for order in plan.work_orders}
    found: dict[str, str] = {}
    listing = git.output("log", "--fixed-strings", "--grep=Contract: ", f"--format={_FORMAT}", tip, "--")
    for line in os.fsdecode(listing).split("\n"):
        commit, *trailers = line.split("\0")
        if len(trailers) == 2 and contracts.get(trailers[0]) == trailers[1]:
            found.setdefault(trailers[0], commit)
    return found


def starting_point(repo: Path, commits: Iterable[str], branch: str | None = None) -> StartingPoint:
    """What a plan starts from in a repository that holds a part of its results.

    What the user committed, before or in between, is a part of it.

    Args:
        repo: the root of the repository.
        commits: those that landed the plan's work orders, in the plan's order.
        branch: where to look; None for the checkout's HEAD.

    Raises:
        NotARepository: `repo` is not the root of a git work tree.
        NoSuchBranch: `branch` names no commit.
        GitError: git failed.
    """
    git = Git.open(repo)
    tip = _tip(git, branch)
    if tip is None:
        return StartingPoint(frozenset(), lambda path: None)
    added: set[str] = set()
    before: dict[str, str] = {}
    for commit in commits:
        added.update(_changed(git, commit, "A"))
        for path in _changed(git, commit, "M"):
            before.setdefault(path, f"{commit}^")

    def read(path: str) -> bytes | None:
        name = f"{before.get(path, tip)}:{path}"
        if not git.call("cat-file", "-e", name).ok:
            return None
        if int(git.text("cat-file", "-s", name)) > MAX_SOURCE_BYTES:
            raise WorkorderError(f"is larger than {MAX_SOURCE_BYTES:,} bytes", where=path)
        return git.output("cat-file", "blob", name)

    files = frozenset(git.paths("ls-tree", "-r", "-z", "--name-only", "--full-tree", tip))
    return StartingPoint(files - added, read)


def _changed(git: Git, commit: str, how: str) -> tuple[str, ...]:
    return git.paths(
        "diff-tree", "--root", "-r", "-z", "--no-commit-id", "--no-renames", "--name-only",
        f"--diff-filter={how}", commit,
    )  # fmt: skip


def _tip(git: Git, branch: str | None) -> str | None:
    """The commit to look at; None if the repository has none."""
    tip = git.commit_id(branch if branch is not None else "HEAD")
    if tip is None and branch is not None:
        raise NoSuchBranch("there is no such branch", where=f"--branch {branch}")
    return tip

"""The user's repository: where a run starts and lands, and whether a work order has landed there before.

Changes nothing. Whether a run may start is in `readiness`, moving the branch in `landing`.
"""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from factory.contract.errors import Fault, WorkorderError
from factory.system.git.client import Git, NotARepository, said
from factory.system.git.operations import operation_in_progress
from factory.system.terminal.console import visible

STATE_FOLDER: Final = "workorder"
"""Our folder in the repository's common git directory: the lock, and notes that a crash may leave."""


class Refused(WorkorderError):
    """The repository is not in a state in which a run may start; nothing was changed."""


class NotRestored(WorkorderError):
    """Something could not be put back; the message says what, and how to do it by hand."""

    fault = Fault.NOT_RESTORED


@dataclass(frozen=True)
class Target:
    """Where a run starts and where it lands.

    Attributes:
        git: the user's repository.
        branch: the branch's short name.
        ref: its full name.
        baseline: the full commit id that the run starts from.
        exists: whether the branch exists yet.
        checkout: the repository as seen from the work tree that has the branch checked out, if one has.
    """

    git: Git
    branch: str
    ref: str
    baseline: str
    exists: bool
    checkout: Git | None


def state_folder(git: Git) -> Path:
    """Our folder in the common git directory, made if it is missing."""
    folder = git.common_dir / STATE_FOLDER
    folder.mkdir(exist_ok=True)
    return folder


def require_outside(path: Path, git: Git, what: str = "the output directory") -> Path:
    """`path` as an absolute path, if it lies outside the repository and can be a directory.

    Raises:
        Refused: it is inside the work tree or the git directory, or is, or lies below, no directory.
    """
    resolved = path.resolve()
    nearest = next(place for place in (resolved, *resolved.parents) if place.exists())
    if not nearest.is_dir():
        raise Refused("is not a directory", where=str(nearest), hint=f"name another place for {what}")
    for inside in (git.work_tree, git.git_dir, git.common_dir):
        if resolved.is_relative_to(inside.resolve()):
            raise Refused(
                f"{what} lies inside the repository",
                where=str(path),
                hint="choose a directory beside it: what a run leaves is no part of the product",
            )
    return resolved


def target(git: Git, branch: str | None) -> Target:
    """Decide where the run starts and lands.

    Args:
        git: the repository.
        branch: the branch to land on, made from HEAD if it does not exist; None for the one checked out.

    Raises:
        Refused: there is no commit, HEAD is detached and no branch is named, or there can be no branch of
            that name.
    """
    head, current = git.head()
    if head is None:
        raise Refused(
            "the repository has no commit",
            where=str(git.work_tree),
            hint="make a first commit, an empty one will do",
        )
    if branch is None:
        if current is None:
            # A rebase or a bisection detaches HEAD, too, and is what the user should hear of.
            refuse_operation(git)
            raise Refused(
                "HEAD is detached, so there is no branch to land on",
                where=str(git.work_tree),
                hint="check out a branch, or name one with --branch",
            )
        _require_utf8(current)
        return Target(git, current.removeprefix("refs/heads/"), current, head, True, git)
    _require_utf8(branch)
    if branch.startswith("refs/heads/"):
        # As CI systems name one; git would make a branch of all of it.
        short = branch.removeprefix("refs/heads/")
        raise Refused(
            "is not the short name of a branch", where=f"--branch {branch!r}", hint=f"say {short!r}"
        )
    ref = f"refs/heads/{branch}"
    if not git.call("check-ref-format", ref).ok or branch.startswith("-") or branch in ("HEAD", "@"):
        raise Refused(
            "is not a branch name", where=f"--branch {branch!r}", hint="choose one that `git branch` takes"
        )
    tip = git.commit_id(ref)
    if tip is None:
        _require_creatable(git, ref, head)
    return Target(
        git, branch, ref, tip or head, tip is not None, git if ref == current else checkout_of(git, ref)
    )


def checkout_of(git: Git, ref: str) -> Git | None:
    """The repository as seen from the work tree that has the branch `ref` checked out; None if none has.

    Raises:
        Refused: the work tree can't be used, so what happens to it could not be known.
    """
    # A pattern also finds what lies below it; where `ref` exists, nothing can.
    listing = git.output("for-each-ref", "--format=%(refname)%00%(worktreepath)", ref)
    name, _, place = listing.partition(b"\0")
    path = Path(os.fsdecode(place.removesuffix(b"\n")))
    if os.fsdecode(name) != ref or not path.is_absolute() or not path.is_dir():
        return None
    try:
        shown = Git.open(path)
    except NotARepository as error:
        if "bare" in error.message:
            return None
        raise Refused(
            f"the checkout of {ref.removeprefix('refs/heads/')} can't be used: {error.message}",
            where=str(path),
        ) from error
    # A copied repository still names the checkouts of the one that it was copied from.
    return replace(shown, lock=git.lock) if shown.common_dir.samefile(git.common_dir) else None


def refuse_operation(git: Git) -> None:
    """Refuse a checkout in which an operation is in progress.

    Raises:
        Refused: there is one.
    """
    operation = operation_in_progress(git.git_dir)
    if operation is not None:
        raise Refused(
            f"{operation} is in progress",
            where=str(git.work_tree),
            hint="finish it or abort it, then run again",
        )


def _require_utf8(branch: str) -> None:
    try:
        branch.encode("utf-8")
    except UnicodeEncodeError as error:
        raise Refused("the branch's name is not UTF-8", where=visible(branch)) from error


def _require_creatable(git: Git, ref: str, commit: str) -> None:
    orders = f"start\ncreate {ref} {commit}\nprepare\nabort\n"
    done = git.call("update-ref", "--stdin", stdin=os.fsencode(orders))
    if not done.ok:
        raise Refused(
            f"no branch of that name can be made: {said(done)}",
            where=f"--branch {ref.removeprefix('refs/heads/')}",
        )

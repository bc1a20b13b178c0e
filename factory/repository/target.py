"""The user's repository: where a run starts and lands, whether it may start, whether it landed before.

Changes nothing. Attempts happen elsewhere, see `workspace`; moving the branch is in `landing`.
"""

import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from factory.contract.errors import Fault, WorkorderError
from factory.system.git.client import OPERATIONS, Git, NotARepository, changed_entries, said
from factory.system.git.commits import CONTRACT, commits_naming
from factory.system.process.environment import searched_places
from factory.system.sandbox.visible import environments_in
from factory.system.terminal.console import visible

STATE_FOLDER: Final = "workorder"
"""Our folder in the repository's common git directory: the lock, and notes that a crash may leave."""

LOCK_WAIT_SECONDS: Final = 2.0
"""How long another git may hold the index: a status in an editor or a prompt takes less."""

_SHOWN: Final = 5
_SUBMODULE: Final = "160000 "


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


def outside(path: Path, git: Git, what: str = "the output directory") -> Path:
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
            _refuse_operation(git)
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


def require_ready(target: Target, *, in_place: bool, may_delete_ignored: bool) -> None:
    """Check everything that must hold before the first change.

    Raises:
        Refused: an operation is in progress, something is not committed, the user is unknown to git, or
            working in place would delete ignored files.
    """
    outside(Path(tempfile.gettempdir()), target.git, "the directory for temporary files (TMPDIR)")
    _refuse_rebase_of(target)
    for git in _distinct(target.git, target.checkout):
        _refuse_operation(git)
        dirty = changed_entries(git.output("status", "--porcelain", "-z", "--untracked-files=all"))
        if dirty:
            raise Refused(
                f"the checkout is not clean: {listed(dirty)}",
                where=str(git.work_tree),
                hint="commit or stash your changes, and commit, ignore or remove untracked files",
            )
    if target.checkout is not None:
        _refuse_index_lock(target.checkout)
    if in_place:
        _require_in_place(target, may_delete_ignored)
    for role in ("AUTHOR", "COMMITTER"):
        if not target.git.call("var", f"GIT_{role}_IDENT").ok:
            raise Refused(
                "git does not know who commits",
                where=str(target.git.work_tree),
                hint="set it: git config user.name NAME && git config user.email ADDRESS",
            )


def landed_commit(git: Git, ref: str, trailers: Mapping[str, str]) -> str | None:
    """The newest commit that `ref` reaches and whose trailers have these values; None if there is none.

    Args:
        git: the repository.
        ref: the full name of a branch, or a commit.
        trailers: values by the names of trailers, `Contract` among them.

    Raises:
        GitError: git failed.
    """
    for commit in commits_naming(git, ref, trailers[CONTRACT]):
        if trailers.items() <= commit.trailers.items():
            return commit.id
    return None


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


def operation_in_progress(git: Git) -> str | None:
    """What the user is in the middle of, such as `a merge`."""
    return next((what for name, what in OPERATIONS.items() if (git.git_dir / name).exists()), None)


def rebased_elsewhere(git: Git, ref: str) -> bool:
    """Whether a rebase in some work tree is going to move the branch when it ends."""
    for folder in ("rebase-merge", "rebase-apply"):
        for note in (
            git.common_dir / folder / "head-name",
            *git.common_dir.glob(f"worktrees/*/{folder}/head-name"),
        ):
            if note.is_file() and os.fsdecode(note.read_bytes()).strip() == ref:
                return True
    return False


def listed(names: Sequence[str]) -> str:
    """The first of the names, made fit for a line of text."""
    shown = [visible(name.strip()).replace("\n", "\\n") for name in names[:_SHOWN]]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(shown) + more


def _refuse_operation(git: Git) -> None:
    operation = operation_in_progress(git)
    if operation is not None:
        raise Refused(
            f"{operation} is in progress",
            where=str(git.work_tree),
            hint="finish it or abort it, then run again",
        )


def _refuse_rebase_of(target: Target) -> None:
    if rebased_elsewhere(target.git, target.ref):
        raise Refused(
            f"the branch {target.branch} is being rebased",
            where=str(target.git.work_tree),
            hint="finish the rebase or abort it, then run again",
        )


def _refuse_index_lock(git: Git) -> None:
    lock = git.git_dir / "index.lock"
    end = time.monotonic() + LOCK_WAIT_SECONDS
    while lock.exists():
        if time.monotonic() > end:
            raise Refused(
                "another git is at work in the checkout, or was killed there",
                where=str(lock),
                hint="wait for it; if no git is running, delete the file",
            )
        time.sleep(0.05)


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


def _require_in_place(target: Target, may_delete_ignored: bool) -> None:
    if target.checkout is not target.git:
        raise Refused(
            f"working in place needs the branch {target.branch} to be checked out",
            where=str(target.git.work_tree),
        )
    _refuse_places_of_programs(target.git.work_tree)
    tracked = target.git.paths("ls-files", "-z", "--stage")
    submodules = [entry.partition("\t")[2] for entry in tracked if entry.startswith(_SUBMODULE)]
    if submodules:
        # What a command makes a repository there, git obeys: ours while it compares, the user's ever after.
        raise Refused(
            f"working in place can't put submodules back: {listed(submodules)}",
            where=str(target.git.work_tree),
            hint="leave out --in-place",
        )
    wanted = ("--others", "--ignored", "--exclude-standard", "--directory", "--no-empty-directory")
    ignored = target.git.paths("ls-files", "-z", *wanted)
    if ignored and not may_delete_ignored:
        raise Refused(
            f"working in place would delete ignored files: {listed(ignored)}",
            where=str(target.git.work_tree),
            hint="leave out --in-place, or say --delete-ignored if they may go",
        )


def _refuse_places_of_programs(root: Path) -> None:
    """Refuse variables by which our own programs would be looked for among files that commands write."""
    protected = environments_in(root)
    for name in ("PATH", "LD_LIBRARY_PATH"):
        for place in map(Path, searched_places(os.environ, name)):
            real = place.resolve()
            if real.is_relative_to(root) and not any(real.is_relative_to(kept) for kept in protected):
                raise Refused(
                    f"{name} names {visible(str(place))}: git would be looked for where commands write",
                    where=str(root),
                    hint=f"leave out --in-place, or take that off {name}",
                )


def _distinct(*repositories: Git | None) -> list[Git]:
    return list({git.work_tree: git for git in repositories if git is not None}.values())

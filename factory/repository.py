"""The user's repository: whether a run may start in it, and moving its branch when an attempt has passed.

The user's checkout is only touched by a landing, which is written down before it begins and finished by
the next start if it was cut off. Attempts happen elsewhere: see `workspace`.
"""

import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from factory.contract.errors import WorkorderError
from factory.contract.strict_json import read_json
from factory.system.files import read_bounded, write_atomic
from factory.system.git import NO_COMMIT, Git, GitError, changed_entries
from factory.system.signals import shielded

STATE_FOLDER: Final = "workorder"
"""Our folder in the repository's common git directory: the lock, and notes that a crash may leave."""

_OPERATIONS: Final = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "BISECT_LOG": "a bisection",
    "rebase-merge": "a rebase",
    "rebase-apply": "a rebase or am",
    "sequencer": "a sequence of picks",
}
_SHOWN: Final = 5
_STALE_LOCK_SECONDS: Final = 2.0


class Refused(WorkorderError):
    """The repository is not in a state in which a run may start; nothing was changed."""


class LandingFailed(WorkorderError):
    """A passed attempt could not become the branch's tip; the branch and the checkout are as they were."""


class NotRestored(WorkorderError):
    """Something could not be put back; the message says what, and how to do it by hand."""


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


def outside(out: Path, git: Git) -> Path:
    """`out` as an absolute path, if it lies outside the repository.

    Raises:
        Refused: it is inside the work tree or the git directory.
    """
    resolved = out.resolve()
    for inside in (git.work_tree, git.git_dir, git.common_dir):
        if resolved.is_relative_to(inside.resolve()):
            raise Refused(
                "the output directory lies inside the repository",
                where=str(out),
                hint="choose a directory beside it: artifacts are not part of the product",
            )
    return resolved


def target(git: Git, branch: str | None) -> Target:
    """Decide where the run starts and lands.

    Args:
        git: the repository.
        branch: the branch to land on, made from HEAD if it does not exist; None for the one checked out.

    Raises:
        Refused: there is no commit, HEAD is detached and no branch is named, or it is no branch name.
    """
    head = git.commit_id("HEAD")
    if head is None:
        raise Refused(
            "the repository has no commit",
            where=str(git.work_tree),
            hint="make a first commit, an empty one will do",
        )
    done = git.call("symbolic-ref", "--quiet", "HEAD")
    current = os.fsdecode(done.stdout).strip() if done.ok else None
    if branch is None:
        if current is None:
            raise Refused(
                "HEAD is detached, so there is no branch to land on",
                where=str(git.work_tree),
                hint="check out a branch, or name one with --branch",
            )
        return Target(git, current.removeprefix("refs/heads/"), current, head, True, git)
    ref = f"refs/heads/{branch}"
    if not git.call("check-ref-format", ref).ok or branch.startswith("-"):
        raise Refused("is not a branch name", where=f"--branch {branch}")
    tip = git.commit_id(ref)
    checkout = git if ref == current else _checkout_of(git, ref)
    return Target(git, branch, ref, tip or head, tip is not None, checkout)


def require_ready(target: Target, *, in_place: bool, may_delete_ignored: bool) -> None:
    """Check everything that must hold before the first change.

    Raises:
        Refused: an operation is in progress, something is not committed, the user is unknown to git, or
            working in place would delete ignored files.
    """
    for git in _distinct(target.git, target.checkout):
        for name, operation in _OPERATIONS.items():
            if (git.git_dir / name).exists():
                raise Refused(
                    f"{operation} is in progress",
                    where=str(git.work_tree),
                    hint="finish it or abort it, then run again",
                )
        dirty = changed_entries(git.output("status", "--porcelain", "-z", "--untracked-files=all"))
        if dirty:
            raise Refused(
                f"the checkout is not clean: {_listed(dirty)}",
                where=str(git.work_tree),
                hint="commit or stash your changes, and commit, ignore or remove untracked files",
            )
    if in_place:
        _require_in_place(target, may_delete_ignored)
    if not target.git.call("var", "GIT_COMMITTER_IDENT").ok:
        raise Refused(
            "git does not know who commits",
            where=str(target.git.work_tree),
            hint="set it: git config user.name NAME && git config user.email ADDRESS",
        )


def landed_commit(target: Target, order_id: str, contract: str) -> str | None:
    """The newest commit on the branch that names this work order with this contract; None if there is none.

    Only trailers count: the same words elsewhere in a message prove nothing.
    """
    if not target.exists:
        return None
    listing = target.git.output(
        "log",
        "--fixed-strings",
        f"--grep=Contract: {contract}",
        "--format=%H%x00%(trailers:key=Work-Order,valueonly,separator=%x2C)%x00%(trailers:key=Contract,valueonly,separator=%x2C)",
        target.ref,
    )
    for line in listing.decode("utf-8", "replace").splitlines():
        commit, orders, contracts = line.split("\0")
        if orders == order_id and contracts == contract:
            return commit
    return None


def land(target: Target, commit: str) -> None:
    """Move the branch to `commit` by compare-and-swap, and fast-forward the checkout that shows it.

    A signal waits until it is done; a crash in between is finished by `recover`.

    Raises:
        LandingFailed: the branch has moved, or the checkout was changed meanwhile; nothing was moved.
        NotRestored: the branch moved but the checkout could not follow.
    """
    old, new = target.baseline, commit
    with shielded():
        if target.checkout is not None:
            _require_fast_forward(target.checkout, old, new)
        note = state_folder(target.git) / "landing.json"
        tree = str(target.checkout.work_tree) if target.checkout else ""
        write_atomic(note, json.dumps({"checkout": tree, "new": new, "old": old, "ref": target.ref}).encode())
        try:
            moved = target.git.call(
                "update-ref", "-m", "workorder: land", target.ref, new, old if target.exists else NO_COMMIT
            )
            if not moved.ok:
                raise LandingFailed(
                    f"the branch {target.branch} moved while the run was going on",
                    where=str(target.git.work_tree),
                    hint="run again: it starts from the new tip and uses the stored answers that still fit",
                )
            if target.checkout is not None:
                _fast_forward(target.checkout, old, new)
        finally:
            note.unlink(missing_ok=True)


def recover(git: Git) -> str | None:
    """Finish a landing that a crash cut off. Call it with the repository's lock held.

    Returns:
        What was done, for the user; None if there was nothing to do.

    Raises:
        NotRestored: the checkout holds changes of the user's in the files of the landing.
    """
    note = state_folder(git) / "landing.json"
    if not note.exists():
        return None
    found = read_json(read_bounded(note), str(note))
    if not isinstance(found, dict):
        raise NotRestored(
            "is damaged", where=str(note), hint="compare your checkout with the branch, then delete it"
        )
    checkout, ref, old, new = (str(found.get(key, "")) for key in ("checkout", "ref", "old", "new"))
    message = None
    if checkout and git.commit_id(ref) == new:
        there = Git.open(Path(checkout))
        _remove_stale_index_lock(there)
        _complete(there, old, new)
        message = f"finished the landing of {new[:12]} that was cut off"
    note.unlink()
    return message


def _complete(git: Git, old: str, new: str) -> None:
    """Bring a checkout from anywhere between two commits to the second, if nothing else was changed."""
    landing = set(git.paths("diff", "--name-only", "-z", "--no-renames", old, new))
    differing = set(git.paths("diff", "--name-only", "-z", "--no-renames", old, "--"))
    untracked = set(git.paths("ls-files", "-z", "--others", "--exclude-standard"))
    foreign = sorted((differing | untracked) - landing)
    foreign += [path for path in sorted(landing) if not _is_between(git, path, old, new)]
    if foreign:
        raise NotRestored(
            f"a landing was cut off, and these files hold changes of yours: {_listed(foreign)}",
            where=str(git.work_tree),
            hint=f"save them elsewhere, then run `git reset --hard {new}`",
        )
    git.output("read-tree", "--reset", "-u", new)


def _is_between(git: Git, path: str, old: str, new: str) -> bool:
    """Whether a file is as in one of the commits, absent, or the beginning of the new one."""
    place = git.work_tree / path
    if not place.exists() and not place.is_symlink():
        return True
    if place.is_symlink() or not place.is_file():
        return False
    # The blobs as git would write them here, line endings and filters included.
    wanted = git.call("cat-file", "--filters", f"{new}:{path}").stdout
    before = git.call("cat-file", "--filters", f"{old}:{path}")
    data = place.read_bytes()
    return wanted.startswith(data) or (before.ok and data == before.stdout)


def _remove_stale_index_lock(git: Git) -> None:
    lock = git.git_dir / "index.lock"
    try:
        # Our own git call died with the crash; somebody else's would be younger or soon be done.
        if time.time() - lock.stat().st_mtime < _STALE_LOCK_SECONDS:
            time.sleep(_STALE_LOCK_SECONDS)
        lock.unlink()
    except FileNotFoundError:
        return


def _require_fast_forward(git: Git, old: str, new: str) -> None:
    if git.commit_id("HEAD") != old:
        raise LandingFailed(
            "the checkout moved to another commit while the run was going on",
            where=str(git.work_tree),
            hint="run again: it starts from the new tip",
        )
    dry = git.call("read-tree", "-m", "-u", "-n", old, new)
    if not dry.ok:
        said = dry.stderr.decode("utf-8", "replace").strip().removeprefix("error: ")
        raise LandingFailed(
            f"landing would overwrite files in the checkout: {said}",
            where=str(git.work_tree),
            hint="commit, move or remove them, then run again: the stored answers are used",
        )


def _fast_forward(git: Git, old: str, new: str) -> None:
    try:
        git.output("read-tree", "-m", "-u", old, new)
    except GitError as error:
        raise NotRestored(
            f"the branch moved to {new[:12]}, but the checkout could not follow: {error.message}",
            where=str(git.work_tree),
            hint=f"look at `git status`, save what you need, then run `git reset --hard {new}`",
        ) from error


def _checkout_of(git: Git, ref: str) -> Git | None:
    listing = git.output("worktree", "list", "--porcelain", "-z").decode("utf-8", "surrogateescape")
    for entry in listing.split("\0\0"):
        lines = entry.split("\0")
        if f"branch {ref}" in lines:
            path = Path(
                next(line for line in lines if line.startswith("worktree ")).removeprefix("worktree ")
            )
            return Git.open(path) if path.is_dir() else None
    return None


def _require_in_place(target: Target, may_delete_ignored: bool) -> None:
    if target.checkout is not target.git:
        raise Refused(
            f"working in place needs the branch {target.branch} to be checked out",
            where=str(target.git.work_tree),
        )
    ignored = target.git.paths("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
    if ignored and not may_delete_ignored:
        raise Refused(
            f"working in place would delete ignored files: {_listed(ignored)}",
            where=str(target.git.work_tree),
            hint="leave out --in-place, or say --delete-ignored if they may go",
        )


def _distinct(*repositories: Git | None) -> list[Git]:
    return list({git.work_tree: git for git in repositories if git is not None}.values())


def _listed(names: Sequence[str]) -> str:
    items = list(names)
    more = f" and {len(items) - _SHOWN} more" if len(items) > _SHOWN else ""
    return ", ".join(item.strip() for item in items[:_SHOWN]) + more

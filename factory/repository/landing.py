"""Landing: a passed attempt's commit becomes the branch's tip, and the checkout that shows it follows.

The user's checkout is only touched here. A landing is written down before it begins; the next start finishes
one that was cut off, or leaves everything as it was before. While it goes on it holds git's own lock of the
checkout's index, marked as ours, so that no git command of the user comes between.
"""

import json
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from factory.contract.errors import Fault, WorkorderError
from factory.contract.strict_json import read_json
from factory.repository.in_place_note import InPlaceNote
from factory.repository.target import (
    LOCK_WAIT_SECONDS,
    NotRestored,
    Target,
    checkout_of,
    listed,
    operation_in_progress,
    rebased_elsewhere,
    state_folder,
)
from factory.system.files.tree import read_bounded, sync_directory, sync_files, write_atomic
from factory.system.git.client import NO_COMMIT, Git, GitError, said
from factory.system.process.signals import shielded

_NOTE: Final = "landing.json"
_INDEX: Final = "landing.index"


class LandingFailed(WorkorderError):
    """A passed attempt could not become the branch's tip; the branch and the checkout are as they were."""

    fault = Fault.ENVIRONMENT


def land(target: Target, commit: str) -> None:
    """Move the branch to `commit` by compare-and-swap, and fast-forward the checkout that shows it.

    A signal waits until it is done; a crash in between is finished by `recover`.

    Raises:
        LandingFailed: the branch has moved, or the checkout was changed meanwhile; nothing was moved.
        NotRestored: the branch moved but the checkout could not follow.
    """
    with shielded():
        if rebased_elsewhere(target.git, target.ref):
            raise LandingFailed(
                f"the branch {target.branch} is being rebased",
                where=str(target.git.work_tree),
                hint="finish the rebase, then run again: the stored answers that still fit are used",
            )
        shown = _shown_in(target)
        if shown is None:
            _move(target, commit)
        else:
            _land_in_checkout(target, commit, shown)


def recover(git: Git) -> str | None:
    """Finish a landing that a crash cut off. Call it with the repository's lock held.

    Returns:
        What was done, for the user; None if there was nothing to do.

    Raises:
        NotRestored: the checkout holds changes of the user's in the files of the landing.
    """
    folder = state_folder(git)
    note = folder / _NOTE
    if not note.exists():
        return None
    old, new, ref = _noted(note)
    _remove_own_locks(git, note)
    message = None
    if git.commit_id(ref) == new:
        _, current = git.head()
        shown = git if current == ref else checkout_of(git, ref)
        if shown is not None and _complete(shown, old, new):
            message = f"finished the landing of {new[:12]} that was cut off"
        InPlaceNote.of(git).landed(ref, new)
    note.unlink()
    return message


def _shown_in(target: Target) -> Git | None:
    """The checkout that shows the branch now: the user may have switched branches while the run went on."""
    _, ref = target.git.head()
    return target.git if ref == target.ref else checkout_of(target.git, target.ref)


def _land_in_checkout(target: Target, commit: str, shown: Git) -> None:
    note = state_folder(target.git) / _NOTE
    content = {"new": commit, "old": target.baseline, "ref": target.ref}
    write_atomic(note, json.dumps(content).encode("ascii", "backslashreplace"))
    try:
        with _index_held(shown, note):
            _follow(target, commit, shown)
    except LandingFailed:
        note.unlink()
        raise
    InPlaceNote.of(target.git).landed(target.ref, commit)
    note.unlink()


def _follow(target: Target, commit: str, shown: Git) -> None:
    """Move the branch and bring the checkout along, through a copy of its index that takes its place last."""
    old = target.baseline
    _require_fast_forward(target, commit, shown)
    private = state_folder(target.git) / _INDEX
    own = shown.git_dir / "index"
    try:
        if own.exists():
            # With its time, by which git knows which entries it can't be sure of.
            shutil.copy2(own, private)
        through_copy = shown.with_index(private)
        # In a copied repository git would take every file for changed. What really is, the dry run says.
        through_copy.call("update-index", "-q", "--really-refresh")
        dry = through_copy.call("read-tree", "-m", "-u", "-n", old, commit)
        if not dry.ok:
            raise _in_the_way(shown, said(dry))
        _move(target, commit)
        try:
            through_copy.output("read-tree", "-m", "-u", old, commit)
            # Before the index says that the landing is complete, and that before the note goes.
            sync_files(shown.work_tree, _changed(target.git, old, commit))
            sync_files(private.parent, [private.name])
            private.replace(own)
            sync_directory(own.parent)
        except (GitError, OSError) as error:
            raise NotRestored(
                f"the branch moved to {commit[:12]}, but the checkout could not follow: {error}",
                where=str(shown.work_tree),
                hint="remove the cause, then run again: it finishes the landing first",
            ) from error
    finally:
        private.unlink(missing_ok=True)


def _move(target: Target, commit: str) -> None:
    old = target.baseline if target.exists else NO_COMMIT
    moved = target.git.call("update-ref", "-m", "workorder: land", target.ref, commit, old)
    if moved.ok:
        return
    tip = target.git.commit_id(target.ref)
    if tip == (target.baseline if target.exists else None):
        raise LandingFailed(
            f"the branch {target.branch} can't be moved: {said(moved)}",
            where=str(target.git.work_tree),
            hint="remove the cause, then run again: the stored answers are used",
        )
    raise LandingFailed(
        f"the branch {target.branch} moved while the run was going on",
        where=str(target.git.work_tree),
        hint="run again: it starts from the new tip and uses the stored answers that still fit",
    )


def _require_fast_forward(target: Target, commit: str, shown: Git) -> None:
    """What `read-tree` would not notice: another commit, an operation, and ignored files in the way."""
    operation = operation_in_progress(shown)
    if operation is not None:
        raise LandingFailed(
            f"{operation} is in progress in the checkout",
            where=str(shown.work_tree),
            hint="finish it or abort it, then run again: the stored answers that still fit are used",
        )
    # Asked with the index held: nobody moves HEAD now.
    if shown.head() != (target.baseline, target.ref):
        raise LandingFailed(
            "the checkout moved to another commit while the run was going on",
            where=str(shown.work_tree),
            hint="run again: it starts from the new tip",
        )
    added = _changed(target.git, target.baseline, commit, only="A")
    blocked = [path for path in added if _occupied(shown.work_tree, path)]
    if blocked:
        # Working in place, the attempt itself has made and staged them.
        known = shown.paths("ls-files", "-z", "--cached", "--", *blocked)
        blocked = [path for path in blocked if path not in known]
    if blocked:
        raise _in_the_way(shown, f"{listed(blocked)} came into being meanwhile")


def _in_the_way(shown: Git, reason: str) -> LandingFailed:
    return LandingFailed(
        f"landing would overwrite files in the checkout: {reason}",
        where=str(shown.work_tree),
        hint="commit, move or remove them, then run again: the stored answers that still fit are used",
    )


def _occupied(root: Path, path: str) -> bool:
    """Whether something is at `path`, or is no directory on the way to it."""
    place = root
    for segment in path.split("/")[:-1]:
        place = place / segment
        if not os.path.lexists(place):
            return False
        if place.is_symlink() or not place.is_dir():
            return True
    return os.path.lexists(root / path)


def _changed(git: Git, old: str, new: str, *, only: str = "") -> tuple[str, ...]:
    chosen = [f"--diff-filter={only}"] if only else []
    return git.paths("diff-tree", "-r", "-z", "--name-only", "--no-renames", *chosen, old, new)


# The lock and the note


@contextmanager
def _index_held(git: Git, note: Path) -> Iterator[None]:
    """Hold git's lock of the index; it holds what the note holds, so that no other is taken for ours."""
    lock = git.git_dir / "index.lock"
    end = time.monotonic() + LOCK_WAIT_SECONDS
    while True:
        try:
            _make_lock(lock, note)
            break
        except FileExistsError as error:
            if time.monotonic() > end:
                raise LandingFailed(
                    "another git is at work in the checkout, or was killed there",
                    where=str(lock),
                    hint="wait for it, or delete the file if no git is running; then run again: "
                    "the stored answers are used",
                ) from error
            time.sleep(0.05)
    try:
        yield
    finally:
        lock.unlink()


def _make_lock(lock: Path, note: Path) -> None:
    try:
        # A link, because it has its content from its first moment.
        lock.hardlink_to(note)
    except FileExistsError:
        raise
    except OSError:
        # A file system without hard links.
        with lock.open("xb") as file:
            file.write(note.read_bytes())


def _remove_own_locks(git: Git, note: Path) -> None:
    """Remove the locks of a landing that was killed."""
    for lock in (git.common_dir / "index.lock", *git.common_dir.glob("worktrees/*/index.lock")):
        if lock.is_file() and lock.read_bytes() == note.read_bytes():
            lock.unlink()
    for name in (_INDEX, f"{_INDEX}.lock"):
        note.with_name(name).unlink(missing_ok=True)


def _noted(note: Path) -> tuple[str, str, str]:
    try:
        found = read_json(read_bounded(note), str(note))
        if isinstance(found, dict) and all(isinstance(found.get(key), str) for key in ("old", "new", "ref")):
            return str(found["old"]), str(found["new"]), str(found["ref"])
    except WorkorderError:
        pass
    raise NotRestored(
        "the note about a landing that was cut off is damaged",
        where=str(note),
        hint="compare your checkout with the branch (`git status`), then delete the file",
    )


# Finishing a landing that was cut off


def _complete(git: Git, old: str, new: str) -> bool:
    """Bring the files of the landing to the new commit, and touch no other file.

    Returns:
        Whether there was something to do.

    Raises:
        NotRestored: one of the files holds something that is neither of the commits'.
    """
    paths = _changed(git, old, new)
    if not paths:
        return False
    entries = [_entries(git, "ls-files", "-z", "--stage", "--", *paths)]
    entries += [_entries(git, "ls-tree", "-z", commit, "--", *paths) for commit in (old, new)]
    staged, before, after = entries
    if staged == after:
        # The index is written last: the landing was complete, and what differs now is the user's work.
        return False
    theirs = [
        path
        for path in paths
        if staged.get(path) not in (before.get(path), after.get(path)) or not _is_between(git, path, old, new)
    ]
    if theirs:
        raise NotRestored(
            f"a landing was cut off, and these files hold changes of yours: {listed(theirs)}",
            where=str(git.work_tree),
            hint=f"save them elsewhere, then run `git reset --hard {new}`",
        )
    try:
        git.output("checkout", new, "--", *paths)
        sync_files(git.work_tree, paths)
        sync_files(git.git_dir, ["index"])
    except (GitError, OSError) as error:
        raise NotRestored(
            f"a landing was cut off and can't be finished: {error}",
            where=str(git.work_tree),
            hint="remove the cause, then run again",
        ) from error
    return True


def _entries(git: Git, *listing: str) -> dict[str, str]:
    """The mode and the object of each path, from `ls-files --stage` or `ls-tree`."""
    found = {}
    for entry in git.output(*listing).split(b"\0"):
        facts, tab, name = entry.partition(b"\t")
        if tab:
            words = facts.decode("ascii").split(" ")
            found[os.fsdecode(name)] = f"{words[0]} {words[1] if words[1] not in _TYPES else words[2]}"
    return found


_TYPES: Final = ("blob", "tree", "commit")


def _is_between(git: Git, path: str, old: str, new: str) -> bool:
    """Whether a file is as in one of the commits, absent, or the beginning of the new one."""
    place = git.work_tree / path
    if not os.path.lexists(place):
        # Something else on the way to it is not ours to replace.
        return not _occupied(git.work_tree, path)
    if place.is_symlink() or not place.is_file():
        return False
    # The blobs as git would write them here, line endings and filters included.
    wanted = git.call("cat-file", "--filters", f"{new}:{path}").stdout
    before = git.call("cat-file", "--filters", f"{old}:{path}")
    data = place.read_bytes()
    return wanted.startswith(data) or (before.ok and data == before.stdout)

"""Landing: a passed attempt's commit becomes the branch's tip, and the checkout that shows it follows.

The user's checkout is only touched here. A landing is written down before it begins; the next start finishes
one that was cut off, or leaves everything as it was before, see `recovery`. While it goes on it holds git's
own lock of the checkout's index, marked as ours, so that no git command of the user comes between.
"""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from factory.contract.errors import Fault, WorkorderError
from factory.repository.in_place_note import InPlaceNote
from factory.repository.index_lock import IndexLocked, hold_index
from factory.repository.landing_note import Landing, LandingNote
from factory.repository.target import NotRestored, Target, checkout_of
from factory.system.files.tree import sync_directory, sync_files
from factory.system.git.changes import Changes, changes
from factory.system.git.client import NO_COMMIT, Git, GitError, said
from factory.system.git.operations import operation_in_progress, rebased_elsewhere
from factory.system.process.signals import shielded
from factory.system.terminal.console import listed


class LandingFailed(WorkorderError):
    """A passed attempt could not become the branch's tip; the branch and the checkout are as they were."""

    fault = Fault.ENVIRONMENT


def land(target: Target, commit: str, changed: Changes | None = None) -> None:
    """Move the branch to `commit` by compare-and-swap, and fast-forward the checkout that shows it.

    A signal waits until it is done; a crash in between is finished by `recover`.

    Args:
        target: the branch, and its commit.
        commit: its next one.
        changed: what the one has that the other has not, where that is known.

    Raises:
        LandingFailed: the branch has moved, or the checkout was changed meanwhile; nothing was moved.
        NotRestored: the branch moved but the checkout could not follow.
    """
    with shielded():
        if rebased_elsewhere(target.git.common_dir, target.ref):
            raise LandingFailed(
                f"the branch {target.branch} is being rebased",
                where=str(target.git.work_tree),
                hint="finish the rebase, then run again: the stored answers that still fit are used",
            )
        shown = _shown_in(target)
        if shown is None:
            _move(target, commit)
            return
        if changed is None:
            changed = changes(target.git, target.baseline, commit)
        _land_in_checkout(target, commit, shown, changed)


def is_occupied(root: Path, path: str) -> bool:
    """Whether something is at `path`, or is no directory on the way to it."""
    place = root
    for segment in path.split("/")[:-1]:
        place = place / segment
        if not os.path.lexists(place):
            return False
        if place.is_symlink() or not place.is_dir():
            return True
    return os.path.lexists(root / path)


def _shown_in(target: Target) -> Git | None:
    """The checkout that shows the branch now: the user may have switched branches while the run went on."""
    _, ref = target.git.head()
    return target.git if ref == target.ref else checkout_of(target.git, target.ref)


def _land_in_checkout(target: Target, commit: str, shown: Git, changed: Changes) -> None:
    note = LandingNote.of(target.git)
    note.write(Landing(old=target.baseline, new=commit, ref=target.ref))
    try:
        with hold_index(shown, note.path):
            _follow(target, commit, shown, changed, note.index)
    except IndexLocked as error:
        note.remove()
        raise LandingFailed(
            error.message,
            where=error.where,
            hint="wait for it, or delete the file if no git is running; then run again: "
            "the stored answers are used",
        ) from error
    except LandingFailed:
        note.remove()
        raise
    InPlaceNote.of(target.git).advance(target.ref, commit)
    note.remove()


def _follow(target: Target, commit: str, shown: Git, changed: Changes, private: Path) -> None:
    """Move the branch and bring the checkout along, through a copy of its index that takes its place last."""
    old = target.baseline
    _require_fast_forward(target, [path for path, change in changed.items() if change.before is None], shown)
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
            sync_files(shown.work_tree, tuple(changed))
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


def _require_fast_forward(target: Target, added: Sequence[str], shown: Git) -> None:
    """What `read-tree` would not notice: another commit, an operation, and ignored files in the way."""
    operation = operation_in_progress(shown.git_dir)
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
    blocked = [path for path in added if is_occupied(shown.work_tree, path)]
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

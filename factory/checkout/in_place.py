"""Attempts in the user's own checkout, if the user said so: noticing and undoing what commands do there.

For throw-away clones. What git does not see is found by looking at everything, unlike in a checkout of ours.
"""

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from factory.checkout.state.git_state import UserRepository
from factory.checkout.workspace import Checkout, Place
from factory.contract.errors import WorkorderError
from factory.contract.repo_path import RepoPath
from factory.repository.in_place_note import InPlaceNote
from factory.repository.target import NotRestored, Target
from factory.system.git.client import Git, GitError
from factory.system.process.capture import capture
from factory.system.process.signals import shielded
from factory.system.removal import remove_tree, remove_trees
from factory.system.sandbox.levels.set_id import strip_set_id
from factory.system.terminal.console import listed, visible


class CheckoutInPlace(Checkout):
    """The user's checkout while attempts work in it.

    Args:
        user: the user's repository.
        baseline: the full id of the commit that is checked out.
        scratch: an empty directory for the homes of commands.
    """

    def __init__(self, user: Git, baseline: str, scratch: Path) -> None:
        state = UserRepository(user)
        super().__init__(user, baseline, scratch, state)
        self.own_git: UserRepository = state
        state.take()
        self.make_places()
        self._place = Place(user.work_tree)
        self._mode = stat.S_IMODE(user.work_tree.stat().st_mode)

    def reopen(self) -> None:
        """Let commands start in the checkout, and git work in it, though a command may have closed it."""
        if self._place.is_same() and stat.S_IMODE(self.root.stat().st_mode) != self._mode:
            self.root.chmod(self._mode)

    def offer(self, node_modules: Path | None, workspaces: Mapping[str, RepoPath] | None = None) -> None:
        if node_modules is None:
            return
        raise WorkorderError(
            "the packages of Node.js can't be shown to commands in your own checkout",
            where="--in-place",
            hint="leave it out: then commands work in a checkout of their own",
        )

    def changed_since_staging(self) -> tuple[str, ...]:
        if not self._place.is_same():
            return ("the checkout itself",)
        self.reopen()
        _remove_pipes(self.root)
        changes = self.own_git.changes()
        if not self.own_git.is_usable():
            return (*changes, ".git/index")
        return tuple(sorted({visible(name) for name in (*changes, *self._differing())}))

    def restore(self) -> None:
        with shielded():
            try:
                remains = self._put_back()
            except GitError as error:
                remains = (error.message,)
        if remains:
            raise NotRestored(
                f"not back at the baseline: {listed(remains)}",
                where=str(self.root),
                hint=f"run `git reset --hard {self.baseline[:12]}` and `git clean -fdx` there",
            )

    def advance(self) -> None:
        self.own_git.take()

    def _note_staged(self, paths: Sequence[RepoPath]) -> None:
        self.own_git.take()

    def _put_back(self) -> tuple[str, ...]:
        """Put everything back; what remains different."""
        if not self._place.is_same():
            return ("the checkout itself",)
        remove_trees(self.places)
        self.make_places()
        _remove_pipes(self.root)
        # Of what git does not look at, this would stay: a file that runs as its owner, for everybody.
        strip_set_id(self.root)
        self.own_git.restore()
        self.git.output("read-tree", "--reset", "-u", self.baseline)
        if not self.git.call("clean", "-ffdxq").ok:
            # Directories without write permission, or nested deeper than a path can name, stop git.
            capture(["chmod", "-R", "u+rwX", "--", "."], cwd=self.root, env=os.environ)
            for name in self.git.paths("ls-files", "-z", "--others", "--directory"):
                remove_tree(self.root / name)
            self.git.output("read-tree", "--reset", "-u", self.baseline)
            self.git.output("clean", "-ffdxq")
        self.own_git.take()
        return (
            *self.git.paths("diff", "--name-only", "-z", "--no-ext-diff", self.baseline, "--"),
            *self.git.paths("ls-files", "-z", "--others"),
        )


@contextmanager
def in_place(target: Target, scratch: Path) -> Iterator[CheckoutInPlace]:
    """Within the block attempts may work in the user's checkout; afterwards it is at the branch's commit.

    Args:
        target: whose checkout it is.
        scratch: an empty directory for the homes of commands.

    Raises:
        NotRestored: the checkout could not be put back.
    """
    user = target.git
    note = InPlaceNote.of(user)
    opened = CheckoutInPlace(user, target.baseline, scratch)
    state = opened.own_git
    try:
        note.write(target.baseline, state.fingerprint())
        yield opened
    finally:
        with shielded():
            try:
                opened.reopen()
                state.restore()
                # After a landing the branch is ahead of the baseline: HEAD is what must be restored.
                opened.baseline = user.commit_id("HEAD") or target.baseline
            except GitError as error:
                raise NotRestored(
                    f"git's own state could not be put back: {error.message}",
                    where=str(user.work_tree),
                    hint=f"the branch {target.branch} was at {target.baseline}",
                ) from error
            opened.restore()
            note.remove()


def restore_in_place(git: Git, *, in_place: bool) -> str | None:
    """Undo an attempt that was working in place when it was killed. Call it with the lock held.

    Returns:
        What was done, for the user; None if there was nothing to do.

    Raises:
        NotRestored: this run does not work in place, so the checkout may hold the user's own work; or git's
            own state is not what it was, and nobody knows who changed it.
    """
    place = InPlaceNote.of(git)
    note = place.read()
    if note is None:
        return None
    advice = f"look at `git status` and `git log`, put back what you want, and delete {place.path}"
    if not in_place:
        raise NotRestored(
            f"a run that worked in place on {note.baseline[:12]} was killed; its files may still be there",
            where=str(git.work_tree),
            hint=f"run again with --in-place, or {advice}",
        )
    user = UserRepository(git)
    now = {visible(name): value for name, value in user.fingerprint().items()}
    changed = sorted(name for name in {*now, *note.state} if now.get(name) != note.state.get(name))
    if changed:
        raise NotRestored(
            f"a run that worked in place was killed, and since then this has changed: {listed(changed)}",
            where=str(git.work_tree),
            hint=advice,
        )
    with shielded():
        user.take_locks_away()
        _remove_pipes(git.work_tree)
        git.output("read-tree", "--reset", "-u", note.baseline)
        git.output("clean", "-ffdxq")
        place.remove()
    return "undid an attempt that was killed while it worked in place"


def _remove_pipes(root: Path) -> None:
    """Remove named pipes: git would wait for ever on one with the name of a file that it reads by itself."""
    folders = [root]
    while folders:
        try:
            with os.scandir(folders.pop()) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(Path(entry.path))
                    elif not entry.is_symlink() and not entry.is_file(follow_symlinks=False):
                        _remove_if_pipe(Path(entry.path))
        except OSError:
            # Closed to us, or nested too deep for a path: git can't get there either.
            continue


def _remove_if_pipe(path: Path) -> None:
    if stat.S_ISFIFO(path.lstat().st_mode):
        path.unlink()

"""A throw-away checkout: files of a commit in a directory of their own, used for one attempt after the other.

It has a git directory of its own that borrows the user's objects, so that no git command of generated code
reaches the user's refs, configuration or hooks. Our own calls never use that directory: they see the checkout
through the user's git directory and a private index beside the checkout.

Between attempts it is put back in place, so that only what differs is touched, and made anew if that fails.
"""

import os
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from factory.checkout.node_modules import NodeModules
from factory.checkout.state.attributes import attributes, put_attributes_back
from factory.checkout.state.git_state import BorrowingRepository
from factory.checkout.state.stamps import wait_for_tick
from factory.checkout.state.tracked_folders import TrackedFolders
from factory.checkout.workspace import Checkout, Place
from factory.contract.errors import WorkorderError
from factory.contract.repo_path import RepoPath
from factory.system.git.client import Git
from factory.system.process.signals import shielded
from factory.system.removal import remove_tree, remove_trees
from factory.system.sandbox.levels.ownership import hand_over, hand_over_entries, other_user
from factory.system.terminal.console import visible

_ROOT: Final = "checkout"
_INDEX: Final = "index"


class ThrowAwayCheckout(Checkout):
    """A checkout in a directory of ours that can be moved from commit to commit.

    Args:
        user: the user's repository.
        scratch: the directory, empty.
        commit: the full id of the first baseline.
        owner: the user that commands run as, given the directory of the files; None for ourselves.

    Raises:
        GitError, OSError: it can't be made.
    """

    own_git: BorrowingRepository
    is_used: bool
    """Whether anything was staged since it was put back, as before any command runs."""

    def __init__(
        self, user: Git, scratch: Path, commit: str, owner: Callable[[Path], int | None] = lambda _root: None
    ) -> None:
        root = scratch / _ROOT
        root.mkdir()
        git = user.with_work_tree(root, scratch / _INDEX)
        super().__init__(git, commit, scratch, BorrowingRepository(git, commit))
        self.scratch = scratch
        self._first_owner = owner(root)
        self._made_for = self._first_owner
        self._scratch_place = Place(scratch)
        self._place = Place(root)
        self._attributes = attributes(scratch)
        self._folders = TrackedFolders(git)
        self._staged_folders: set[str] = set()
        self._offered: NodeModules | None = None
        self._make()

    @property
    def _owner(self) -> int | None:
        """The user that commands run as; None for ourselves."""
        if self._first_owner is None or not self.other_user:
            return self._first_owner
        return other_user(self._first_owner)

    def changed_since_staging(self) -> tuple[str, ...]:
        if not self._is_in_place():
            return ("the checkout itself",)
        self.scratch.chmod(0o700)
        self._folders.reopen()
        changes = [*self.own_git.changes()]
        if not self._is_offered():
            changes.append("../node_modules")
        if not self.own_git.is_usable():
            changes.append(".git/index")
        else:
            changes += self._blocking_attributes() or self._differing()
        return tuple(sorted({visible(name) for name in changes}))

    def offer(self, node_modules: Path | None, workspaces: Mapping[str, RepoPath] | None = None) -> None:
        offered = None if node_modules is None else NodeModules(node_modules, workspaces or {})
        if self._offered != offered:
            remove_tree(self.node_modules)
            if offered is not None:
                offered.lay(self.node_modules, self.root)
            self._offered = offered

    def restore(self) -> None:
        with shielded():
            self._put_back()

    def move_to(self, commit: str) -> None:
        """Make a commit the baseline, whatever an attempt did here; only what differs is written.

        Args:
            commit: its full id.

        Raises:
            GitError, OSError: the checkout can neither be moved nor made anew.
        """
        with shielded():
            self.baseline = commit
            self.own_git.move_to(commit)
            self._put_back()

    def advance(self) -> None:
        """Nothing changes: no landing happens here."""

    def _put_back(self) -> None:
        """Put everything where it belongs, or make it anew."""
        try:
            is_in_place = self._put_in_place()
        except (WorkorderError, OSError):
            # What stopped it is what an attempt did, which making everything anew does not depend on.
            is_in_place = False
        if not is_in_place:
            self._make()

    def stage(self, paths: Sequence[RepoPath]) -> str:
        self.is_used = True
        # Before git looks at them, which takes note of their owner.
        self._hand_over([*paths, *_folders_of(paths)])
        return super().stage(paths)

    def _note_staged(self, paths: Sequence[RepoPath]) -> None:
        index = self.scratch / _INDEX
        # Git compares times by the second, but reads files that are as new as its index: let it read these.
        # One that was taken away has no time.
        files = [file for path in paths if os.path.lexists(file := self.root / path)]
        oldest = min(path.lstat().st_mtime_ns for path in (index, *files))
        os.utime(index, ns=(oldest, oldest))
        self._staged_folders = _folders_of(paths)
        self.own_git.take()
        wait_for_tick(self.scratch)

    def _differing(self) -> tuple[str, ...]:
        lock = self.scratch / f"{_INDEX}.lock"
        remove_tree(lock)
        # Git would write down a time that a command has set, and believe it from then on.
        lock.touch(exist_ok=False)
        try:
            return super()._differing()
        finally:
            lock.unlink()

    def _blocking_attributes(self) -> list[str]:
        """Remove what git would wait for when it reads attributes; the paths of what can't be removed."""
        blocking = []
        for folder in {*self._folders.paths, *self._staged_folders}:
            path = f"{self.root}/{folder}/.gitattributes"
            if _would_block(path) and Path(path).parent.resolve() == self.root / folder:
                try:
                    Path(path).unlink()
                except OSError:
                    blocking.append(f"{folder}/.gitattributes".lstrip("/"))
        return blocking

    def _put_in_place(self) -> bool:
        """Put everything where it belongs; whether it is there."""
        if not self._is_in_place() or not self.own_git.is_usable() or self._made_for != self._owner:
            return False
        self._clear_scratch(_ROOT, _INDEX)
        self._folders.expect(self.baseline)
        self._folders.clear()
        self.own_git.restore()
        self.git.output("read-tree", "--reset", "-u", self.baseline)
        # What git wrote are new entries of their directories.
        self._hand_over(self._folders.changed_entries())
        is_as_committed = self._refresh()
        foreign = self._take()
        return is_as_committed and not foreign

    def _make(self) -> None:
        """Make everything anew."""
        if not self._scratch_place.is_same():
            remove_tree(self.scratch)
            self.scratch.mkdir(mode=0o700)
            self._scratch_place.take()
        self._clear_scratch()
        self.root.mkdir()
        self._place.take()
        self._folders.forget()
        self._made_for = self._owner
        self.git.output("read-tree", "--reset", "-u", self.baseline)
        if self._owner is not None:
            hand_over([self.root], self._owner)
            self._refresh()
        self._folders.expect(self.baseline)
        self._take()

    def _hand_over(self, paths: Iterable[str]) -> None:
        """Give what we wrote to the user that commands run as."""
        if self._owner is not None:
            hand_over_entries(self.root, paths, self._owner)

    def _refresh(self) -> bool:
        """Let git know the times of all tracked files; whether they are as committed."""
        return self.git.call("update-index", "--refresh", "--ignore-submodules").ok

    def _take(self) -> tuple[str, ...]:
        """Remember the present state as the right one; what does not belong there."""
        self._staged_folders = set()
        self.is_used = False
        submodules = self._folders.submodules
        if submodules:
            # Git would read, and wait for, what commands put there; what is there is known without it.
            names = b"".join(os.fsencode(path) + b"\0" for path in submodules)
            self.git.output("update-index", "--assume-unchanged", "-z", "--stdin", stdin=names)
        self.own_git.take()
        # Git refuses to work for who does not own it. What is in it stays ours.
        self._hand_over([self.own_git.NAME])
        foreign = self._folders.take()
        wait_for_tick(self.scratch)
        return foreign

    def _is_in_place(self) -> bool:
        return self._scratch_place.is_same() and self._place.is_same()

    def _clear_scratch(self, *kept: str) -> None:
        """Empty the homes of commands, and remove what they put beside them."""
        self.scratch.chmod(0o700)
        put_attributes_back(self.scratch, self._attributes)
        remove_trees(path for path in self.scratch.iterdir() if path.name not in kept)
        self.make_places()
        if self._offered is not None:
            self._offered.lay(self.node_modules, self.root)

    def _is_offered(self) -> bool:
        """Whether what was offered is still what commands find."""
        if self._offered is None:
            return not os.path.lexists(self.node_modules)
        return self._offered.is_laid(self.node_modules, self.root)


def _folders_of(paths: Iterable[RepoPath]) -> set[str]:
    return {"/".join(path.segments[:depth]) for path in paths for depth in range(1, len(path.segments))}


def _would_block(path: str) -> bool:
    """Whether opening it to read waits for a writer, or never comes to an end."""
    try:
        mode = os.lstat(path).st_mode
        if stat.S_ISLNK(mode):
            mode = Path(path).stat().st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)

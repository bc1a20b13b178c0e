"""Where attempts happen: a throw-away checkout of the baseline, or the user's own checkout if told so.

A throw-away checkout has a git directory of its own that borrows the user's objects, so that no git command
of generated code reaches the user's refs, configuration or hooks. Our own calls never use that directory:
they see the checkout through the user's git directory and a private index beside the checkout.
"""

import os
import secrets
import stat
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from factory.contract.repo_path import RepoPath
from factory.git_state import BorrowingRepository, GitState, UserRepository, remove_tree
from factory.in_place import InPlaceNote
from factory.repository import NotRestored, Target, listed, state_folder
from factory.system.console import visible
from factory.system.files import Tree, write_atomic
from factory.system.git import Git, GitError
from factory.system.process import capture
from factory.system.signals import shielded

_PREFIX: Final = "workorder-"
_NOTE: Final = "checkouts"


@dataclass(frozen=True)
class Checkout:
    """The files an attempt works on.

    Attributes:
        git: the user's repository, looking at these files through the right index.
        baseline: the commit that `restore` goes back to.
        home: an empty directory for commands that want a home.
        temporary: a directory for temporary files of commands.
        own_git: what commands must not change: the git directory they see.
        place: tells whether something else has taken the directory's place.
    """

    git: Git
    baseline: str
    home: Path
    temporary: Path
    own_git: GitState
    place: "Place"

    @property
    def root(self) -> Path:
        """The directory with the files."""
        return self.git.work_tree

    @property
    def tree(self) -> Tree:
        """The files, reached without following links."""
        return Tree(self.git.work_tree)

    def stage(self, paths: Sequence[RepoPath]) -> str:
        """Record the named files as the attempt's result; git's id of the resulting tree."""
        # -f: whether a file is ignored was decided before; a proposal's file is always part of the commit.
        self.git.output("add", "-f", "--", *paths)
        tree = self.git.text("write-tree")
        self.own_git.take()
        return tree

    def changed_since_staging(self) -> tuple[str, ...]:
        """What a command changed that it must not: tracked files, and git's own state; fit to be shown."""
        if not self.place.is_same():
            return ("the checkout itself",)
        _remove_pipes(self.root)
        found = self.own_git.changes()
        if not self.own_git.is_usable():
            return (*found, ".git/index")
        differing = self.git.paths("diff", "--name-only", "-z", "--no-ext-diff", "--ignore-submodules")
        self.own_git.looked()
        return tuple(sorted({visible(name) for name in (*found, *differing)}))

    def difference(self, tree: str) -> bytes:
        """The change from the baseline to `tree` as a patch."""
        return self.git.output("diff-tree", "-p", "--binary", "--full-index", self.baseline, tree)

    def landed(self) -> None:
        """The result is the branch's tip now, which an attempt in place goes back to from now on."""
        if not self.git.throw_away:
            self.own_git.take()

    def restore(self) -> None:
        """Go back to the baseline, and prove it.

        Raises:
            NotRestored: the user's checkout still differs from the baseline, or something remained in it.
            GitError: a throw-away checkout could not even be made anew.
        """
        with shielded():
            if self.git.throw_away:
                # Anew: git neither sees a socket, nor what is nested deeper than a path can name.
                self._rebuild()
                return
            try:
                remains = self._restored()
            except GitError as error:
                remains = (error.message,)
        if remains:
            raise NotRestored(
                f"not back at the baseline: {listed(remains)}",
                where=str(self.root),
                hint=f"run `git reset --hard {self.baseline[:12]}` and `git clean -fdx` there",
            )

    def _restored(self) -> tuple[str, ...]:
        """Put everything back; what remains different."""
        if not self.place.is_same():
            return ("the checkout itself",)
        for folder in (self.home, self.temporary):
            remove_tree(folder)
            folder.mkdir()
        _remove_pipes(self.root)
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

    def _rebuild(self) -> None:
        """Make a throw-away checkout anew."""
        for folder in (self.root, self.home, self.temporary):
            remove_tree(folder)
            folder.mkdir()
        self.place.take()
        assert self.git.index is not None
        for index in (self.git.index, self.git.index.with_name(f"{self.git.index.name}.lock")):
            remove_tree(index)
        self.git.output("read-tree", "--reset", "-u", self.baseline)
        self.own_git.take()


class Place:
    """Which directory is at a path: a command may have moved it away and put a link there."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._identity = (0, 0)
        self.take()

    def take(self) -> None:
        """Remember the present directory as the right one."""
        status = self._path.lstat()
        self._identity = (status.st_dev, status.st_ino)

    def is_same(self) -> bool:
        """Whether the directory is still there."""
        try:
            status = self._path.lstat()
        except OSError:
            return False
        return (status.st_dev, status.st_ino) == self._identity


@contextmanager
def checkout(target: Target, *, in_place: bool) -> Iterator[Checkout]:
    """Within the block there is a checkout at the baseline; afterwards nothing of it is left.

    Working in place, the user's checkout is put back to the branch's commit instead, also after an error.

    Raises:
        NotRestored: working in place, the checkout could not be put back.
    """
    scratch = Path(tempfile.gettempdir()).resolve() / f"{_PREFIX}{secrets.token_hex(8)}"
    # Remembered before it is made: what a kill leaves at any moment, the next start can find.
    _remember(target.git, scratch)
    try:
        scratch.mkdir(mode=0o700)
        for name in ("home", "tmp"):
            (scratch / name).mkdir()
        if in_place:
            with _in_place(target, scratch) as opened:
                yield opened
        else:
            yield _throw_away(target, scratch)
    finally:
        with shielded():
            remove_tree(scratch)
            if not os.path.lexists(scratch):
                _forget(target.git, scratch)


def remove_leftovers(git: Git) -> int:
    """Remove the checkouts that killed runs left. Call it with the repository's lock held.

    Returns:
        How many there were.
    """
    note = state_folder(git) / _NOTE
    temporary = Path(tempfile.gettempdir()).resolve()
    removed = 0
    for path in _remembered(note):
        # The note lies where others could write: only remove what has our shape in the temporary directory.
        if path.name.startswith(_PREFIX) and path.parent == temporary and not path.is_symlink():
            removed += path.is_dir()
            remove_tree(path)
        # One in another directory for temporary files waits for a run that uses that directory.
        if not os.path.lexists(path):
            _forget(git, path)
    return removed


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


def _throw_away(target: Target, scratch: Path) -> Checkout:
    root = scratch / "checkout"
    root.mkdir()
    git = target.git.with_work_tree(root, scratch / "index")
    git.output("read-tree", "--reset", "-u", target.baseline)
    state = BorrowingRepository(git, target.baseline)
    state.take()
    return Checkout(git, target.baseline, scratch / "home", scratch / "tmp", state, Place(root))


@contextmanager
def _in_place(target: Target, scratch: Path) -> Iterator[Checkout]:
    user = target.git
    note = InPlaceNote.of(user)
    state = UserRepository(user)
    state.take()
    opened = Checkout(user, target.baseline, scratch / "home", scratch / "tmp", state, Place(user.work_tree))
    try:
        note.write(target.baseline, state.fingerprint())
        yield opened
    finally:
        with shielded():
            try:
                state.restore()
                # After a landing the branch is ahead of the baseline: HEAD is what must be restored.
                head = user.commit_id("HEAD") or target.baseline
            except GitError as error:
                raise NotRestored(
                    f"git's own state could not be put back: {error.message}",
                    where=str(user.work_tree),
                    hint=f"the branch {target.branch} was at {target.baseline}",
                ) from error
            replace(opened, baseline=head).restore()
            note.remove()


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


def _remember(git: Git, scratch: Path) -> None:
    _write_note(git, {*_remembered(state_folder(git) / _NOTE), scratch})


def _forget(git: Git, scratch: Path) -> None:
    _write_note(git, set(_remembered(state_folder(git) / _NOTE)) - {scratch})


def _write_note(git: Git, paths: set[Path]) -> None:
    note = state_folder(git) / _NOTE
    if paths:
        write_atomic(note, b"".join(os.fsencode(path) + b"\0" for path in sorted(paths)))
    else:
        note.unlink(missing_ok=True)


def _remembered(note: Path) -> list[Path]:
    try:
        return [Path(os.fsdecode(part)) for part in note.read_bytes().split(b"\0") if part]
    except FileNotFoundError:
        return []

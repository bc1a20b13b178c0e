"""The git directory that commands see during an attempt: noticing what they change in it, and undoing that.

A throw-away checkout has a `BorrowingRepository`, rebuilt when it was damaged. Working in place, commands
see the user's own repository, a `UserRepository`, whose state is put back piece by piece.
"""

import os
import shutil
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Protocol

from factory.checkout.state.stamps import Stamp, stamp, wait_for_tick
from factory.checkout.state.watched_files import Entry, differences, name_of, put_back, watched
from factory.system.git.client import Git
from factory.system.process.capture import Captured
from factory.system.removal import remove_tree

_FOLDERS: Final = ("objects/info", "objects/pack", "refs/heads", "refs/tags")
_LOCKS: Final = ("index.lock", "HEAD.lock", "config.lock", "packed-refs.lock")


class GitState(Protocol):
    """What an attempt needs of the git directory that commands see."""

    def take(self) -> None:
        """Remember the present state as the right one."""
        ...

    def is_usable(self) -> bool:
        """Whether our own calls can use the checkout's index: on a pipe, git would wait for ever."""
        ...

    def changes(self) -> tuple[str, ...]:
        """What differs from the remembered state, as paths or full names of refs, sorted."""
        ...

    def restore(self) -> None:
        """Put back the remembered state, the index excepted, which the next `take` sets."""
        ...


class BorrowingRepository:
    """A git directory of a throw-away checkout, with the user's objects as alternates and nothing to lose.

    Whether an index was changed is told by its stamp: see `stamps` about the tick of the clock that must
    follow `take`.

    Args:
        git: the user's repository, looking at the checkout through the private index.
        baseline: the commit that HEAD names, detached.
    """

    NAME: Final = ".git"

    def __init__(self, git: Git, baseline: str) -> None:
        assert git.index is not None
        self.baseline = baseline
        self._tags: bytes | None = None
        self._git = git
        self._private = git.index
        self._own = git.work_tree / self.NAME
        self._settings: bytes | None = None
        self._files: Mapping[Path, Entry] = {}
        self._index: Stamp | None = None
        self._index_of_commands: Stamp | None = None

    def move_to(self, commit: str) -> None:
        """From the next `restore` on HEAD names another commit, and the tags are those that there are now."""
        self.baseline = commit
        self._tags = None

    def take(self) -> None:
        # Commands may have been here: no link of theirs is followed.
        if self._own.is_symlink() or not self._own.is_dir():
            self.restore()
        remove_tree(self._own / "index")
        # With its time, by which git knows which entries it can't be sure of.
        shutil.copy2(self._private, self._own / "index")
        self._files = watched(self._own, self._own)
        self._index = stamp(self._private)
        self._index_of_commands = stamp(self._own / "index")

    def is_usable(self) -> bool:
        return self._index is not None and stamp(self._private) == self._index

    def changes(self) -> tuple[str, ...]:
        if self._own.is_symlink() or not self._own.is_dir():
            return (".git",)
        changes = differences(self._files, watched(self._own, self._own), self._own)
        if not self._has_same_entries():
            changes.append(".git/index")
        return tuple(sorted(changes))

    def restore(self) -> None:
        remove_tree(self._own)
        self._create()

    def _create(self) -> None:
        user, own = self._git, self._own
        if self._settings is None:
            self._settings = self._initial_settings()
        else:
            own.mkdir()
        for folder in _FOLDERS:
            (own / folder).mkdir(parents=True, exist_ok=True)
        (own / "config").write_bytes(self._settings)
        (own / "objects" / "info" / "alternates").write_bytes(_quoted(user.common_dir / "objects") + b"\n")
        # Tags, because version numbers are made from them; branches are none of the attempt's business.
        if self._tags is None:
            self._tags = user.output("for-each-ref", "--format=%(objectname) %(refname)", "refs/tags")
        (own / "packed-refs").write_bytes(b"# pack-refs with: sorted \n" + self._tags)
        (own / "HEAD").write_bytes(self.baseline.encode("ascii") + b"\n")
        shallow = user.common_dir / "shallow"
        if shallow.exists():
            shutil.copyfile(shallow, own / "shallow")

    def _initial_settings(self) -> bytes:
        """Let git make the directory; the configuration that it finds right for this file system and hash."""
        self._git.output(
            "init",
            "--quiet",
            "--template=",
            f"--object-format={'sha256' if len(self.baseline) == 64 else 'sha1'}",
            str(self._git.work_tree),
            # Files, because we write refs as files.
            env={
                "GIT_DIR": str(self._own),
                "GIT_WORK_TREE": str(self._git.work_tree),
                "GIT_DEFAULT_REF_FORMAT": "files",
            },
        )
        return (self._own / "config").read_bytes()

    def _has_same_entries(self) -> bool:
        index = self._own / "index"
        present = stamp(index)
        if present == self._index_of_commands:
            return True
        if present is None or not stat.S_ISREG(present.mode) or not self.is_usable():
            return False
        # Names are stored so briefly that a small index may hold any number of long ones.
        if _header(index) != _header(self._private):
            return False
        # A command may write down that it looked at the files. Our git directory, their index: nothing in
        # theirs is obeyed.
        theirs = self._git.call("ls-files", "-s", "-z", env={"GIT_INDEX_FILE": str(index)})
        if not theirs.ok or theirs.stdout != self._git.output("ls-files", "-s", "-z"):
            return False
        wait_for_tick(self._private.parent)
        self._index_of_commands = present
        return True


def _header(index: Path) -> bytes:
    """The version of an index and how many entries it holds, see gitformat-index(5); empty if unreadable."""
    try:
        with index.open("rb") as file:
            return file.read(12)
    except OSError:
        return b""


class UserRepository:
    """The user's own git directory, when an attempt works in place."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._files: Mapping[Path, Entry] = {}
        self._refs: Mapping[str, str] = {}
        self._index = b""

    def take(self) -> None:
        self._files = self._watch()
        self._refs = self._read_refs()
        self._index = self._entries().stdout

    def is_usable(self) -> bool:
        return self._entries().ok

    def changes(self) -> tuple[str, ...]:
        changes = differences(self._files, self._watch(), self._git.common_dir)
        if changes:
            # Configuration that a command wrote must not steer our own calls.
            put_back(self._files, self._watch(), remove_tree)
        refs = self._read_refs()
        changes += [name for name in {*refs, *self._refs} if refs.get(name) != self._refs.get(name)]
        if self._entries().stdout != self._index:
            changes.append(".git/index")
        return tuple(sorted(changes))

    def restore(self) -> None:
        self.take_locks_away()
        put_back(self._files, self._watch(), remove_tree)
        entries = self._entries()
        if not entries.ok or entries.stdout != self._index:
            # Entries may be marked as not to be looked at: only without them is every file written anew.
            remove_tree(self._git.git_dir / "index")
        self._restore_refs()

    def _restore_refs(self) -> None:
        refs = self._read_refs()
        # Deleted first: `a` can't be made while `a/b` exists.
        for name in sorted({*refs} - {*self._refs}):
            self._git.output("update-ref", "--no-deref", "-d", name)
        for name, value in sorted(self._refs.items()):
            if refs.get(name) == value:
                continue
            if name not in refs:
                # A file that holds no commit's name would be in the way.
                remove_tree(self._git.common_dir / name)
            if value.startswith(_SYMBOLIC):
                self._git.output("symbolic-ref", name, value.removeprefix(_SYMBOLIC))
            else:
                self._git.output("update-ref", "--no-deref", name, value)

    def take_locks_away(self) -> None:
        """Remove git's locks: what held them was a command of an attempt, and is dead."""
        locks = [folder / name for folder in (self._git.git_dir, self._git.common_dir) for name in _LOCKS]
        for lock in (*locks, *(self._git.common_dir / "refs").rglob("*.lock")):
            remove_tree(lock)

    def fingerprint(self) -> dict[str, str]:
        """The present state in short, to tell after a crash whether it is still the same."""
        top = self._git.common_dir
        files = {name_of(path, top): entry.digest() for path, entry in self._watch().items()}
        return files | self._read_refs()

    def _entries(self) -> Captured:
        index = self._git.git_dir / "index"
        if os.path.lexists(index) and not index.is_file():
            return Captured(1, b"", b"the index is no file")
        # -v: with the marks of entries whose files are not looked at.
        return self._git.call("ls-files", "-s", "-v", "-z")

    def _watch(self) -> Mapping[Path, Entry]:
        return watched(self._git.git_dir, self._git.common_dir)

    def _read_refs(self) -> dict[str, str]:
        lines = self._git.text("for-each-ref", "--format=%(objectname) %(refname) %(symref)").splitlines()
        refs: dict[str, str] = {}
        for line in lines:
            commit, name, target = line.split(" ", 2)
            refs[name] = f"{_SYMBOLIC}{target}" if target else commit
        return refs


_SYMBOLIC: Final = "ref: "


def _quoted(path: Path) -> bytes:
    """A path as a line of git's `alternates`, which reads a line in quotes as a C string."""
    name = os.fsencode(path)
    if b"\n" not in name:
        return name
    return b'"' + name.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n") + b'"'

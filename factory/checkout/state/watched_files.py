"""The files of a git directory that steer git: their state, what changed in it, and putting it back.

Commands of an attempt may have replaced any of them, also by links, so nothing is followed.
"""

import hashlib
import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from factory.contract.errors import WorkorderError
from factory.system.files.tree import read_bounded, write_atomic
from factory.system.git.operations import OPERATIONS

_OF_WORK_TREE: Final = ("HEAD", "config.worktree", "info/sparse-checkout", *OPERATIONS)
_SHARED: Final = ("config", "info/attributes", "info/exclude", "info/grafts", "objects/info/alternates")
_FOLDERS: Final = ("hooks", "info", "objects/info")


@dataclass(frozen=True)
class Entry:
    """What is at one path.

    Attributes:
        kind: what it is; `other` is a pipe or something else that git doesn't put there.
        data: a file's bytes, or where a link leads.
        mode: a file's permissions.
    """

    kind: Literal["absent", "file", "link", "directory", "other"]
    data: bytes = b""
    mode: int = 0

    def digest(self) -> str:
        """A short form that differs when the entry does."""
        return hashlib.sha256(f"{self.kind} {self.mode:o} ".encode() + self.data).hexdigest()


def watched(git_dir: Path, common_dir: Path) -> dict[Path, Entry]:
    """The present state of the watched files, in order; what is absent is left out."""
    paths = {git_dir / name for name in _OF_WORK_TREE} | {common_dir / name for name in _SHARED}
    hooks = common_dir / "hooks"
    if hooks.is_dir() and not hooks.is_symlink():
        paths.update(hooks.iterdir())
    entries = {path: _entry(path) for path in paths}
    for path in (common_dir / name for name in _FOLDERS):
        # A folder matters only if something else has taken its place.
        if path.is_symlink() or not path.is_dir():
            entries[path] = _entry(path)
    return {path: entry for path, entry in sorted(entries.items()) if entry.kind != "absent"}


def files_in(folder: Path) -> dict[Path, Entry]:
    """What is in a directory; if something else is in its place, or it is closed, what is there instead."""
    try:
        if folder.is_dir() and not folder.is_symlink():
            return {path: _entry(path) for path in sorted(folder.iterdir())}
    except OSError:
        return {folder: Entry("other")}
    entry = _entry(folder)
    return {} if entry.kind == "absent" else {folder: entry}


def name_of(path: Path, top: Path) -> str:
    """What to call a watched file: its path below `.git`."""
    return ".git/" + (path.relative_to(top).as_posix() if path.is_relative_to(top) else path.name)


def differences(before: Mapping[Path, Entry], now: Mapping[Path, Entry], top: Path) -> list[str]:
    """The names of the entries that differ."""
    return [name_of(path, top) for path in sorted({*before, *now}) if before.get(path) != now.get(path)]


def put_back(before: Mapping[Path, Entry], now: Mapping[Path, Entry], remove: Callable[[Path], None]) -> None:
    """Make the watched files what they were. Files and links are all that git uses, so only they are made."""
    # In order, because a link that took the place of a folder must go before what was in the folder is made.
    for path in sorted({*before, *now}):
        wanted = before.get(path, _ABSENT)
        if _entry(path) == wanted:
            continue
        if wanted.kind != "file" or path.is_symlink() or path.is_dir():
            remove(path)
        if wanted.kind == "file":
            write_atomic(path, wanted.data, mode=wanted.mode)
        elif wanted.kind == "link":
            path.symlink_to(os.fsdecode(wanted.data))


_ABSENT: Final = Entry("absent")


def _entry(path: Path) -> Entry:
    try:
        mode = path.lstat().st_mode
    except OSError:
        return _ABSENT
    if stat.S_ISLNK(mode):
        return Entry("link", os.fsencode(path.readlink()))
    if stat.S_ISDIR(mode):
        return Entry("directory")
    if not stat.S_ISREG(mode):
        return Entry("other")
    try:
        return Entry("file", read_bounded(path), stat.S_IMODE(mode))
    except WorkorderError as error:
        return Entry("other", error.message.encode())

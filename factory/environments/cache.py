"""Where environments are kept: each made once, used by many, removed when nobody uses it.

An entry is a directory whose name says all that it was made from, so it never changes. Beside it stands its
lock, `NAME.lock`: whoever uses the entry holds it shared, whoever makes or removes it holds it alone. The
lock's time is when the entry was last used. Not here: what is in an entry.
"""

import fcntl
import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from factory.contract.errors import MachineProblem
from factory.system.removal import remove_tree

CACHE_VARIABLE: Final = "WORKORDER_CACHE_DIR"
"""Names the directory for what can be made again, in place of the system's usual one."""

_LOCK: Final = ".lock"
_MAKING: Final = ".making"
_REMOVING: Final = ".removing"
_FOLDER: Final = 0o755


@dataclass(frozen=True)
class Entry:
    """An environment that is kept.

    Attributes:
        name: its name.
        path: its directory.
        last_used: when it was last used, in seconds since 1970.
    """

    name: str
    path: Path
    last_used: float

    def size(self) -> int:
        """How many bytes its files have."""
        return sum(
            Path(place, name).lstat().st_size for place, _, files in os.walk(self.path) for name in files
        )


def cache_folder(own: Mapping[str, str]) -> Path:
    """The directory for what can be made again: the user's, of root one that its sandbox's users may enter.

    Args:
        own: the factory's own environment.

    Raises:
        MachineProblem: the variable names no absolute path.
    """
    named = own.get(CACHE_VARIABLE)
    if named:
        if not named.startswith("/"):
            raise MachineProblem(
                f"is no absolute path: {named}", where=CACHE_VARIABLE, hint="give the path from the root on"
            )
        return Path(os.path.normpath(named))
    # Only who looks for the directory needs it.
    from platformdirs import PlatformDirs

    return PlatformDirs("workorder", appauthor=False, use_site_for_root=True).user_cache_path


class Cache:
    """The environments that are kept in a directory.

    Args:
        folder: the directory; made when something is kept in it.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @contextmanager
    def entry(self, name: str, make: Callable[[Path, Path], None]) -> Iterator[Path]:
        """Within the block there is an entry, which nobody removes or changes.

        Args:
            name: its name, which says all that it is made from.
            make: makes it, if it is not there: told an empty directory to fill, and where that will be. What
                it puts there has no second name (hard link) elsewhere, because it is closed for writing.

        Raises:
            MachineProblem: it can't be kept here.
            WorkorderError, OSError: as `make` raises it.
        """
        self._prepare()
        path = self.folder / name
        while True:
            with self._locked(name) as lock:
                if self._take(lock, name, fcntl.LOCK_SH) and path.is_dir():
                    _note_use(lock)
                    yield path
                    return
            with self._locked(name) as lock:
                if self._take(lock, name, fcntl.LOCK_EX) and not path.is_dir():
                    self._make(path, make)

    def entries(self) -> tuple[Entry, ...]:
        """What is kept, by name."""
        found = []
        for path in self._paths(""):
            try:
                used = Path(f"{path}{_LOCK}").stat().st_mtime
            except OSError:
                used = path.lstat().st_mtime
            found.append(Entry(path.name, path, used))
        return tuple(sorted(found, key=lambda entry: entry.name))

    def prune(self, unused_since: float) -> tuple[tuple[Entry, ...], tuple[Entry, ...]]:
        """Remove what was not used since then and is not in use, and what a killed process left.

        Args:
            unused_since: the time, in seconds since 1970.

        Returns:
            What was removed; what was to be removed and is in use.

        Raises:
            OSError: it can't be removed.
        """
        removed: list[Entry] = []
        in_use: list[Entry] = []
        for entry in self.entries():
            if entry.last_used <= unused_since:
                (removed if self._remove(entry.name) else in_use).append(entry)
        for path in self._paths(_MAKING):
            self._remove(path.name.removesuffix(_MAKING))
        for path in self._paths(_REMOVING):
            remove_tree(path)
        for path in self.folder.glob("*.json"):
            # What was looked up to find an entry, which can be looked up again.
            if path.stat().st_mtime <= unused_since:
                path.unlink()
        return tuple(removed), tuple(in_use)

    def _paths(self, ending: str) -> list[Path]:
        """The directories with this ending; without one, the entries."""
        try:
            paths = [path for path in self.folder.iterdir() if not path.is_symlink() and path.is_dir()]
        except FileNotFoundError:
            return []
        others = (_LOCK, _MAKING, _REMOVING)
        return [
            path
            for path in paths
            if (path.name.endswith(ending) if ending else not path.name.endswith(others))
        ]

    def _remove(self, name: str) -> bool:
        """Remove an entry and what is left of its making; whether nobody uses it."""
        path = self.folder / name
        with self._locked(name) as lock:
            if not self._take(lock, name, fcntl.LOCK_EX | fcntl.LOCK_NB):
                return False
            leaving = self.folder / f"{name}{_REMOVING}"
            remove_tree(leaving)
            if path.is_dir():
                path.rename(leaving)
            # From here on who comes makes a lock of its own.
            Path(f"{path}{_LOCK}").unlink(missing_ok=True)
            remove_tree(self.folder / f"{name}{_MAKING}")
        remove_tree(leaving)
        return True

    def _make(self, path: Path, make: Callable[[Path, Path], None]) -> None:
        making = path.with_name(f"{path.name}{_MAKING}")
        # Of a process that was killed: a living one would hold the lock.
        remove_tree(making)
        try:
            making.mkdir(mode=_FOLDER)
            making.chmod(_FOLDER)
            make(making, path)
            _close(making)
            making.rename(path)
        except OSError as error:
            remove_tree(making)
            raise MachineProblem(
                f"an environment can't be kept there: {(error.strerror or str(error)).lower()}",
                where=str(path.parent),
                hint=f"make room or set {CACHE_VARIABLE} to another directory",
            ) from error
        except BaseException:
            remove_tree(making)
            raise

    @contextmanager
    def _locked(self, name: str) -> Iterator[int]:
        """The open lock of an entry, not taken yet."""
        path = self.folder / f"{name}{_LOCK}"
        flags = os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            lock = os.open(path, os.O_RDWR | os.O_CREAT | flags, 0o644)
        except PermissionError:
            # What another user keeps may be used all the same.
            try:
                lock = os.open(path, os.O_RDONLY | flags)
            except OSError as error:
                raise self._unusable(error) from error
        except OSError as error:
            raise self._unusable(error) from error
        try:
            yield lock
        finally:
            os.close(lock)

    def _take(self, lock: int, name: str, how: int) -> bool:
        """Take a lock; whether it was free, if that is asked, and is still the one of that name."""
        try:
            fcntl.flock(lock, how)
        except BlockingIOError:
            return False
        try:
            present = (self.folder / f"{name}{_LOCK}").lstat()
        except FileNotFoundError:
            return False
        own = os.fstat(lock)
        return (own.st_dev, own.st_ino) == (present.st_dev, present.st_ino)

    def _prepare(self) -> None:
        """Make the directory, and refuse one in which others could put what commands trust.

        Raises:
            MachineProblem: it can't be made, or others may write to it.
        """
        try:
            missing = [folder for folder in (self.folder, *self.folder.parents) if not folder.exists()]
            for folder in reversed(missing):
                folder.mkdir(exist_ok=True)
                # Whatever the umask: the users to whom root's sandbox switches must reach it.
                folder.chmod(_FOLDER)
            status = self.folder.stat()
        except OSError as error:
            raise self._unusable(error) from error
        if status.st_uid not in (os.geteuid(), 0) or status.st_mode & 0o022:
            raise MachineProblem(
                "others may write to the directory in which environments are kept",
                where=str(self.folder),
                hint=f"run `chmod go-w` on it, or set {CACHE_VARIABLE} to a directory of your own",
            )
        if os.geteuid() == 0:
            closed = [folder for folder in self.folder.parents if not folder.stat().st_mode & stat.S_IXOTH]
            if closed:
                raise MachineProblem(
                    "commands that run as another user than root can't reach the environments there",
                    where=str(closed[-1]),
                    hint=f"set {CACHE_VARIABLE} to a directory that everybody may enter",
                )

    def _unusable(self, error: OSError) -> MachineProblem:
        return MachineProblem(
            f"environments can't be kept there: {(error.strerror or str(error)).lower()}",
            where=str(self.folder),
            hint=f"make the directory writable, or set {CACHE_VARIABLE} to one that is",
        )


def _note_use(lock: int) -> None:
    try:
        os.utime(lock, (now := time.time(), now))
    except PermissionError:
        # Another user's: when it was last used is theirs to know.
        return


def _close(folder: Path) -> None:
    """Let everybody read what is in a directory, and nobody write to it."""
    for place, folders, files in os.walk(folder):
        for path in (Path(place, name) for name in (*folders, *files)):
            mode = path.lstat().st_mode
            if stat.S_ISDIR(mode):
                path.chmod(_FOLDER)
            elif stat.S_ISREG(mode):
                path.chmod(0o444 | (0o111 if mode & 0o100 else 0))

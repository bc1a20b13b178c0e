"""Files: bounded reading, atomic writing, and access below a root that never follows a link.

Everything below an attempt's root may have been written by a model or by code that a model wrote. The
`Tree` class therefore opens each directory on the way by descriptor and refuses links (openat with
O_NOFOLLOW), so that no swap between a check and a use leads outside.
"""

import fcntl
import os
import re
import secrets
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from factory.contract.errors import Fault, WorkorderError
from factory.contract.limits import MAX_JSON_BYTES
from factory.contract.repo_path import RepoPath

NEW_FILE_MODE: Final = 0o644

_UNFINISHED: Final = re.compile(r"\..*\.workorder-[a-z0-9_]{8}\.tmp", re.DOTALL)


class FileProblem(WorkorderError):
    """A file that can't be read or written as asked; `where` holds its path."""


class Unwritable(FileProblem):
    """A file of ours that the machine does not take: the disk is full, or a permission is missing."""

    fault = Fault.ENVIRONMENT


def read_bounded(path: Path, *, max_bytes: int = MAX_JSON_BYTES) -> bytes:
    """The bytes of a regular file.

    Raises:
        FileProblem: it does not exist, is not a regular file, can't be read, or is larger than `max_bytes`.
    """
    try:
        # O_NONBLOCK: opening a FIFO must not wait for its writer.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise FileProblem(f"can't be read: {_reason(error)}", where=str(path)) from error
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        raise FileProblem(f"is {_kind(mode)}, not a file", where=str(path))
    with open(descriptor, "rb") as file:
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise FileProblem(f"is larger than {max_bytes:,} bytes", where=str(path))
    return data


def write_atomic(path: Path, data: bytes, *, mode: int = NEW_FILE_MODE) -> None:
    """Write a whole file so that a reader, and a crash, sees either the old bytes or the new.

    Missing directories are made. The file is flushed to the disk before it gets its name, and the directory
    after. What a killed writer leaves is found by `remove_unfinished`.

    Raises:
        Unwritable: the file can't be written; nothing was changed.
    """
    try:
        _make_directory(path.parent)
        descriptor, temporary = _open_temporary(path)
    except OSError as error:
        raise Unwritable(f"can't be written: {_reason(error)}", where=str(path)) from error
    try:
        with open(descriptor, "wb") as file:
            os.fchmod(file.fileno(), mode)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            temporary.replace(path)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise Unwritable(f"can't be written: {_reason(error)}", where=str(path)) from error
        raise
    try:
        sync_directory(path.parent)
    except OSError as error:
        raise Unwritable(f"can't be made safe on the disk: {_reason(error)}", where=str(path)) from error


def remove_unfinished(directory: Path) -> int:
    """Remove the temporary files that killed calls of `write_atomic` left in a directory, not below it.

    Call it whenever you like: a living writer holds a lock on its file, so that nobody takes it away. One
    that has made its file and does not hold it yet finds out, and makes another.

    Returns:
        How many there were.
    """
    removed = 0
    with suppress(FileNotFoundError, NotADirectoryError):
        for path in directory.iterdir():
            if _UNFINISHED.fullmatch(path.name):
                removed += _remove_if_abandoned(path)
    return removed


def sync_files(root: Path, paths: Iterable[str]) -> None:
    """Flush files below `root`, and the directories in which they came, went or changed, to the disk.

    A link is flushed with its directory. What is missing, or is something else now, is passed over.

    Raises:
        OSError: the disk does not take it.
    """
    folders = set()
    for path in paths:
        place = root / path
        folders |= {folder for folder in place.parents if folder.is_relative_to(root)}
        if place.is_file() and not place.is_symlink():
            _sync(place, os.O_NONBLOCK)
    for folder in sorted(folders):
        if folder.is_dir():
            sync_directory(folder)


def sync_directory(path: Path) -> None:
    """Flush a directory's entries to the disk, so that a rename in it survives a power loss."""
    _sync(path, os.O_DIRECTORY)


def _sync(path: Path, how: int) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | how)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _make_directory(path: Path) -> None:
    """Make a directory and those above it, each for good."""
    # That it is something else is told when something is to be made in it.
    if os.path.lexists(path):
        return
    _make_directory(path.parent)
    path.mkdir(exist_ok=True)
    sync_directory(path.parent)


def _open_temporary(path: Path) -> tuple[int, Path]:
    """A new file beside `path`, open and locked until it is closed."""
    while True:
        descriptor, name = tempfile.mkstemp(
            dir=path.parent, prefix=f".{path.name[:40]}.workorder-", suffix=".tmp"
        )
        # Waits for nobody but a `remove_unfinished` that came before the lock, and has removed the file then.
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if os.fstat(descriptor).st_nlink:
            return descriptor, Path(name)
        os.close(descriptor)


def _remove_if_abandoned(path: Path) -> bool:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        # Its writer has finished meanwhile, or it is none of ours.
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        path.unlink()
    except (BlockingIOError, FileNotFoundError):
        return False
    finally:
        os.close(descriptor)
    return True


@dataclass(frozen=True)
class FoundFile:
    """A regular file as it was when it was opened."""

    data: bytes
    mode: int


class Tree:
    """The files below one root, reached without following links.

    Args:
        root: the directory; it is the caller's word that it may be used, links in it included.
        below: a directory in it, reached without following links, which paths are relative to; None for the
            root itself.
    """

    def __init__(self, root: Path, below: RepoPath | None = None) -> None:
        self.root = root
        self._below = below.segments if below is not None else ()

    def below(self, directory: RepoPath) -> "Tree":
        """The files below a directory, by paths that are relative to it."""
        return Tree(self.root, directory)

    def read(self, path: RepoPath, *, max_bytes: int) -> FoundFile | None:
        """The file at `path`, or None if there is nothing.

        Raises:
            FileProblem: a link, a directory or a special file is in the way, or the file is too large.
        """
        try:
            with self._parent(path) as parent:
                descriptor = os.open(
                    path.segments[-1],
                    os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC,
                    dir_fd=parent,
                )
                status = os.fstat(descriptor)
                if not stat.S_ISREG(status.st_mode):
                    os.close(descriptor)
                    raise FileProblem(f"is {_kind(status.st_mode)}, not a file", where=path)
                with open(descriptor, "rb") as file:
                    data = file.read(max_bytes + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._problem(path, error, "read") from error
        if len(data) > max_bytes:
            raise FileProblem(f"is larger than {max_bytes:,} bytes", where=path)
        return FoundFile(data, stat.S_IMODE(status.st_mode))

    def exists(self, path: RepoPath) -> bool:
        """Whether anything is at `path`, also a link that leads nowhere; no link on the way is followed."""
        try:
            with self._parent(path) as parent:
                os.stat(path.segments[-1], dir_fd=parent, follow_symlinks=False)
        except OSError:
            return False
        return True

    def write(self, path: RepoPath, data: bytes, *, mode: int) -> None:
        """Write a file atomically; missing directories are made.

        Raises:
            FileProblem: a link or something that is not a file is in the way, or the write failed; the file
                is as it was.
        """
        temporary = f".workorder-{secrets.token_hex(8)}.tmp"
        try:
            with self._parent(path, create=True) as parent:
                name = path.segments[-1]
                self._refuse_special(path, parent)
                descriptor = os.open(
                    temporary,
                    os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC,
                    0o600,
                    dir_fd=parent,
                )
                try:
                    with open(descriptor, "wb") as file:
                        file.write(data)
                        os.fchmod(file.fileno(), mode & 0o777)
                    os.replace(temporary, name, src_dir_fd=parent, dst_dir_fd=parent)
                except BaseException:
                    with suppress(OSError):
                        os.unlink(temporary, dir_fd=parent)
                    raise
        except OSError as error:
            raise self._problem(path, error, "written") from error

    @contextmanager
    def _parent(self, path: RepoPath, *, create: bool = False) -> Iterator[int]:
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for segment in (*self._below, *path.segments[:-1]):
                if create:
                    with suppress(FileExistsError):
                        os.mkdir(segment, 0o755, dir_fd=descriptor)
                below = os.open(segment, flags, dir_fd=descriptor)
                os.close(descriptor)
                descriptor = below
            yield descriptor
        finally:
            os.close(descriptor)

    @staticmethod
    def _refuse_special(path: RepoPath, parent: int) -> None:
        try:
            mode = os.stat(path.segments[-1], dir_fd=parent, follow_symlinks=False).st_mode
        except FileNotFoundError:
            return
        if not stat.S_ISREG(mode):
            raise FileProblem(f"is {_kind(mode)}, not a file", where=path)

    def _problem(self, path: RepoPath, error: OSError, done: str) -> FileProblem:
        """Say which name on the way is in the way; the descriptor walk only knows an error number."""
        walked = self.root.joinpath(*self._below)
        for number, segment in enumerate(path.segments, start=1):
            walked = walked / segment
            try:
                mode = walked.lstat().st_mode
            except OSError:
                break
            if number == len(path.segments) and not stat.S_ISREG(mode):
                return FileProblem(f"is {_kind(mode)}, not a file", where=path)
            if number < len(path.segments) and not stat.S_ISDIR(mode):
                place = "/".join(path.segments[:number])
                return FileProblem(f"leads through `{place}`, which is {_kind(mode)}", where=path)
        return FileProblem(f"can't be {done}: {_reason(error)}", where=path)


def _kind(mode: int) -> str:
    if stat.S_ISLNK(mode):
        return "a symbolic link"
    if stat.S_ISDIR(mode):
        return "a directory"
    if stat.S_ISREG(mode):
        return "a file"
    return "a special file"


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()

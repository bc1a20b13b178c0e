"""The machine's own shared memory, which commands reach at level `landlock`: what they leave there goes.

Multiprocessing needs it, and nothing there tells which program made a file. A throw-away user has nothing
else, so all that it owns goes. Of the user's own files there those go that appeared while a command ran and
that no living program holds: they may be another program's, which is why a level that does this says so.
"""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from factory.system.sandbox.levels.ownership import is_throw_away_user

SHARED_MEMORY: Final = Path("/dev/shm")

_Inode = tuple[int, int]


def clearing(user: int | None) -> Callable[[], None]:
    """What removes what a command leaves there; made before it begins, called when all of it has ended.

    Args:
        user: the throw-away user that the command becomes; None if it stays what we are.
    """
    if user is not None:
        _remove_abandoned()
        return lambda: _remove_of_user(user)
    names, inodes = set(), set()
    for path, status in _files():
        names.add(path)
        inodes.add((status.st_dev, status.st_ino))
    return lambda: _remove_new(names, inodes)


def _remove_of_user(user: int) -> None:
    for path, status in _files():
        if status.st_uid == user:
            path.unlink(missing_ok=True)


def _remove_abandoned() -> None:
    """Remove what commands of a factory left that was killed: files of throw-away users without processes."""
    left = [(path, status.st_uid) for path, status in _files() if is_throw_away_user(status.st_uid)]
    living = _users_of_processes() if left else set()
    for path, owner in left:
        if owner not in living:
            path.unlink(missing_ok=True)


def _remove_new(names: set[Path], inodes: set[_Inode]) -> None:
    """Remove our own files that are not among those that there were, unless a program holds them."""
    new = []
    for path, status in _files():
        if path in names or status.st_uid != os.geteuid():
            continue
        # An older file under a new name goes only where it has another one.
        if (status.st_dev, status.st_ino) not in inodes or status.st_nlink > 1:
            new.append((path, (status.st_dev, status.st_ino)))
    held = set(_held()) if new else set()
    for path, inode in new:
        if inode not in held:
            path.unlink(missing_ok=True)


def _files() -> Iterator[tuple[Path, os.stat_result]]:
    """The regular files in shared memory; a command can make nothing else there."""
    with suppress(FileNotFoundError):
        for path in SHARED_MEMORY.iterdir():
            with suppress(FileNotFoundError):
                status = path.lstat()
                if stat.S_ISREG(status.st_mode):
                    yield path, status


def _held() -> Iterator[_Inode]:
    """The files that living programs of ours have open or in their memory."""
    for process in _processes():
        # In this order: a file that is put into memory may be closed then.
        with suppress(OSError):
            for descriptor in (process / "fd").iterdir():
                with suppress(FileNotFoundError):
                    status = descriptor.stat()
                    yield (status.st_dev, status.st_ino)
        with suppress(OSError):
            for line in (process / "maps").read_bytes().splitlines():
                _, _, _, device, inode, *_ = line.split()
                major, minor = (int(number, 16) for number in device.split(b":"))
                yield (os.makedev(major, minor), int(inode))


def _users_of_processes() -> set[int]:
    users = set()
    for process in _processes():
        with suppress(OSError):
            # Not the owner of the directory: of a process that closed itself that is root.
            status = (process / "status").read_bytes()
            users |= {int(user) for user in status.partition(b"\nUid:")[2].split(maxsplit=4)[:4]}
    return users


def _processes() -> Iterator[Path]:
    return (entry for entry in Path("/proc").iterdir() if entry.name.isdigit())

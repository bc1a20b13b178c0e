"""What confined code left in a directory that would be dangerous outside of it."""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

_SET_ID: Final = stat.S_ISUID | stat.S_ISGID


def strip_set_id(root: Path) -> int:
    """Take the set-user and set-group bits off every file below a directory; how many had one.

    A filter of system calls keeps confined code from setting them, but not in every way that there is.
    Directories keep theirs: there the bit only says which group new files get. Follows no link, and goes as
    deep as there is something.
    """
    stripped = 0
    for folder, name, mode in _files(root):
        if mode & _SET_ID:
            with suppress(FileNotFoundError):
                descriptor = os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
                try:
                    if stat.S_ISREG(os.fstat(descriptor).st_mode):
                        Path(f"/proc/self/fd/{descriptor}").chmod(stat.S_IMODE(mode) & ~_SET_ID)
                        stripped += 1
                finally:
                    os.close(descriptor)
    return stripped


def _files(root: Path) -> Iterator[tuple[int, str, int]]:
    """Every regular file below `root`: its directory's descriptor, its name and its mode.

    One directory is open at a time, beside those above it, which wait with the names that are left in them.
    """
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    opened = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    levels: list[list[str]] = []
    try:
        while True:
            folders = []
            for entry in os.scandir(opened):
                status = entry.stat(follow_symlinks=False)
                if stat.S_ISDIR(status.st_mode):
                    folders.append(entry.name)
                elif stat.S_ISREG(status.st_mode):
                    yield opened, entry.name, status.st_mode
            levels.append(folders)
            # Up while there is nothing left, then down into the next.
            while levels and not _go_down(levels, opened, flags):
                levels.pop()
                if not levels:
                    return
                above = os.open("..", flags, dir_fd=opened)
                os.close(opened)
                opened = above
            below = os.open(levels[-1].pop(), flags, dir_fd=opened)
            os.close(opened)
            opened = below
    finally:
        os.close(opened)

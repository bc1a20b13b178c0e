"""Whether a file or a directory is untouched since we looked, without reading it.

Every change of a file's bytes, permissions or links, and every entry made in or taken from a directory, sets
the change time, which no program can choose. It has the grain of the file system's clock, often 4 ms: so
after stamps were taken and before others may write, the clock must tick once.
"""

import os
import time
from pathlib import Path
from typing import Final, NamedTuple

_LONGEST_WAIT_SECONDS: Final = 3.0
"""Longer than the coarsest grain, two seconds. A clock that was set back makes no time appear twice soon."""


class Stamp(NamedTuple):
    """What `lstat` says of one path: equal stamps mean that nothing has changed.

    Attributes:
        device: the file system.
        inode: the file in it.
        mode: its kind and permissions.
        size: in bytes.
        changed_ns: the change time, in nanoseconds.
    """

    device: int
    inode: int
    mode: int
    size: int
    changed_ns: int


def stamp(path: str | Path) -> Stamp | None:
    """The stamp of what is at `path`, a link not followed; None if nothing is, or it can't be reached."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return Stamp(status.st_dev, status.st_ino, status.st_mode, status.st_size, status.st_ctime_ns)


def wait_for_tick(folder: Path) -> None:
    """Return when what happens from now on has a later change time than what has happened.

    Args:
        folder: a directory of ours in the same file system; its times are set.

    Raises:
        OSError: its times can't be set.
    """
    end = time.monotonic() + _LONGEST_WAIT_SECONDS
    first = _now(folder)
    while _now(folder) <= first and time.monotonic() < end:
        time.sleep(0.0005)


def _now(folder: Path) -> int:
    os.utime(folder)
    return folder.lstat().st_ctime_ns

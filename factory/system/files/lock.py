"""One writer at a time: an advisory lock on a file, which the kernel releases when its holder dies."""

import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from factory.contract.errors import WorkorderError

_DYING_SECONDS: Final = 60.0
"""How long what a dead holder started may still hold its lock: a git that fills a large checkout."""


class Locked(WorkorderError):
    """Another process holds the lock."""


@contextmanager
def exclusive(path: Path, purpose: str, what: str = "this repository") -> Iterator[int]:
    """Hold the lock `path` within the block; its descriptor.

    A process that is started with the descriptor holds the lock, too. Whoever comes after a holder that was
    killed waits for such processes.

    The file stays, because removing it would let two processes lock two files of one name. A stale one is
    of no consequence: flock(2) is bound to the living process, not to the file.

    Args:
        path: the lock file; made if it is missing.
        purpose: what the holder does, for the message that another process shows.
        what: what is locked, for that message.

    Raises:
        Locked: another process holds it, and is alive.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    with open(descriptor, "r+b") as file:
        end = time.monotonic() + _DYING_SECONDS
        while not _take(descriptor):
            file.seek(0)
            content = file.read(1000)
            if not _is_of_the_dead(content) or time.monotonic() > end:
                raise Locked(
                    f"another run is at work in {what} ({_holder(content)})",
                    where=str(path),
                    hint="wait for it to end, or end it; the lock goes with its process",
                )
            time.sleep(0.02)
        file.seek(0)
        file.truncate()
        file.write(json.dumps({"pid": os.getpid(), "purpose": purpose}).encode())
        file.flush()
        yield descriptor


def _take(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_of_the_dead(content: bytes) -> bool:
    """Whether the process that wrote itself down as the holder has ended."""
    try:
        os.kill(int(json.loads(content)["pid"]), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError, ValueError, KeyError, TypeError):
        return False
    return False


def is_held(path: Path) -> bool:
    """Whether a living process holds the lock `path`; nothing is made or written.

    Raises:
        OSError: the file can't be opened.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        return False
    with open(descriptor, "rb") as file:
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def _holder(content: bytes) -> str:
    try:
        value = json.loads(content)
        return f"process {int(value['pid'])}, {str(value['purpose'])[:80]}"
    except (ValueError, KeyError, TypeError):
        return "holder unknown"

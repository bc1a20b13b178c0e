"""One writer at a time: an advisory lock on a file, which the kernel releases when its holder dies."""

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from factory.contract.errors import WorkorderError


class Locked(WorkorderError):
    """Another process holds the lock."""


@contextmanager
def exclusive(path: Path, purpose: str, what: str = "this repository") -> Iterator[None]:
    """Hold the lock `path` within the block.

    The file stays, because removing it would let two processes lock two files of one name. A stale one is
    of no consequence: flock(2) is bound to the living process, not to the file.

    Args:
        path: the lock file; made if it is missing.
        purpose: what the holder does, for the message that another process shows.
        what: what is locked, for that message.

    Raises:
        Locked: another process holds it.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
    with open(descriptor, "r+b") as file:
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Locked(
                f"another run is at work in {what} ({_holder(file.read(1000))})",
                where=str(path),
                hint="wait for it to end, or end it; the lock goes with its process",
            ) from error
        file.seek(0)
        file.truncate()
        file.write(json.dumps({"pid": os.getpid(), "purpose": purpose}).encode())
        file.flush()
        yield


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

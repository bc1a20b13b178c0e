"""Asks the process that holds a lock to end, once it is sure that it is that one."""

import json
import os
import signal
from contextlib import suppress
from pathlib import Path

from factory.system.files.lock import is_held


def end_holder(lock: Path, purpose: str) -> int | None:
    """Ask the holder of a lock to end, as Ctrl-C does.

    Args:
        lock: the lock's file.
        purpose: what its holder does, as it wrote that down.

    Returns:
        The number of the process; None if nobody holds the lock for that, or if it can't be told who does.
    """
    number = _written(lock, purpose)
    if number is None or number == os.getpid() or not is_held(lock):
        return None
    try:
        process = os.pidfd_open(number)
    except OSError:
        return None
    try:
        # From here on the descriptor means this process, whoever gets its number after it.
        if not _has_open(number, lock):
            return None
        signal.pidfd_send_signal(process, signal.SIGTERM)
    except (ProcessLookupError, PermissionError):
        return None
    finally:
        os.close(process)
    return number


def _written(lock: Path, purpose: str) -> int | None:
    try:
        value = json.loads(lock.read_bytes()[:1000])
        return int(value["pid"]) if value["purpose"] == purpose else None
    except (OSError, OverflowError, ValueError, KeyError, TypeError):
        return None


def _has_open(number: int, lock: Path) -> bool:
    """Whether a process has the file open."""
    with suppress(OSError):
        wanted = lock.stat()
        for entry in Path(f"/proc/{number}/fd").iterdir():
            with suppress(OSError):
                if os.path.samestat(entry.stat(), wanted):
                    return True
    return False

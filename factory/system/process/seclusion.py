"""Closes a process to all others of its user, for a program that judges code which runs beside it.

Without this a process may read what another one of the same user holds in its memory, its environment and
its descriptors, and open those anew; outside of the sandbox it may write into that memory, too. Executing a
program undoes it, so each judge does it for itself, before anything else can run. Its forks stay closed; the
programs that it starts are open again.

Standard library only; imports nothing of this project, so that a program outside of it can carry this file.
"""

import ctypes
import os
import sys

_PR_SET_DUMPABLE = 4


def seclude() -> None:
    """Close this process to others, but for root with its rights.

    The files `environ`, `io`, `auxv`, `mem` and `syscall` in its own /proc/self are closed to it, too; the
    rest of what a program reads there is not. Does nothing on other systems than Linux.

    Raises:
        OSError: the kernel refuses it.
    """
    if sys.platform == "linux" and ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), "PR_SET_DUMPABLE")

"""What a watch needs on a busy machine: to come first, and to stop what multiplies while it is killed."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from factory.system.sandbox.watch.usage import below_supervisor, is_below

_STOPPING_SECONDS: Final = 1.0
_LEAST_NICE: Final = -20


@contextmanager
def urgent() -> Iterator[None]:
    """Within the block this thread comes before all ordinary ones, if it may; what it starts does not."""
    if sys.platform != "linux":
        yield
        return
    before = os.sched_getscheduler(0), os.sched_getparam(0), os.getpriority(os.PRIO_PROCESS, 0)
    try:
        _come_first()
    except OSError:
        # Only root may, and not in every container.
        yield
        return
    try:
        yield
    finally:
        os.sched_setscheduler(0, *before[:2])
        os.setpriority(os.PRIO_PROCESS, 0, before[2])


def _come_first() -> None:
    try:
        os.sched_setscheduler(0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(1))
    except PermissionError:
        # A control group may have no time for that.
        os.sched_setscheduler(0, os.SCHED_OTHER | os.SCHED_RESET_ON_FORK, os.sched_param(0))
        os.setpriority(os.PRIO_PROCESS, 0, _LEAST_NICE)


def stop_below(supervisor: int) -> None:
    """Stop all that a supervised command has started, so that it no longer grows while it is killed."""
    end = time.monotonic() + _STOPPING_SECONDS
    stopped: set[int] = set()
    grows = True
    while grows and time.monotonic() < end:
        grows = False
        for pid in below_supervisor(supervisor):
            if pid not in stopped:
                grows = True
                stopped.add(pid)
                _stop(pid, supervisor)


def _stop(pid: int, supervisor: int) -> None:
    # It may be gone, and its number given to a stranger: the descriptor keeps who has it now.
    with suppress(OSError):
        held = os.pidfd_open(pid)
        try:
            if is_below(pid, supervisor):
                signal.pidfd_send_signal(held, signal.SIGSTOP)
        finally:
            os.close(held)

"""Turns SIGINT and SIGTERM into an exception that unwinds through every block that restores something.

The first signal raises `Interrupted` where the program is, or at the end of a `shielded` block. A second
one is not caught any more: it ends the process at once.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Interrupted(BaseException):
    """A signal asked the program to end. No Exception: no handler for ordinary failures may swallow it."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number

    @property
    def exit_code(self) -> int:
        """130 after SIGINT, 143 after SIGTERM: 128 and the signal's number."""
        return 128 + self.number


class _Pending:
    """The one piece of state that a signal handler can't be handed: which signal waits for a shield's end."""

    depth = 0
    number: int | None = None


@contextmanager
def interruptible() -> Iterator[None]:
    """Within the block, the first SIGINT or SIGTERM raises `Interrupted`. Main thread only."""
    _Pending.number = None
    before = {number: signal.signal(number, _on_signal) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def shielded() -> Iterator[None]:
    """Within the block a signal waits; it is raised when the outermost shield ends without an exception."""
    _Pending.depth += 1
    try:
        yield
    finally:
        _Pending.depth -= 1
    if _Pending.depth == 0 and _Pending.number is not None:
        number, _Pending.number = _Pending.number, None
        raise Interrupted(number)


def _on_signal(number: int, _frame: FrameType | None) -> None:
    for caught in (signal.SIGINT, signal.SIGTERM):
        signal.signal(caught, signal.SIG_DFL)
    if _Pending.depth:
        _Pending.number = number
        return
    raise Interrupted(number)

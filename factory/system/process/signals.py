"""Turns SIGINT, SIGTERM and SIGHUP into an exception that unwinds through each block that restores something.

The first signal raises `Interrupted` where the program is, or at the end of a `shielded` block. A second
one ends the process at once, after a last word about what is left; but a second SIGHUP is no impatient user:
a terminal that closes may send several. Signals reach only the main thread: how its workers learn of one is
in `stop`.
"""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_REPEATED: Final = (signal.SIGINT, signal.SIGTERM)
"""The signals of which a second one ends the process at once."""


class Interrupted(BaseException):
    """A signal asked the program to end. No Exception: no handler for ordinary failures may swallow it."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number

    @property
    def exit_code(self) -> int:
        """130 after SIGINT, 143 after SIGTERM, 129 after SIGHUP: 128 and the signal's number."""
        return 128 + self.number


class _Shield(threading.local):
    """The one piece of state that a signal handler can't be handed: which signal waits for a shield's end.

    Each thread has its own shields, because a handler interrupts the main thread and no other.
    """

    depth = 0
    number: int | None = None
    last_word: Callable[[], str] | None = None


_PENDING = _Shield()


@contextmanager
def interruptible(last_word: Callable[[], str] | None = None) -> Iterator[None]:
    """Within the block, the first SIGINT, SIGTERM or SIGHUP raises `Interrupted`. Main thread only.

    A SIGHUP that is ignored when the block begins, as nohup has it, stays ignored.

    Args:
        last_word: what to print when a second signal ends the process at once; may be called anywhere.
    """
    _PENDING.number, _PENDING.last_word = None, last_word
    hangup = () if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else (signal.SIGHUP,)
    before = {number: signal.signal(number, _on_signal) for number in (*_REPEATED, *hangup)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def shielded() -> Iterator[None]:
    """Within the block a signal waits; it is raised when the outermost shield ends without an exception."""
    _PENDING.depth += 1
    try:
        yield
    finally:
        _PENDING.depth -= 1
    if _PENDING.depth == 0 and _PENDING.number is not None:
        number, _PENDING.number = _PENDING.number, None
        raise Interrupted(number)


def _on_signal(number: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    for caught in _REPEATED:
        signal.signal(caught, _on_second_signal)
    if _PENDING.depth:
        _PENDING.number = number
        return
    raise Interrupted(number)


def _on_second_signal(number: int, _frame: FrameType | None) -> None:
    for caught in _REPEATED:
        signal.signal(caught, signal.SIG_IGN)
    if _PENDING.last_word is not None:
        # Not through a stream: this may have interrupted the very code that writes to it.
        os.write(2, _PENDING.last_word().encode("utf-8", "backslashreplace") + b"\n")
    os._exit(128 + number)

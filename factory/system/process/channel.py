"""A channel to one command: what it alone is handed, and what it hands back, by descriptors without names.

Another process may run beside the command and as its user, such as a service. Executing a program opens its
descriptors to that one for a moment; but a socket can't be opened again by the name that it has in /proc, and
a sealed file can't be written to.
"""

import fcntl
import os
import socket
import sys
import tempfile
from contextlib import ExitStack
from typing import Final

LARGEST_REPORT: Final = 32_000_000
"""How much of what a command hands back is kept, in bytes; more than that is none."""


class Channel:
    """Three descriptors that a command inherits; a block, at whose end they are closed.

    Attributes:
        inherited: where the command reads a word once, where it reports, and where it reads a text.
        reading: where its report arrives.
    """

    def __init__(self, word: bytes, text: bytes) -> None:
        self._received: list[bytes] = []
        self._size = 0
        with ExitStack() as opened:
            word_read, word_write = _pair()
            self._theirs = ExitStack()
            self._theirs.callback(os.close, word_read)
            opened.enter_context(self._theirs)
            os.write(word_write, word)
            os.close(word_write)
            self.reading, report_write = _pair()
            self._theirs.callback(os.close, report_write)
            opened.callback(os.close, self.reading)
            text_read = _sealed(text)
            self._theirs.callback(os.close, text_read)
            self.inherited = (word_read, report_write, text_read)
            self._closing = opened.pop_all()

    def __enter__(self) -> "Channel":
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.close()

    def close_inherited(self) -> None:
        """Close our copies of what the command has inherited."""
        self._theirs.close()

    def write(self, chunk: bytes) -> None:
        """Take what has arrived."""
        self._size += len(chunk)
        if self._size > LARGEST_REPORT:
            self._received.clear()
        else:
            self._received.append(chunk)

    @property
    def received(self) -> bytes:
        """What the command has handed back."""
        return b"".join(self._received)


def _pair() -> tuple[int, int]:
    """Two ends: what is written to one is read from the other, once."""
    one, other = socket.socketpair()
    return one.detach(), other.detach()


def _sealed(text: bytes) -> int:
    """A descriptor from which a text is read, and that nobody can change it by."""
    if sys.platform == "linux":
        descriptor = os.memfd_create("workorder", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        with open(descriptor, "wb", closefd=False) as file:
            file.write(text)
        seals = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, seals)
    else:
        with tempfile.TemporaryFile() as file:
            file.write(text)
            file.flush()
            descriptor = os.dup(file.fileno())
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor

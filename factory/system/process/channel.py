"""A channel to one command: what it alone is handed, and what it hands back, by descriptors without names."""

import os
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
            # A pipe: what was read from it can't be read again, by whatever name it has elsewhere.
            word_read, word_write = os.pipe()
            self._theirs = ExitStack()
            self._theirs.callback(os.close, word_read)
            opened.enter_context(self._theirs)
            os.write(word_write, word)
            os.close(word_write)
            self.reading, report_write = os.pipe()
            self._theirs.callback(os.close, report_write)
            opened.callback(os.close, self.reading)
            file = self._theirs.enter_context(tempfile.TemporaryFile())
            file.write(text)
            file.seek(0)
            self.inherited = (word_read, report_write, file.fileno())
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

"""A request to stop, made by one thread and heeded by another, also while that waits for a process.

Signals reach only the main thread (see `signals`); this is how it hands their meaning on to its workers.
"""

import os
import threading
from types import TracebackType
from typing import Self


class Stopped(BaseException):
    """Somebody asked this thread to stop. No Exception: no handler for ordinary failures may swallow it."""


class Stop:
    """One thread's reason to stop; a block, at whose end its descriptors are closed."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asked = False
        self._read, self._write = os.pipe()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._lock:
            os.close(self._read)
            if self._write >= 0:
                os.close(self._write)
            self._read = self._write = -1

    def ask(self) -> None:
        """Ask for the stop; once is enough, and after the block's end it is of no consequence."""
        with self._lock:
            self._asked = True
            if self._write >= 0:
                # The other end becomes readable, for good.
                os.close(self._write)
                self._write = -1

    @property
    def asked(self) -> bool:
        """Whether the stop was asked for."""
        return self._asked

    def heed(self) -> None:
        """Go on, unless the stop was asked for.

        Raises:
            Stopped: it was.
        """
        if self._asked:
            raise Stopped

    def fileno(self) -> int:
        """A descriptor that becomes readable with the request, for select(2)."""
        return self._read

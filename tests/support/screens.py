"""A command whose standard error is a terminal, and all that it writes there."""

import fcntl
import os
import pty
import struct
import subprocess
import termios
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from tests.support import starts

ROOT = Path(__file__).parents[2]


class Screen:
    """A command whose standard error is a terminal of 12 lines."""

    def __init__(self, argv: list[str], environment: Mapping[str, str] | None = None) -> None:
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 12, 90, 0, 0))
        variables = {**os.environ, "TERM": "xterm", **(environment or {})}
        self.process = starts.start(argv, cwd=ROOT, env=variables, stdout=subprocess.DEVNULL, stderr=slave)
        os.close(slave)

    def text(self) -> str:
        """All that was printed, once the process has ended."""
        data = b""
        # The other end is closed: that is how a terminal tells of it.
        with suppress(OSError):
            while got := os.read(self.master, 65_536):
                data += got
        os.close(self.master)
        return data.decode()

"""Programs of ours that run beside this one and end with it: they read standard input until it closes."""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

_ENDING_SECONDS: Final = 15.0


class Background:
    """A program that was started; a block, at whose end it has ended.

    Args:
        argv: its words.
        env: its environment variables, all of them.
        log: the file that gets what it prints.

    Raises:
        OSError: it can't be started.
    """

    def __init__(self, argv: Sequence[str], env: Mapping[str, str], log: Path) -> None:
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                list(argv),
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=output,
                env=dict(env),
                cwd="/",
                # A signal from the terminal is for whoever started it, who ends it in time.
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

    @property
    def has_ended(self) -> bool:
        """Whether it runs no more."""
        return self._process.poll() is not None

    def ask_to_end(self) -> None:
        """Let it end by itself."""
        if self._process.stdin is not None:
            self._process.stdin.close()

    def end(self) -> None:
        """Let it end, and see to it."""
        self.ask_to_end()
        try:
            self._process.wait(_ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

"""`factory`, with a clock on its phases: a child process of run_overhead.

    python run_phases.py REPORT STARTED FACTORY-ARGUMENT…

Two doors are timed from outside, so that the factory itself is the one that users run: the import statement,
and `capture`, through which git is called. STARTED is when the parent started this process, on the
monotonic clock that all processes share.
"""

import time

FIRST_LINE = time.monotonic()

import builtins  # noqa: E402
import json  # noqa: E402
import sys  # noqa: E402
import threading  # noqa: E402
from pathlib import Path  # noqa: E402
from typing import Any  # noqa: E402


class Clock:
    """Adds up the time inside something; calls inside a call count once."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.calls = 0
        self._inside = threading.local()

    def around(self, function: Any, *, counts: Any = lambda *_: True) -> Any:
        """`function`, timed whenever `counts` says so of its arguments."""

        def timed(*arguments: Any, **options: Any) -> Any:
            if getattr(self._inside, "now", False) or not counts(*arguments):
                return function(*arguments, **options)
            self._inside.now = True
            start = time.monotonic()
            try:
                return function(*arguments, **options)
            finally:
                self.seconds += time.monotonic() - start
                self.calls += 1
                self._inside.now = False

        return timed


def main(report: Path, started: float, arguments: list[str]) -> int:
    """Run the factory and write the phases."""
    imports, git = Clock(), Clock()
    builtins.__import__ = imports.around(builtins.__import__)
    # Every git of the factory goes through here; whoever imports it later gets the one with the clock.
    from factory.system.process import capture

    capture.capture = git.around(capture.capture, counts=lambda argv, *_: argv[0] == "git")
    from factory.cli import main as factory

    code = factory(arguments)
    ended = time.monotonic()
    report.write_text(
        json.dumps(
            {
                "started": started,
                "interpreter": FIRST_LINE - started,
                "imports": imports.seconds,
                "git": git.seconds,
                "git_calls": git.calls,
                "whole": ended - started,
            }
        )
    )
    return code


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]))

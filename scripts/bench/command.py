#!/usr/bin/env python3
"""What the supervisor adds to a command, beside the same command started without it.

    .venv/test/bin/python scripts/bench/command.py [ROUNDS]

The floor is `true`, started and waited for; bare Python stands beside it, because the supervisor is one.
"""

import os
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from measure import CHECKOUT, machine, median, milliseconds, process_seconds, table, taking_turns

sys.path.insert(0, str(CHECKOUT))

from factory.system.process.command import Command
from factory.system.process.launch import run


def main(rounds: int) -> None:
    """Measure and print the table."""
    with tempfile.TemporaryDirectory() as folder:
        print(machine())
        times = taking_turns(
            {
                "true": partial(process_seconds, ["true"]),
                "Python that does nothing": partial(process_seconds, [sys.executable, "-I", "-S", "-c", ""]),
                "true, supervised": partial(_supervised, Path(folder) / "output"),
            },
            rounds,
        )
    floor = median(times["true"])
    rows = [
        [
            name,
            milliseconds(median(seconds)),
            milliseconds(min(seconds)),
            milliseconds(median(seconds) - floor),
        ]
        for name, seconds in times.items()
    ]
    print(table(["", "median", "fastest", "over the floor"], rows))


def _supervised(output: Path) -> float:
    start = time.perf_counter()
    command = Command(("true",), None, {"PATH": os.environ["PATH"]}, timeout_seconds=60.0, stdout=output)
    if not run(command).ok:
        sys.exit("true failed")
    return time.perf_counter() - start


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50)

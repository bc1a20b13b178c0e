"""What the benchmarks share: taking turns, medians, and a plain table under a line that names the machine."""

import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]


def machine() -> str:
    """The machine, without anything that identifies it."""
    git = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout.split()[2]
    return (
        f"{os.cpu_count()} CPUs, {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}, git {git}, "
        f"load {os.getloadavg()[0]:.1f} at the start, {time.strftime('%Y-%m-%d')}"
    )


def taking_turns(actions: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, list[float]]:
    """Time several actions in turn, so that a busy moment of the machine hits all of them alike.

    Args:
        actions: each returns the seconds that count.
        rounds: how often each runs; one more round comes first and is not counted.

    Returns:
        The seconds of each round by the action's name.
    """
    times: dict[str, list[float]] = {name: [] for name in actions}
    for number in range(rounds + 1):
        for name, action in actions.items():
            seconds = action()
            if number > 0:
                times[name].append(seconds)
    return times


def process_seconds(argv: Sequence[str], *, passing: Sequence[int] = (0,)) -> float:
    """How long a process takes, run from the checkout so that it is this checkout that is measured."""
    start = time.perf_counter()
    done = subprocess.run(argv, cwd=CHECKOUT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    seconds = time.perf_counter() - start
    if done.returncode not in passing:
        sys.exit(f"{argv[1:4]} returned {done.returncode}: {done.stderr.decode()[-500:]}")
    return seconds


def median(times: Sequence[float]) -> float:
    """The middle of the times: one that was disturbed does not move it."""
    return statistics.median(times)


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns, the first aligned left and the others right."""
    lines = [list(header), *map(list, rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


def milliseconds(seconds: float) -> str:
    """Seconds as milliseconds."""
    return f"{seconds * 1000:.1f} ms"


def verdict(met: bool) -> str:
    """Whether a budget is met, in a word."""
    return "met" if met else "NOT MET"

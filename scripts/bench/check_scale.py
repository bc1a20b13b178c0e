#!/usr/bin/env python3
"""How the time of checking a plan grows with the number of its work orders.

    .venv/test/bin/python scripts/bench/check_scale.py [ROUNDS]

In one process, from the file on the disk to the diagnostics, which is all of `planner check` but the start
of Python. `growth` is the time for each work order beside that in the smallest plan: 1.0 is linear. The
budget is 1,000 work orders in the order of a second, taken as at most two.
"""

import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from measure import CHECKOUT, machine, median, milliseconds, table, taking_turns, verdict
from plans import write_plan

sys.path.insert(0, str(CHECKOUT))

from planner.check.on_disk import check_plan

SIZES = (10, 100, 1_000)
BUDGET_SECONDS = 2.0


def main(rounds: int) -> None:
    """Measure and print the table."""
    with tempfile.TemporaryDirectory() as folder:
        plans = {size: write_plan(Path(folder) / str(size), size) for size in SIZES}
        print(machine())
        times = taking_turns({str(size): partial(_check, plan) for size, plan in plans.items()}, rounds)
        each = {size: median(times[str(size)]) / size for size in SIZES}
        rows = [
            [
                f"{size:,}",
                f"{plans[size].stat().st_size / 1000:,.0f} KB",
                milliseconds(median(times[str(size)])),
                milliseconds(each[size]),
                f"{each[size] / each[SIZES[0]]:.2f}",
            ]
            for size in SIZES
        ]
        print(table(["work orders", "plan", "median", "each", "growth"], rows))
        largest = median(times[str(SIZES[-1])])
        print(f"budget, {SIZES[-1]:,} in {BUDGET_SECONDS:g} s: {verdict(largest <= BUDGET_SECONDS)}")


def _check(plan: Path) -> float:
    start = time.perf_counter()
    checked = check_plan(plan, frozenset())
    seconds = time.perf_counter() - start
    if checked.diagnostics:
        sys.exit(f"the generated plan is not clean: {checked.diagnostics[0]}")
    return seconds


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)

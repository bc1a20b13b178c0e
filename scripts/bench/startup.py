#!/usr/bin/env python3
"""How long the commands take that ask no model, beside an empty Python that imports argparse and pydantic.

    .venv/test/bin/python scripts/bench/startup.py [ROUNDS]

The budget is twice the floor. pydantic loads its parts when they are first used, so the floor touches
BaseModel, without which nothing can be done with it. For a command that is over the budget, the slowest
imports are listed.
"""

import re
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from measure import CHECKOUT, machine, median, milliseconds, process_seconds, table, taking_turns, verdict
from plans import plan as plan_of
from plans import write_plan

sys.path.insert(0, str(CHECKOUT))

from factory.builds.state.file import save_state
from factory.builds.state.model import BuildState
from factory.contract.work_order import Plan

BUDGET = 2.0
FLOOR = "floor: argparse, pydantic.BaseModel"
FLOOR_CODE = "import argparse, pydantic; pydantic.BaseModel"
SHOWN_IMPORTS = 12


def main(rounds: int) -> None:
    """Measure and print the table."""
    with tempfile.TemporaryDirectory() as folder:
        plan = write_plan(Path(folder), 10)
        state = BuildState.of(
            Plan.model_validate(plan_of(10)),
            repository=folder,
            branch="main",
            base="0" * 40,
            now="2026-01-01T00:00:00.000Z",
        )
        save_state(Path(folder), state)
        commands = {
            FLOOR: ["-c", FLOOR_CODE],
            "python alone": ["-c", ""],
            "import argparse, pydantic": ["-c", "import argparse, pydantic"],
            "planner --help": ["-m", "planner", "--help"],
            "factory --help": ["-m", "factory", "--help"],
            "planner explain E101": ["-m", "planner", "explain", "E101"],
            "planner check, 10 work orders": ["-m", "planner", "check", str(plan)],
            "factory status, 10 work orders": ["-m", "factory", "status", "--out", folder],
        }
        print(machine())
        times = taking_turns(
            {
                name: partial(process_seconds, [sys.executable, *arguments])
                for name, arguments in commands.items()
            },
            rounds,
        )
        floor = median(times[FLOOR])
        ratios = {name: median(seconds) / floor for name, seconds in times.items()}
        rows = [
            [
                name,
                milliseconds(median(seconds)),
                milliseconds(min(seconds)),
                f"{ratios[name]:.2f}",
                verdict(ratios[name] <= BUDGET) if arguments[0] == "-m" else "",
            ]
            for (name, seconds), arguments in zip(times.items(), commands.values(), strict=True)
        ]
        print(table(["", "median", "fastest", "to floor", f"budget {BUDGET:g}"], rows))
        for name, ratio in ratios.items():
            if ratio > BUDGET:
                print(f"\n{name}: the slowest imports that the floor does not have, by their own time")
                print(_slowest_imports(commands[name]))


def _slowest_imports(arguments: list[str]) -> str:
    own = _import_times(arguments)
    expected = _import_times(["-c", FLOOR_CODE])
    extra = sorted((name for name in own if name not in expected), key=own.__getitem__, reverse=True)
    total = sum(own[name] for name in extra)
    rows = [[name, milliseconds(own[name] / 1e6)] for name in extra[:SHOWN_IMPORTS]]
    return table(
        ["module", "own time"], [*rows, [f"all {len(extra)} that are extra", milliseconds(total / 1e6)]]
    )


def _import_times(arguments: list[str]) -> dict[str, int]:
    """The microseconds that each module's own import took."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments], cwd=CHECKOUT, capture_output=True, text=True
    )
    times = re.findall(r"^import time:\s+(\d+) \|\s+\d+ \|\s+(\S+)$", done.stderr, re.MULTILINE)
    return {name: int(microseconds) for microseconds, name in times}


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)

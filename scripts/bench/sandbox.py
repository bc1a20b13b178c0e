#!/usr/bin/env python3
"""What each level of the sandbox adds to a command, beside the same command supervised without one.

    .venv/test/bin/python scripts/bench/sandbox.py [ROUNDS]

The floor is `true` under the supervisor; the budget of a level is 30 ms above it, on an idle machine.
"""

import os
import sys
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path

from measure import CHECKOUT, machine, median, milliseconds, table, taking_turns, verdict

sys.path.insert(0, str(CHECKOUT))

from factory.system.process.launch import Command, run
from factory.system.sandbox.levels.choose import levels
from factory.system.sandbox.levels.unconfined import Unconfined
from factory.system.sandbox.policy import Policy
from factory.system.sandbox.port import Confinement
from factory.system.sandbox.visible import needed

BUDGET_SECONDS = 0.030


def main(rounds: int) -> None:
    """Measure and print the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        folder.chmod(0o755)
        root, home, temporary = places = folder / "checkout", folder / "home", folder / "tmp"
        for place in places:
            place.mkdir()
        environment = {"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(temporary)}
        command = Command(("true",), root, environment, timeout_seconds=60.0, stdout=folder / "output")
        policy = Policy(root, home, temporary, visible=needed(environment, os.environ))
        actions = {"supervised": partial(_seconds, command)}
        found = [level.sandbox for level in levels(os.environ) if level.sandbox is not None]
        for sandbox in (Unconfined(), *found):
            confined = replace(command, confined=Confinement(sandbox, policy))
            actions[f"--sandbox {sandbox.level}"] = partial(_seconds, confined)
        print(machine() + (", as root" if os.geteuid() == 0 else ""))
        times = taking_turns(actions, rounds)
    floor = median(times["supervised"])
    rows = [
        [
            name,
            milliseconds(median(seconds)),
            milliseconds(min(seconds)),
            f"{median(seconds) / floor:.2f}",
            milliseconds(median(seconds) - floor),
            "" if name == "supervised" else verdict(median(seconds) - floor <= BUDGET_SECONDS),
        ]
        for name, seconds in times.items()
    ]
    print(table(["", "median", "fastest", "ratio", "over the floor", "30 ms"], rows))


def _seconds(command: Command) -> float:
    outcome = run(command)
    if not outcome.ok:
        sys.exit(f"true failed: {outcome}")
    return outcome.seconds


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50)

#!/usr/bin/env python3
"""What a service costs a command, beside the bare command in the same sandbox.

    .venv/test/bin/python scripts/bench/services.py [ROUNDS]

The first command of a pass copies what the service begins with, later ones only start it. The budget is half
a second above the bare command for the first, and a quarter for the others, on an idle machine. A preset
whose programs are missing is left out.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path

from measure import CHECKOUT, machine, median, milliseconds, table, taking_turns, verdict

sys.path.insert(0, str(CHECKOUT))

from factory.contract.services.declared import Preset, Service
from factory.services.around import Around
from factory.services.presets import RECIPES
from factory.services.resolution import installed_programs, resolve
from factory.services.resolved import Services
from factory.services.templates import prepared
from factory.system.git.client import Git
from factory.system.process.command import Command
from factory.system.process.launch import run
from factory.system.removal import remove_tree
from factory.system.sandbox.kernel.find import find_control_groups
from factory.system.sandbox.levels.choose import choose
from factory.system.sandbox.levels.ownership import hand_over
from factory.system.sandbox.policy import Policy
from factory.system.sandbox.port import Confinement, Terms
from factory.system.sandbox.visible import needed

FIRST_BUDGET_SECONDS = 0.5
BUDGET_SECONDS = 0.25
PRESETS: tuple[Preset, ...] = ("postgres", "redis")


def main(rounds: int) -> None:
    """Measure and print the table."""
    sandbox = choose("bwrap", allow_unsandboxed=False, environment=os.environ)
    terms = Terms(sandbox, groups=find_control_groups().groups)
    print(machine() + (", as root" if os.geteuid() == 0 else ""))
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name).resolve()
        folder.chmod(0o755)
        places = [folder / part for part in ("checkout", "home", "tmp", "shared", "data")]
        for place in places:
            place.mkdir()
        root, home, temporary, shared, data = places
        if (owner := sandbox.owner_of(root)) is not None:
            hand_over([root], owner)
        subprocess.run(["git", "init", "--quiet", folder / "repo"], check=True)
        git = Git.open(folder / "repo")
        (git.common_dir / "workorder").mkdir()
        environment = {"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(temporary)}
        policy = Policy(root, home, temporary, shared, visible=needed(environment, os.environ), data=data)
        bare = Command(("true",), root, environment, 60.0, folder / "output")
        actions: dict[str, Callable[[], float]] = {
            "bare": partial(_seconds, replace(bare, confined=Confinement(sandbox, policy, terms.groups)))
        }
        for preset in PRESETS:
            if installed_programs(RECIPES[preset], os.environ) is None:
                print(f"{preset} is not installed, and left out")
                continue
            began = time.monotonic()
            declared = resolve((Service(preset=preset),), (), terms, os.environ)
            services = stack.enter_context(prepared(declared, git, terms, os.environ))
            print(
                f"{preset}: found and prepared in {milliseconds(time.monotonic() - began)}, once for a build"
            )
            shown = replace(policy, visible=(*policy.visible, *services.visible))
            command = replace(bare, confined=Confinement(sandbox, shown, terms.groups))
            actions[f"{preset}, first of a pass"] = partial(_served, command, services, data, is_first=True)
            actions[f"{preset}, later"] = partial(_served, command, services, data, is_first=False)
        _print(taking_turns(actions, rounds))


def _seconds(command: Command) -> float:
    outcome = run(command)
    assert outcome.ok, outcome
    return outcome.seconds


def _served(command: Command, services: Services, data: Path, *, is_first: bool) -> float:
    own = data / services.all[0].ordered.name
    if is_first:
        remove_tree(own)
        Path(f"{own}.made").unlink(missing_ok=True)
    around = Around(services, data)
    outcome = around(command)
    assert outcome.ok, (outcome, around.unready)
    return outcome.seconds


def _print(measured: Mapping[str, list[float]]) -> None:
    floor = median(measured["bare"])
    print(table(["", "median", "fastest", "over the floor", "budget"], list(_rows(measured, floor))))


def _rows(measured: Mapping[str, list[float]], floor: float) -> Iterator[Sequence[str]]:
    for name, seconds in measured.items():
        above = median(seconds) - floor
        budget = FIRST_BUDGET_SECONDS if "first" in name else BUDGET_SECONDS
        judged = "" if name == "bare" else verdict(above <= budget)
        yield name, milliseconds(median(seconds)), milliseconds(min(seconds)), milliseconds(above), judged


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)

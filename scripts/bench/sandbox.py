#!/usr/bin/env python3
"""What each level of the sandbox adds to a command, and how soon one that attacks the machine is ended.

    .venv/test/bin/python scripts/bench/sandbox.py [ROUNDS]

The floor is `true` under the supervisor; the budget of a level is 30 ms above it, on an idle machine. A fork
bomb and a memory hog must end within two seconds beside as many busy loops as there are processors, where the
kernel bounds them. They only run within a control group around all of this program, and not where none can be
had, nor in fewer than ten rounds.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from measure import CHECKOUT, machine, median, milliseconds, table, taking_turns, verdict

sys.path.insert(0, str(CHECKOUT))

from factory.system.process.command import Command
from factory.system.process.launch import run
from factory.system.sandbox.kernel.find import find_control_groups
from factory.system.sandbox.kernel.group import ControlGroups
from factory.system.sandbox.levels.choose import levels
from factory.system.sandbox.levels.ownership import hand_over
from factory.system.sandbox.levels.unconfined import Unconfined
from factory.system.sandbox.policy import GIB, MIB, Policy, Resources
from factory.system.sandbox.port import Confinement, Sandbox
from factory.system.sandbox.visible import needed

BUDGET_SECONDS = 0.030
ENDING_BUDGET_SECONDS = 2.0
MEMORY_BYTES = 512 * MIB

BOMB = "import os\nwhile True:\n  try: os.fork()\n  except OSError: pass"
HOG = "kept = []\nwhile True: kept.append(b'x' * 2**20)"
ATTACKS = {"processes": BOMB, "memory": HOG}
# They take seconds each.
_ROUNDS_OF_ONE_ATTACK = 10


def main(rounds: int) -> None:
    """Measure and print the tables."""
    groups = find_control_groups().groups
    sandboxes = [Unconfined(), *(level.sandbox for level in levels(os.environ) if level.sandbox is not None)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        folder.chmod(0o755)
        root, home, temporary, shared = places = [
            folder / name for name in ("checkout", "home", "tmp", "shared")
        ]
        for place in places:
            place.mkdir()
        environment = {"PATH": os.environ["PATH"], "HOME": str(home), "TMPDIR": str(temporary)}
        command = Command(("true",), root, environment, timeout_seconds=60.0, stdout=folder / "output")
        policy = Policy(root, home, temporary, shared, visible=needed(environment, os.environ))
        print(machine() + (", as root" if os.geteuid() == 0 else ""))
        _print_overhead(taking_turns(_harmless(command, policy, sandboxes, groups), rounds))
        if groups is None or "pids" not in groups.places:
            print("no control group would bound a bomb here, so none is tried")
            return
        if rounds < _ROUNDS_OF_ONE_ATTACK:
            return
        for sandbox in sandboxes:
            if (owner := sandbox.owner_of(root)) is not None:
                hand_over([root], owner)
        with _bounded(groups), _busy():
            policy = replace(policy, resources=Resources(memory_bytes=MEMORY_BYTES))
            _print_endings(
                taking_turns(_attacks(command, policy, sandboxes[1:]), rounds // _ROUNDS_OF_ONE_ATTACK)
            )


def _harmless(
    command: Command, policy: Policy, sandboxes: list[Sandbox], groups: ControlGroups | None
) -> Mapping[str, Callable[[], float]]:
    actions = {"supervised": partial(_seconds, command)}
    for sandbox in sandboxes:
        for place, said in ((None, ""), (groups, ", control group")):
            if place is not None or not said:
                confined = replace(command, confined=Confinement(sandbox, policy, place))
                actions[f"--sandbox {sandbox.level}{said}"] = partial(_seconds, confined)
    return actions


def _attacks(command: Command, policy: Policy, sandboxes: list[Sandbox]) -> Mapping[str, Callable[[], float]]:
    # Looked for again: now they are made below the group that bounds us.
    inner = find_control_groups().groups
    return {
        f"{limit}, {sandbox.level}, {'control group' if groups else 'the watch alone'}": partial(
            _seconds_until_killed,
            replace(
                command,
                argv=(sys.executable, "-I", "-S", "-c", program),
                confined=Confinement(sandbox, policy, groups),
            ),
            limit,
        )
        for limit, program in ATTACKS.items()
        for sandbox in sandboxes
        for groups in (inner, None)
    }


@contextmanager
def _bounded(groups: ControlGroups) -> Iterator[None]:
    """Within the block, this program and all that it starts are in a control group."""
    group = groups.made(Resources(processes=600, memory_bytes=4 * GIB))
    for entrance in group.entrances():
        os.write(entrance, b"0")
        os.close(entrance)
    try:
        yield
    finally:
        for place in groups.places.values():
            (place / "cgroup.procs").write_text("0")
        group.remove()


@contextmanager
def _busy() -> Iterator[None]:
    loops = [subprocess.Popen((sys.executable, "-c", "while True: pass")) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def _print_overhead(times: Mapping[str, list[float]]) -> None:
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


def _print_endings(times: Mapping[str, list[float]]) -> None:
    rows = [
        [
            name,
            f"{median(seconds):.2f} s",
            f"{max(seconds):.2f} s",
            verdict(max(seconds) <= ENDING_BUDGET_SECONDS) if name.endswith("control group") else "",
        ]
        for name, seconds in times.items()
    ]
    print(table(["ends", "median", "slowest", "2 s"], rows))


def _seconds(command: Command) -> float:
    outcome = run(command)
    if not outcome.ok:
        sys.exit(f"true failed: {outcome}")
    return outcome.seconds


def _seconds_until_killed(command: Command, limit: str) -> float:
    outcome = run(command)
    if outcome.killed != limit:
        sys.exit(f"not killed for {limit}: {outcome}")
    return outcome.seconds


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 50)

"""Control groups as the kernel has them; skipped with the reason where none can be made."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from factory.system.process.command import Command
from factory.system.process.launch import run
from factory.system.sandbox.kernel.find import find_control_groups
from factory.system.sandbox.kernel.group import ControlGroups, remove_stale
from factory.system.sandbox.levels.unconfined import Unconfined
from factory.system.sandbox.policy import MIB, Policy, Resources
from factory.system.sandbox.port import Confinement

ROOT = Path(__file__).parents[5]
RESOURCES = Resources(processes=40, memory_bytes=128 * MIB)

# Somebody who makes a group with a process in it, tells of both, and waits.
MAKER = """
import os, subprocess, time
from factory.system.sandbox.kernel.find import find_control_groups
from factory.system.sandbox.policy import Resources
group = find_control_groups().groups.made(Resources())
entrances = group.entrances()
enter = lambda: [os.write(entrance, b"0") for entrance in entrances]
kept = subprocess.Popen(["sleep", "600"], preexec_fn=enter, pass_fds=entrances, start_new_session=True)
print(kept.pid, *group.folders, flush=True)
time.sleep(600)
"""


@pytest.fixture
def groups() -> ControlGroups:
    discovery = find_control_groups()
    if discovery.groups is None:
        pytest.skip(discovery.reason)
    return discovery.groups


def run_in_group(groups: ControlGroups, folder: Path, *argv: str) -> str:
    """What a command prints that runs in a group of its own."""
    policy = Policy(folder, folder, folder, folder, resources=RESOURCES)
    output = folder / "out.txt"
    confined = Confinement(Unconfined(), policy, groups)
    outcome = run(Command(argv, folder, {"PATH": os.defpath}, 60.0, output, confined=confined))
    assert outcome.ok, output.read_text()
    return output.read_text()


def test_a_command_is_in_a_group_of_its_own_which_is_gone_afterwards(
    groups: ControlGroups, tmp_path: Path
) -> None:
    printed = run_in_group(groups, tmp_path, "cat", "/proc/self/cgroup")

    names = {name for name in printed.replace("\n", "/").split("/") if name.startswith("workorder-")}
    assert len(names) >= 1
    assert [
        place / name for place in groups.places.values() for name in names if (place / name).exists()
    ] == []


def test_its_limits_are_those_of_the_command(groups: ControlGroups) -> None:
    group = groups.made(RESOURCES)
    try:
        texts = [path.read_text() for folder in group.folders for path in folder.glob("*.max")]
        texts += [path.read_text() for folder in group.folders for path in folder.glob("*limit_in_bytes")]
        assert not group.bounds("pids") or f"{RESOURCES.most_tasks}\n" in texts
        assert not group.bounds("memory") or f"{RESOURCES.most_memory}\n" in texts
        assert group.reached() is None
    finally:
        group.remove()


def test_a_process_that_does_not_end_is_removed_with_the_group(groups: ControlGroups) -> None:
    group = groups.made(RESOURCES)
    entrances = group.entrances()
    entering = "import os, sys, time\nfor fd in sys.argv[1:]: os.write(int(fd), b'0')\n"
    program = entering + "print(flush=True); time.sleep(600)"
    sleeping = subprocess.Popen(
        [sys.executable, "-c", program, *map(str, entrances)], pass_fds=entrances, stdout=subprocess.PIPE
    )
    for entrance in entrances:
        os.close(entrance)
    with sleeping:
        assert sleeping.stdout is not None
        sleeping.stdout.readline()

        group.remove()

        assert sleeping.wait(timeout=10) == -signal.SIGKILL
    assert [folder for folder in group.folders if folder.exists()] == []


def test_what_a_killed_maker_left_is_removed_by_the_next(groups: ControlGroups) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", MAKER], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as maker:
        assert maker.stdout is not None
        pid, *folders = maker.stdout.readline().split()
        assert [Path(folder).exists() for folder in folders] == [True] * len(folders)

        # While it lives, nobody touches its group.
        remove_stale(groups.places.values())
        assert [Path(folder).exists() for folder in folders] == [True] * len(folders)
        assert Path(f"/proc/{pid}").exists()
        maker.kill()

    find_control_groups()

    assert [folder for folder in folders if Path(folder).exists()] == []
    assert ends(int(pid))


def ends(pid: int) -> bool:
    """Whether a process ends within a few seconds; nobody may have waited for it yet."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.01)
    return False

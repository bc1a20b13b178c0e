"""The reaper as the program that it is: what its own process shows, and what it does without its parts."""

import os
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from factory.system.process import reaper

REAPER = Path(reaper.__file__)


class Running:
    """A reaper with a command, and the ends of its pipes that the factory would hold.

    Attributes:
        peak: the bytes of memory that the reaper reported, which differ from run to run.
        written: the bytes that were written, the same.
        cpu: the milliseconds of processor time, the same.
    """

    peak, written, cpu = 0, 0, 0

    def __init__(self, *command: str, environment: dict[str, str] | None = None) -> None:
        lifeline_read, self.lifeline = os.pipe()
        self.report, report_write = os.pipe()
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-I", "-S", str(REAPER)),
                *(str(lifeline_read), str(report_write), "", "--", *command),
            ],
            pass_fds=(lifeline_read, report_write),
            env={"PATH": os.defpath} if environment is None else environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        os.close(lifeline_read)
        os.close(report_write)

    def finish(self) -> tuple[str, str]:
        """What it reported beside what was used, and what was printed."""
        printed, _ = self.process.communicate(timeout=30)
        with open(self.report, "rb") as report:
            said = report.read().decode()
        if self.lifeline >= 0:
            os.close(self.lifeline)
        if used := re.search(r" peak=([0-9]+) written=([0-9]+) cpu=([0-9]+)\n", said):
            self.peak, self.written, self.cpu = map(int, used.groups())
            said = said.replace(used[0], "\n")
        return said, printed.decode()

    def cut_lifeline(self) -> None:
        os.close(self.lifeline)
        self.lifeline = -1


@pytest.mark.parametrize(
    ("command", "report"),
    [
        (("true",), "exit_code=0 leftovers=0\n"),
        (("sh", "-c", "exit 9"), "exit_code=9 leftovers=0\n"),
        (("sh", "-c", "kill -KILL $$"), "signal=9 leftovers=0\n"),
        (("no-such-program",), "error=2\n"),
    ],
)
def test_it_reports_how_the_command_ended(command: tuple[str, ...], report: str) -> None:
    assert Running(*command).finish() == (report, "")


@pytest.mark.parametrize("end", ["", "; time.sleep(600)"], ids=["ended", "is killed"])
def test_it_reports_the_most_memory_that_a_descendant_had(end: str) -> None:
    # Given a grandchild in a session of its own that has 100 MiB for a moment
    source = f"import os, time; os.setsid(); x = bytes(1) * 100 * 2**20; del x; os.write(1, b'x'){end}"
    running = Running("sh", "-c", '"$@" & wait', "sh", sys.executable, "-I", "-S", "-c", source)
    assert running.process.stdout is not None
    running.process.stdout.read(1)
    if end:
        running.cut_lifeline()

    running.finish()

    assert 100 * 2**20 < running.peak < 150 * 2**20


def test_the_command_comes_no_sooner_than_its_starter() -> None:
    source = "import os; print(os.sched_getscheduler(0), os.nice(0))"

    said = Running(sys.executable, "-I", "-S", "-c", source).finish()

    assert said == ("exit_code=0 leftovers=0\n", f"{os.sched_getscheduler(0)} {os.nice(0)}\n")


def test_it_ends_the_command_when_the_lifeline_closes() -> None:
    running = Running("sleep", "600")
    running.cut_lifeline()

    assert running.finish() == ("signal=9 leftovers=0\n", "")


def test_it_ends_the_command_when_whoever_started_it_is_killed(tmp_path: Path) -> None:
    # Given a process that runs a command and is killed, as the factory may be
    script = f"""
import sys
from pathlib import Path
from factory.system.process.command import Command
from factory.system.process.launch import run
here = Path({str(tmp_path)!r})
source = "import os, time; open('part', 'w').write(str(os.getpid())); os.rename('part', 'pid')"
source += "; time.sleep(600)"
run(Command((sys.executable, "-I", "-S", "-c", source), here, {{}}, 600, here / "out.txt"))
"""
    factory = subprocess.Popen(
        [sys.executable, "-c", script], env={"PYTHONPATH": str(Path(__file__).parents[4])}
    )
    pid = tmp_path / "pid"
    end = time.monotonic() + 20
    while not pid.exists() and time.monotonic() < end:
        time.sleep(0.01)
    command = os.pidfd_open(int(pid.read_text()))

    # When it is killed
    factory.kill()
    factory.wait()

    # Then the command ends, too: its descriptor becomes readable
    ended, _, _ = select.select([command], [], [], 10)
    os.close(command)
    assert ended


def test_its_environment_is_the_command_s_own() -> None:
    # A locale is set, because Python sets one where none is.
    environment = {"PATH": os.defpath, "ONLY": "this", "LC_ALL": "C.UTF-8"}

    said, printed = Running("env", environment=environment).finish()

    assert said == "exit_code=0 leftovers=0\n"
    assert dict(line.split("=", 1) for line in printed.splitlines()) == environment


def test_a_python_path_of_the_command_does_not_reach_it(tmp_path: Path) -> None:
    # Given a module that would take the place of one that the reaper imports
    (tmp_path / "select.py").write_text("raise SystemExit('taken over')")

    running = Running("true", environment={"PATH": os.defpath, "PYTHONPATH": str(tmp_path)})

    assert running.finish() == ("exit_code=0 leftovers=0\n", "")


def test_no_process_of_another_namespace_is_taken_for_a_descendant(tmp_path: Path) -> None:
    # Given a /proc that is missing, as in a chroot, the command alone is known.
    program = f"""
import os, sys
sys.path.insert(0, {str(REAPER.parent)!r})
import reaper
os.chroot({str(tmp_path)!r})
print(reaper._descendants(7), reaper._descendants(0))
"""
    if os.geteuid() != 0:
        pytest.skip("only root may change its root directory")

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout == "{7: (True, b'')} {}\n"


def test_without_proc_the_command_is_killed_all_the_same(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root may change its root directory")
    program = f"""
import os, sys, time
sys.path.insert(0, {str(REAPER.parent)!r})
import reaper
reaper._become_subreaper()
child = os.fork()
if child == 0:
    time.sleep(600)
os.chroot({str(tmp_path)!r})
print(reaper._end_descendants(child))
"""

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=30
    )

    assert done.stdout == "(0, 9, True)\n"


def test_a_circle_of_parents_ends() -> None:
    # Numbers are used again while /proc is read, so what was read may contradict itself.
    assert not reaper._is_below(1_000, 5, {1_000: 1_001, 1_001: 1_000})
    assert reaper._is_below(1_000, 5, {1_000: 1_001, 1_001: 5, 5: 1})

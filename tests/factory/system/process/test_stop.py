"""A stop that one thread asks for is heeded by another, whatever that is waiting for."""

import os
import select
import sys
import threading
from pathlib import Path

import pytest

from factory.system.process.command import Command
from factory.system.process.launch import run
from factory.system.process.stop import Stop, Stopped


def test_a_stop_nobody_asked_for_lets_everything_go_on() -> None:
    with Stop() as stop:
        stop.heed()

        assert not stop.asked
        assert select.select([stop], [], [], 0) == ([], [], [])


def test_a_stop_is_asked_for_once_and_for_good() -> None:
    with Stop() as stop:
        stop.ask()
        stop.ask()

        with pytest.raises(Stopped):
            stop.heed()
        assert select.select([stop], [], [], 0)[0] == [stop]
    stop.ask()


def test_a_running_command_ends_with_the_stop_and_leaves_nothing_alive(tmp_path: Path) -> None:
    with Stop() as stop:
        command = _that_tells_its_pid(tmp_path, stop)
        killer = threading.Thread(target=lambda: (_pid_in(tmp_path), stop.ask()))
        killer.start()
        with pytest.raises(Stopped):
            run(command)
        killer.join()

    with pytest.raises(ProcessLookupError):
        os.kill(_pid_in(tmp_path), 0)


def test_no_command_starts_after_the_stop(tmp_path: Path) -> None:
    with Stop() as stop:
        stop.ask()
        with pytest.raises(Stopped):
            run(_that_tells_its_pid(tmp_path, stop))

    assert not (tmp_path / "pid").exists()


def _that_tells_its_pid(folder: Path, stop: Stop) -> Command:
    source = (
        "import os, pathlib, time\n"
        "pathlib.Path('part').write_text(str(os.getpid()))\n"
        "os.rename('part', 'pid')\n"
        "time.sleep(600)\n"
    )
    return Command(
        argv=(sys.executable, "-I", "-S", "-c", source),
        cwd=folder,
        env={},
        timeout_seconds=60,
        stdout=folder / "out",
        stop=stop,
    )


def _pid_in(folder: Path) -> int:
    while not (folder / "pid").exists():
        threading.Event().wait(0.01)
    return int((folder / "pid").read_text())

"""When a command ends, times out, or whoever started it is killed, nothing that it started lives on."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from factory.system.sandbox.levels.ownership import throw_away_user
from tests.security.attacks import ROOT
from tests.security.scene import USERS, drive, driver_of, protected_place
from tests.security.test_attacks import LEVELS

# Leaves its parent, its session and its streams, ignores what can be ignored, and shows that it is alive.
DAEMON = """
import os, signal, sys, time
def daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for number in range(1, 32):
                if number not in (signal.SIGKILL, signal.SIGSTOP):
                    signal.signal(number, signal.SIG_IGN)
            for stream in (0, 1, 2):
                os.close(stream)
            while True:
                with open("beat", "w") as file:
                    file.write(str(time.monotonic_ns()))
                time.sleep(0.02)
        os._exit(0)
    while not os.path.exists("beat"):
        time.sleep(0.01)
daemon()
"""

ENDINGS = {
    "it ends": "",
    "it times out": "time.sleep(60)",
    "it reaches a limit": "x = bytearray(130 * 2**20); x[::4096] = b'y' * len(x[::4096]); time.sleep(60)",
    "it kills all that it can": "os.kill(-1, signal.SIGKILL) if os.getpid() < 100 else None",
}


def goes_on(beat: Path) -> bool:
    """Whether the daemon still shows that it is alive."""
    before = beat.read_bytes()
    time.sleep(0.3)
    return beat.read_bytes() != before


def comes(condition: Callable[[], bool], seconds: float) -> bool:
    """Whether a condition becomes true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize("level", ("bwrap", "landlock", "none"))
@pytest.mark.parametrize("user", USERS)
def test_a_daemon_ends_with_its_command(user: str, level: str) -> None:
    requests = [
        {
            "name": name,
            "argv": ["python", "-c", DAEMON + end],
            "apart": True,
            "timeout": 3 if name == "it times out" else 60,
            "resources": {"memory_bytes": 32 * 1024 * 1024},
        }
        for name, end in ENDINGS.items()
    ]
    with protected_place(user) as place:
        answers = drive(user, level, place, requests)

        assert answers["it times out"]["timed_out"]
        assert answers["it reaches a limit"]["killed"] == "memory"
        beats = [place / name / "checkout/beat" for name in ENDINGS]
        assert [beat.parent.parent.name for beat in beats if goes_on(beat)] == []


@pytest.mark.parametrize("level", (*LEVELS, "none"))
@pytest.mark.parametrize("user", USERS)
def test_a_daemon_ends_when_the_factory_is_killed(user: str, level: str) -> None:
    with protected_place(user) as place:
        os.kill(driver_with_daemon(user, level, place), signal.SIGKILL)
        assert driver_of(user).reply() is None

        assert comes(lambda: not goes_on(place / "checkout/beat"), 10)


@pytest.mark.parametrize("victim", ["supervisor", "sandbox"])
@pytest.mark.parametrize("user", USERS)
def test_who_kills_a_sandbox_from_outside_is_told_from_the_command(user: str, victim: str) -> None:
    with protected_place(user) as place:
        driver = driver_with_daemon(user, "bwrap", place)

        # The one process below the guardian is the supervisor, the one below that the sandbox.
        guardian = next(pid for pid in below(driver) if b"reaper." in command_line(pid))
        supervisor = below(guardian)[0]
        os.kill(supervisor if victim == "supervisor" else below(supervisor)[0], signal.SIGKILL)
        reply = driver_of(user).reply()

        assert reply is not None
        (ended,) = reply["answers"]
        assert (ended["killed_outside"], ended["exit_code"], ended["timed_out"]) == (True, None, False)
        assert not goes_on(place / "checkout/beat")


def driver_with_daemon(user: str, level: str, place: Path) -> int:
    """The number of a driver's process whose command has started the daemon and waits."""
    drive(user, level, place, [])
    request = {"name": "daemon", "argv": ["python", "-c", DAEMON + "time.sleep(60)"]}
    number = driver_of(user).begin(level, place, [request], "watch")
    beat = place / "checkout/beat"
    assert comes(lambda: beat.exists() and beat.stat().st_size > 0, 30)
    return number


def below(pid: int) -> list[int]:
    """The child processes of a process, of all its threads."""
    return [
        int(child)
        for children in Path(f"/proc/{pid}/task").glob("*/children")
        for child in children.read_text().split()
    ]


def command_line(pid: int) -> bytes:
    """What /proc tells of a process's command line."""
    return Path(f"/proc/{pid}/cmdline").read_bytes()


# Leaves what it can in places that all programs of the machine share, for whoever comes next.
LEAVE = """
import os, pathlib, sys
name = sys.argv[1]
def leave(what):
    try: what()
    except OSError: pass
for place in ("/dev/shm", "/tmp", "/var/tmp", "/dev/mqueue", "/run/lock", "/dev"):
    place = pathlib.Path(place, name)
    leave(lambda: place.write_text("left"))
    leave(lambda: place.chmod(0o666))
    leave(lambda: place.with_suffix(".d").mkdir())
    leave(lambda: place.with_suffix(".l").symlink_to("left"))
    leave(lambda: os.mkfifo(place.with_suffix(".p")))
    leave(lambda: os.link(place, place.with_suffix(".h")))
    leave(lambda: os.link(place.with_name(sys.argv[2]), place.with_suffix(".o")))
"""
LEFT_PLACES = ("/dev/shm", "/tmp", "/var/tmp", "/dev/mqueue", "/run/lock", "/dev")


def left(name: str) -> list[str]:
    """What there is on the machine under a name of its own."""
    return [str(path) for place in LEFT_PLACES for path in Path(place).glob(f"{name}*")]


@pytest.mark.parametrize("level", ("bwrap", "landlock"))
@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize(
    "end", ["", "time.sleep(60)", "os.kill(os.getpid(), 9)"], ids=["ends", "hangs", "dies"]
)
def test_nothing_is_left_in_shared_places(user: str, level: str, end: str) -> None:
    with protected_place(user) as place:
        name = f"{place.name}-left"
        # Each driver has put a file with the name of the place into shared memory, as a program of the user.
        program = LEAVE + f"\nimport time\nprint(open('/dev/shm/{name}').read())\n{end}"
        request = {"name": "leave", "argv": ["python", "-c", program, name, place.name], "timeout": 3}
        kept = Path(f"/dev/shm/{place.name}")

        for _ in range(4):
            answer = drive(user, level, place, [request])["leave"]

            assert answer["output"].endswith("left\n")
            assert left(name) == []
            # A command of another test, of the same user at level `landlock`, may have removed it.
            if kept.exists():
                break
        assert kept.read_text() == "x"


def test_what_a_killed_factory_s_command_left_goes_before_the_next() -> None:
    if ROOT not in USERS:
        pytest.skip("only root's commands have users of their own")
    with protected_place(ROOT) as place:
        abandoned = Path(f"/dev/shm/{place.name}-abandoned")
        abandoned.touch()
        os.chown(abandoned, throw_away_user(place), -1)

        drive(ROOT, "landlock", place, [{"name": "next", "argv": ["true"]}])

        assert not abandoned.exists()

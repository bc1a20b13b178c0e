"""A place with things to protect, and a way to run programs beside them as root or as an ordinary user."""

import atexit
import functools
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, NoReturn

import pytest

from factory.environments.cache import CACHE_VARIABLE
from factory.system.removal import remove_tree
from factory.system.sandbox.kernel.find import find_control_groups
from factory.system.sandbox.kernel.group import Group
from factory.system.sandbox.policy import GIB, Resources
from tests.security.attacks import PLAIN, ROOT
from tests.support.environments import bare

CHECKOUT = Path(__file__).resolve().parents[2]

# Nobody's: far above the users that systems give out.
PLAIN_USER = 1_800_000_123
_ORDINARY: Mapping[str, Any] = {"user": PLAIN_USER, "group": PLAIN_USER, "extra_groups": []}

USERS = (ROOT, PLAIN) if os.geteuid() == 0 else (PLAIN,)
# Each level, and each user at one of them: for what does not depend on both.
EACH_ONCE = ((USERS[0], "bwrap"), (PLAIN, "bwrap-noproc"), (PLAIN, "landlock"))


@contextmanager
def protected_place(user: str) -> Iterator[Path]:
    """Within the block there is a place with a checkout, and beside it what belongs to the user."""
    # Not in the directory of the tests, which is closed to other users.
    place = Path(mkdtemp(prefix="workorder-attacked-", dir="/tmp")).resolve()
    # As a directory of temporary files is: a user of root's throw-away checkout must pass it.
    place.chmod(0o755)
    try:
        for name in (
            "checkout",
            "home",
            "tmp",
            "shared",
            "outside",
            "objects",
            "user/.ssh",
            "checkout/.venv",
        ):
            (place / name).mkdir(parents=True)
        (place / "outside/secret").write_text("canary")
        (place / "outside/victim").write_text("intact")
        (place / "user/.ssh/id").write_text("canary")
        (place / "checkout/.venv/pyvenv.cfg").write_text("home = /usr/bin\n")
        subprocess.run(["git", "init", "--quiet", str(place / "checkout")], check=True)
        give(place, user)
        yield place
    finally:
        remove_tree(place)
        Path(f"/dev/shm/{place.name}").unlink(missing_ok=True)


class Driver:
    """A user's own process that runs programs, see `driver`; it ends with this one.

    Args:
        user: who it is, in a group that bounds it.
    """

    def __init__(self, user: str) -> None:
        group = bounding_group(user)
        if group is None and user == ROOT:
            pytest.skip(f"nothing would bound what root starts: {find_control_groups().reason}")
        entrances = group.entrances() if group is not None else ()

        def enter() -> None:
            for entrance in entrances:
                os.write(entrance, b"0")

        # An ordinary user can use what is kept, and not make it.
        bare()
        with ExitStack() as closing:
            for entrance in entrances:
                closing.callback(os.close, entrance)
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.security.driver"],
                cwd=CHECKOUT,
                env={
                    "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
                    "HOME": os.environ["HOME"],
                    "TMPDIR": "/tmp",
                    "SECRET_CANARY": "canary",
                    "PYTHONDONTWRITEBYTECODE": "1",
                    CACHE_VARIABLE: os.environ[CACHE_VARIABLE],
                },
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                preexec_fn=enter,
                pass_fds=entrances,
                **account_of(user),
            )
        self._read = b""
        self._child: int | None = None
        atexit.register(self.end)

    def begin(self, level: str, place: Path, requests: Sequence[Mapping[str, Any]], keeper: str) -> int:
        """Have it run programs, see `drive`; the number of the process that does."""
        if self._child is not None:
            # Left by a test that has failed meanwhile.
            self._kill_child()
            self._next(60)
        order = {"level": level, "place": str(place), "keeper": keeper, "requests": list(requests)}
        assert self._process.stdin is not None
        # If it has ended, it does not reply either.
        with suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps(order).encode() + b"\n")
        self._child = number = int(self._next(60))
        return number

    def reply(self) -> dict[str, Any] | None:
        """How the programs ended; None if the process that ran them was killed."""
        said: dict[str, Any] | None = self._next(110)
        self._child = None
        assert said is None or "failed" not in said, said
        return said

    def end(self) -> str:
        """End it; what it complained about."""
        try:
            _, complaints = self._process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            _, complaints = self._process.communicate()
        return bytes(complaints).decode("utf-8", "replace")

    def _next(self, seconds: float) -> Any:
        """The next line that it says."""
        assert self._process.stdout is not None
        end = time.monotonic() + seconds
        while b"\n" not in self._read:
            ready, _, _ = select.select([self._process.stdout], [], [], max(0.0, end - time.monotonic()))
            more = os.read(self._process.stdout.fileno(), 65_536) if ready else b""
            if not more:
                self._give_up()
            self._read += more
        line, _, self._read = self._read.partition(b"\n")
        return json.loads(line)

    def _give_up(self) -> NoReturn:
        """Fail, and leave another one to the tests after this."""
        driver_of.cache_clear()
        atexit.unregister(self.end)
        self._kill_child()
        pytest.fail(f"the driver did not reply in time, or ended: {self.end()}")

    def _kill_child(self) -> None:
        # The driver waits for it, so that it may be gone.
        if self._child is not None:
            with suppress(ProcessLookupError):
                os.kill(self._child, signal.SIGKILL)


@functools.cache
def driver_of(user: str) -> Driver:
    """The driver that all tests of this process share."""
    return Driver(user)


@functools.cache
def bounding_group(user: str) -> Group | None:
    """The group of everything that tests start as a user; None if there can't be one.

    The user can't change its limits, but may make groups below it.
    """
    groups = find_control_groups().groups
    if groups is None or "pids" not in groups.places:
        return None
    group = groups.made(Resources(processes=1_500, memory_bytes=6 * GIB))
    atexit.register(group.remove)
    if user == PLAIN and os.geteuid() == 0:
        for folder in group.folders:
            for path in (folder, folder / "cgroup.procs"):
                os.chown(path, PLAIN_USER, PLAIN_USER)
    return group


def account_of(user: str) -> dict[str, Any]:
    """The arguments with which `subprocess` starts a program as a user; skips the test if that can't be."""
    if user != PLAIN or os.geteuid() != 0:
        return {}
    if not _an_ordinary_user_can_run_python():
        pytest.skip("an ordinary user can't reach the interpreter or this checkout")
    return dict(_ORDINARY)


def give(place: Path, user: str) -> None:
    """Make everything at and below a place the user's own."""
    if user == PLAIN and os.geteuid() == 0:
        for path in (place, *place.rglob("*")):
            os.chown(path, PLAIN_USER, PLAIN_USER, follow_symlinks=False)


def drive(
    user: str, level: str, place: Path, requests: Sequence[Mapping[str, Any]], keeper: str = "watch"
) -> dict[str, Any]:
    """Run programs at a level as a user; the answers by name, or the test is skipped with the reason.

    Args:
        user: who runs them.
        level: of the sandbox.
        place: see `protected_place`.
        requests: the programs, see `driver.answer`.
        keeper: who keeps limits, see `driver`.
    """
    driver = driver_of(user)
    driver.begin(level, place, requests, keeper)
    said = driver.reply()
    assert said is not None, "the driver's process was killed"
    if "missing" in said:
        pytest.skip(f"{level} does not work here: {said['missing']}")
    answers = {answer["name"]: answer for answer in said["answers"]}
    failed = {name: answer["sandbox_failed"] for name, answer in answers.items() if answer["sandbox_failed"]}
    assert failed == {}, failed
    return answers


@functools.cache
def _an_ordinary_user_can_run_python() -> bool:
    tried = [sys.executable, "-c", "import tests.security.driver"]
    try:
        return subprocess.run(tried, cwd=CHECKOUT, capture_output=True, **_ORDINARY).returncode == 0
    except PermissionError:
        return False

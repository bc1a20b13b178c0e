"""A place with things to protect, and a way to run programs beside them as root or as an ordinary user."""

import atexit
import functools
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

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

USERS = (ROOT, PLAIN) if os.geteuid() == 0 else (PLAIN,)


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


def start_driver(user: str, level: str, place: Path, keeper: str = "watch") -> "subprocess.Popen[str]":
    """Start the driver as a user, in a group that bounds it; it reads its requests from standard input."""
    group = bounding_group(user)
    if group is None and user == ROOT:
        pytest.skip(f"nothing would bound what root starts: {find_control_groups().reason}")
    entrances = group.entrances() if group is not None else ()

    def enter() -> None:
        for entrance in entrances:
            os.write(entrance, b"0")

    with ExitStack() as closing:
        for entrance in entrances:
            closing.callback(os.close, entrance)
        return _started(user, [level, str(place), keeper], place, enter, entrances)


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


def _started(
    user: str, arguments: Sequence[str], place: Path, enter: Callable[[], None], held: Sequence[int]
) -> "subprocess.Popen[str]":
    # An ordinary user can use what is kept, and not make it.
    bare()
    return subprocess.Popen(
        [sys.executable, "-m", "tests.security.driver", *arguments],
        cwd=CHECKOUT,
        env={
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(place / "user"),
            "TMPDIR": str(place),
            "SECRET_CANARY": "canary",
            "PYTHONDONTWRITEBYTECODE": "1",
            CACHE_VARIABLE: os.environ[CACHE_VARIABLE],
        },
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=enter,
        pass_fds=held,
        **account_of(user),
    )


def account_of(user: str) -> dict[str, Any]:
    """The arguments with which `subprocess` starts a program as a user; skips the test if that can't be."""
    if user != PLAIN or os.geteuid() != 0:
        return {}
    changed: dict[str, Any] = {"user": PLAIN_USER, "group": PLAIN_USER, "extra_groups": []}
    if not _can_run_python(changed):
        pytest.skip("an ordinary user can't reach the interpreter or this checkout")
    return changed


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
    process = start_driver(user, level, place, keeper)
    out, err = process.communicate(json.dumps(requests), timeout=110)
    assert process.returncode == 0, err
    said = json.loads(out)
    if "missing" in said:
        pytest.skip(f"{level} does not work here: {said['missing']}")
    answers = {answer["name"]: answer for answer in said["answers"]}
    failed = {name: answer["sandbox_failed"] for name, answer in answers.items() if answer["sandbox_failed"]}
    assert failed == {}, failed
    return answers


def _can_run_python(changed: Mapping[str, Any]) -> bool:
    tried = [sys.executable, "-c", "import tests.security.driver"]
    try:
        return subprocess.run(tried, cwd=CHECKOUT, capture_output=True, **changed).returncode == 0
    except PermissionError:
        return False

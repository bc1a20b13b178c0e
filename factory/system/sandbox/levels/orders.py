"""What the program `enter` is told to do before it becomes the command."""

import marshal
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from factory.system.sandbox.levels import enter
from factory.system.sandbox.policy import Resources
from factory.system.sandbox.port import SHARED_USER

ENTER: Final = Path(enter.__file__)

_OPEN_FILES: Final = 1_024
# The watch strikes, and can say which limit it was. The kernel's limits lie so far behind that a program
# meets them only where it is faster than the watch by far, such as one that does nothing but multiply.
_SPARE_TASKS: Final = 768
# Other commands of the same user may start meanwhile.
_SPARE_TASKS_OF_SHARED_USER: Final = 1_024
_SPARE_CPU_SECONDS: Final = 5


@dataclass(frozen=True)
class Landlock:
    """A Landlock domain.

    Attributes:
        attributes: struct landlock_ruleset_attr, in hexadecimal digits.
        rules: paths, the rights below each that is a directory, and the rights if it is a file.
    """

    attributes: str
    rules: tuple[tuple[str, int, int], ...]


@dataclass(frozen=True)
class Orders:
    """The orders.

    Attributes:
        limits: resource limits by their names in the standard library.
        limits_of_user: limits that count what a user has, set after the change of the user.
        user: the user and group to become; None to stay.
        landlock: the domain to enter; None for none.
        seccomp: a filter in hexadecimal digits; empty for none.
        own_group: whether to be in a group of its own, by which all of it can be killed at once.
    """

    limits: Mapping[str, int]
    limits_of_user: Mapping[str, int] = field(default_factory=dict)
    user: tuple[int, int] | None = None
    landlock: Landlock | None = None
    seccomp: str = ""
    own_group: bool = False

    def argv(self, python: Path, program: Path, report_fd: int, command: Sequence[str]) -> tuple[str, ...]:
        """The program's command line.

        Args:
            python: the interpreter, as the program will see it.
            program: where the program will see `enter`.
            report_fd: the descriptor it tells its beginning on.
            command: what it becomes.
        """
        # The program runs in the same interpreter, so it reads what this one writes.
        orders = marshal.dumps(asdict(self)).hex()
        return (str(python), "-I", "-S", str(program), str(report_fd), orders, "--", *command)


def limits(resources: Resources) -> dict[str, int]:
    """The limits of each process."""
    return {
        "RLIMIT_CORE": 0,
        "RLIMIT_CPU": resources.cpu_seconds + _SPARE_CPU_SECONDS,
        "RLIMIT_NOFILE": _OPEN_FILES,
        # A program may reserve what it never uses. What no machine like this could give is refused at once.
        "RLIMIT_DATA": max(2 * resources.memory_bytes, _memory_of_machine()),
    }


def limits_of_user(resources: Resources) -> dict[str, int]:
    """The limit of all processes of a user that has no other processes."""
    return {"RLIMIT_NPROC": resources.processes + _SPARE_TASKS}


def limits_of_shared_user(resources: Resources) -> dict[str, int]:
    """The limit of all processes of our own user, who has others; none for root, for whom it doesn't hold."""
    user = os.geteuid()
    if user == 0:
        return {}
    tasks = 0
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit() and process.stat().st_uid == user:
                tasks += len(list((process / "task").iterdir()))
        except OSError:
            continue
    return {"RLIMIT_NPROC": tasks + resources.processes + _SPARE_TASKS_OF_SHARED_USER}


def bound_of_shared_user() -> str:
    """What that limit is to `Sandbox.bounds_processes`."""
    return SHARED_USER if os.geteuid() != 0 else ""


def _memory_of_machine() -> int:
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def interpreter() -> Path:
    """The interpreter without a virtual environment around it, which is not visible inside."""
    # Of a virtual environment that holds copies, too.
    return Path(os.path.realpath(getattr(sys, "_base_executable", "") or sys.executable))

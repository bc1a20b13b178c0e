"""One command's control group: made before the command starts, and removed when all of it is gone.

The kernel refuses what goes beyond the group's limits, and counts its refusals: that is how a limit gets its
name. A program that was refused meets an error of its own for the moment until it is killed.
"""

import fcntl
import os
import secrets
import signal
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from factory.system.sandbox.policy import MIB, Resources

Controller = Literal["pids", "memory", "cpuacct"]

PREFIX: Final = "workorder-"
_DYING_SECONDS: Final = 2.0
_TRIES: Final = 5
# What the kernel may want at once: where it is refused that, the group is full but for less than this.
_LARGEST_CHARGE: Final = 2 * MIB


@dataclass(frozen=True)
class ControlGroups:
    """Where groups can be made.

    Attributes:
        version: of control groups.
        places: for each controller the directory that groups are made in; one or more may be missing.
    """

    version: Literal[1, 2]
    places: Mapping[Controller, Path]

    def made(self, resources: Resources) -> "Group":
        """A group with these limits, still empty.

        Raises:
            OSError: it can't be made.
        """
        for _ in range(_TRIES):
            group = Group(self, f"{PREFIX}{secrets.token_hex(8)}")
            try:
                if group.is_locked:
                    group.limit(resources)
                    return group
            except BaseException:
                group.remove()
                raise
            # Whoever cleans up was faster between the making and the lock.
            group.remove()
        raise BlockingIOError("control groups are removed as soon as they are made")


class Group:
    """One group, a directory in each tree; its locks die with this process, see `remove_stale`.

    Args:
        groups: where it is made.
        name: its own name.

    Raises:
        OSError: it can't be made.
    """

    def __init__(self, groups: ControlGroups, name: str) -> None:
        self._folders = {controller: place / name for controller, place in groups.places.items()}
        self._locks: list[int] = []
        self.is_locked = False
        # Several controllers may be in one tree.
        self.folders = tuple(dict.fromkeys(self._folders.values()))
        try:
            for folder in self.folders:
                folder.mkdir()
            self.is_locked = all(self._lock(folder) for folder in self.folders)
        except OSError:
            self.remove()
            raise

    def bounds(self, controller: Controller) -> bool:
        """Whether the kernel bounds what a controller is for."""
        return controller in self._folders

    def limit(self, resources: Resources) -> None:
        """Set the limits."""
        if "pids" in self._folders:
            write(self._folders["pids"] / "pids.max", resources.most_tasks)
        if "memory" not in self._folders:
            return
        memory, allowed = self._folders["memory"], resources.most_memory
        write(
            memory / ("memory.max" if (memory / "memory.max").exists() else "memory.limit_in_bytes"), allowed
        )
        # What is swapped out is memory all the same; a system without swap has no such file.
        for name, value in (("memory.swap.max", 0), ("memory.memsw.limit_in_bytes", allowed)):
            with suppress(FileNotFoundError):
                write(memory / name, value)

    def entrances(self) -> tuple[int, ...]:
        """New descriptors: a process that writes `0` to each of them is in the group."""
        return tuple(os.open(folder / "cgroup.procs", os.O_WRONLY | os.O_CLOEXEC) for folder in self.folders)

    def reached(self) -> str | None:
        """The limit that the kernel has refused to pass, as in `Outcome.killed`; None if there is none."""
        if "pids" in self._folders and self._has_refused_tasks(self._folders["pids"]):
            return "processes"
        if "memory" in self._folders and _has_refused_memory(self._folders["memory"]):
            return "memory"
        return None

    def cpu_seconds(self) -> float:
        """The processor time of all that is and was in the group; 0 if the kernel doesn't tell."""
        if "cpuacct" in self._folders:
            return _number(self._folders["cpuacct"] / "cpuacct.usage") / 1e9
        return _counts(self.folders[0] / "cpu.stat").get("usage_usec", 0) / 1e6

    def kill(self) -> None:
        """Kill all that is in the group, once it can't multiply any more."""
        if "pids" in self._folders:
            with suppress(OSError):
                write(self._folders["pids"] / "pids.max", 0)
        for folder in self.folders:
            _kill_members(folder)

    def remove(self) -> None:
        """Remove it, with whatever may still be in it; what won't die stays, for the next start to find."""
        _remove(self.folders)
        while self._locks:
            os.close(self._locks.pop())

    def _lock(self, folder: Path) -> bool:
        opened = _locked(folder)
        if opened is None:
            return False
        self._locks.append(opened)
        return folder.exists()

    @staticmethod
    def _has_refused_tasks(folder: Path) -> bool:
        if not _counts(folder / "pids.events").get("max"):
            return False
        # Older kernels count here as well what a group above refused.
        peak = folder / "pids.peak"
        return not peak.exists() or _number(peak) >= _number(folder / "pids.max")


def remove_stale(places: Iterable[Path]) -> None:
    """Remove the groups in these directories whose makers are dead, and kill what they left in them."""
    for place in places:
        for folder in place.glob(f"{PREFIX}*"):
            opened = _locked(folder)
            if opened is not None:
                _remove((folder,))
                os.close(opened)


def write(path: Path, value: object) -> None:
    """Write to a control file; it is never made where it is missing."""
    opened = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(opened, str(value).encode())
    finally:
        os.close(opened)


def _has_refused_memory(folder: Path) -> bool:
    # A limit of a group above, or the machine itself, may have ended a process, too.
    counts = _counts(folder / "memory.events")
    if counts:
        return counts.get("oom", 0) > 0
    if not _counts(folder / "memory.oom_control").get("oom_kill"):
        return False
    most = _number(folder / "memory.max_usage_in_bytes")
    return most > _number(folder / "memory.limit_in_bytes") - _LARGEST_CHARGE


def _locked(folder: Path) -> int | None:
    """A descriptor that holds the lock on a directory; None if somebody else has it, or nobody can."""
    try:
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(opened)
        return None
    return opened


def _remove(folders: Iterable[Path]) -> None:
    end = time.monotonic() + _DYING_SECONDS
    for folder in folders:
        while True:
            try:
                folder.rmdir()
                break
            except FileNotFoundError:
                break
            except OSError:
                if time.monotonic() > end:
                    break
                _kill_members(folder)
                time.sleep(0.002)


def _kill_members(folder: Path) -> None:
    """Kill what is in a group now."""
    try:
        write(folder / "cgroup.kill", 1)
        return
    except OSError:
        # Version 1, or an old kernel.
        members = _read(folder / "cgroup.procs").split()
    for member in members:
        # Any of them may be gone, and its number given to a stranger: the descriptor keeps who has it now.
        with suppress(OSError):
            held = os.pidfd_open(int(member))
            try:
                if folder.name in _read(Path(f"/proc/{member}/cgroup")):
                    signal.pidfd_send_signal(held, signal.SIGKILL)
            finally:
                os.close(held)


def _counts(path: Path) -> dict[str, int]:
    """What a file of lines with a name and a number holds; nothing if there is none."""
    lines = (line.split() for line in _read(path).splitlines())
    return {words[0]: int(words[1]) for words in lines if len(words) == 2 and words[1].isdigit()}


def _number(path: Path) -> int:
    text = _read(path).strip()
    return int(text) if text.isdigit() else 0


def _read(path: Path) -> str:
    try:
        return path.read_text("ascii", "replace")
    except OSError:
        # Whoever keeps the machine may have switched the controller off meanwhile.
        return ""

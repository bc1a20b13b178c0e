"""Watches what a running command uses, and says which limit it has reached.

The kernel counts for one process; this counts for all of them together. Cheap: it reads the command's own
processes only, and reads its directory only when the disk has filled noticeably, or now and then.
"""

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from factory.system.sandbox.policy import Policy

_PERIOD: Final = 0.1
# What belongs to the supervisor and the sandbox: at most four processes.
_OWN_PROCESSES: Final = 4
_OWN_MEMORY: Final = 64 * 1024 * 1024
_SCAN_PERIOD: Final = 10.0
# A look at the directory may take this part of the time, at most.
_SCAN_SHARE: Final = 0.05
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_TICKS: Final = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class _Use:
    """What processes use now: how many tasks, CPU seconds, and the resident bytes of each by its number."""

    tasks: int
    cpu_seconds: float
    resident: Mapping[int, int]


class Watch:
    """The watch over one command; see the module.

    Args:
        supervisor: the process above everything that the command starts.
        policy: the limits, and the places whose files count.
    """

    def __init__(self, supervisor: int, policy: Policy) -> None:
        self._supervisor = supervisor
        self._limits = policy.resources
        self._places = (policy.root, policy.home, policy.temporary)
        self._next = time.monotonic() + _PERIOD
        self._since = time.clock_gettime_ns(_COARSE)
        self._disk = self._first_disk = _disk(policy.root)
        self._next_scan = time.monotonic() + _SCAN_PERIOD
        self._earliest_scan = 0.0

    def pause(self) -> float:
        """The seconds until the next look."""
        return max(0.0, self._next - time.monotonic())

    def look(self, output_bytes: int) -> str | None:
        """The name of a limit that was reached, see `Resources.told`; None if there is none, or not yet due.

        Args:
            output_bytes: what the command has printed so far.
        """
        if output_bytes > self._limits.output_bytes:
            return "output"
        now = time.monotonic()
        if now < self._next:
            return None
        found = self._used_up() or self._written()
        self._next = time.monotonic() + _PERIOD
        return found

    def last_look(self) -> str | None:
        """The same for what a command has written, when it has ended."""
        self._earliest_scan = 0.0
        return self._written(at_end=True)

    def _used_up(self) -> str | None:
        most_tasks = self._limits.processes + _OWN_PROCESSES
        use = _use(self._supervisor, most_tasks=most_tasks)
        if use.tasks > most_tasks:
            return "processes"
        if use.cpu_seconds > self._limits.cpu_seconds:
            return "cpu"
        allowed = self._limits.memory_bytes + _OWN_MEMORY
        # Pages that processes share count in each of them; to share them out takes the kernel longer.
        if sum(use.resident.values()) > allowed and _shared_out(use.resident) > allowed:
            return "memory"
        return None

    def _written(self, *, at_end: bool = False) -> str | None:
        now = time.monotonic()
        if now < self._earliest_scan or not (self._disk_filled() or (now > self._next_scan and not at_end)):
            return None
        scan = _Scan(self._since)
        for size, files in scan.of(self._places):
            if size > self._limits.written_bytes:
                return "bytes written"
            if files > self._limits.written_files:
                return "files written"
        if scan.incomplete and self._grown()[0] > self._limits.written_bytes:
            return "bytes written"
        if scan.incomplete and self._grown()[1] > self._limits.written_files:
            return "files written"
        done = time.monotonic()
        self._disk = _disk(self._places[0])
        self._earliest_scan = done + (done - now) / _SCAN_SHARE
        self._next_scan = max(done + _SCAN_PERIOD, self._earliest_scan)
        return None

    def _disk_filled(self) -> bool:
        """Whether the disk holds so much more than at the last scan that a limit could be near."""
        size, files = _growth(self._disk, _disk(self._places[0]))
        return size > self._limits.written_bytes // 4 or files > self._limits.written_files // 4

    def _grown(self) -> tuple[int, int]:
        return _growth(self._first_disk, _disk(self._places[0]))


class _Scan:
    """A look at the files whose state changed after a moment.

    By the time of change, which no program can set.

    Args:
        since: the moment, in nanoseconds of the clock of files.

    Attributes:
        incomplete: whether a directory could not be read.
    """

    def __init__(self, since: int) -> None:
        self.incomplete = False
        self._since = since

    def of(self, places: Sequence[Path]) -> Iterator[tuple[int, int]]:
        """The bytes and the number of the files below `places`, added up after each of them."""
        size, files = 0, 0
        folders = [str(place) for place in places]
        while folders:
            try:
                with os.scandir(folders.pop()) as entries:
                    for entry in entries:
                        # Meanwhile it may have been removed.
                        with suppress(OSError):
                            if entry.is_dir(follow_symlinks=False):
                                folders.append(entry.path)
                            status = entry.stat(follow_symlinks=False)
                            if status.st_ctime_ns > self._since:
                                # Not the length: a file with holes takes less.
                                size, files = size + status.st_blocks * 512, files + 1
                                yield size, files
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError:
                # Closed to us, or too deep for a path.
                self.incomplete = True


# The clock that files get their times from.
_COARSE: Final = getattr(time, "CLOCK_REALTIME_COARSE", time.CLOCK_REALTIME)


def _disk(path: Path) -> tuple[int, int]:
    """The bytes and files in use on the disk of a directory; zeros if it is gone."""
    try:
        status = os.statvfs(path)
    except OSError:
        return 0, 0
    return (status.f_blocks - status.f_bfree) * status.f_frsize, status.f_files - status.f_ffree


def _growth(before: tuple[int, int], after: tuple[int, int]) -> tuple[int, int]:
    return after[0] - before[0], after[1] - before[1]


def _use(supervisor: int, *, most_tasks: int) -> _Use:
    """What the descendants of a process use; above `most_tasks` it looks at no more of them."""
    tasks, ticks = 0, 0
    resident = {}
    for pid in _below(supervisor):
        try:
            fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        except OSError:
            continue
        # utime, stime, and those of the children that were waited for; see proc_pid_stat(5).
        ticks += sum(map(int, fields[11:15]))
        tasks += int(fields[17])
        resident[pid] = int(fields[21]) * _PAGE
        if tasks > most_tasks:
            # They may multiply faster than they can be counted.
            break
    return _Use(tasks, ticks / _TICKS, resident)


def _below(pid: int) -> Iterator[int]:
    """All descendants of a process."""
    waiting = [pid]
    seen = {pid}
    while waiting:
        for child in _children(waiting.pop()):
            if child not in seen:
                seen.add(child)
                waiting.append(child)
                yield child


def _children(pid: int) -> list[int]:
    children: list[int] = []
    # Each thread has its own, and any of them may be gone by now.
    with suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):
                children += map(int, (thread / "children").read_bytes().split())
    return children


def _shared_out(resident: Mapping[int, int]) -> int:
    """The memory of processes, where a page that several share counts once."""
    total = 0
    for pid, whole in resident.items():
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_bytes().splitlines()
        except PermissionError:
            # A program can close itself to us, but not make itself smaller by that.
            total += whole
            continue
        except OSError:
            # It has ended meanwhile.
            continue
        total += sum(int(line.split()[1]) * 1024 for line in lines if line.startswith(b"Pss:"))
    return total

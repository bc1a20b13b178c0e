"""What the running processes of a command use: tasks, processor time, memory and open files, read in /proc.

For its own user's processes a reader needs no right. Where a process closes itself to us, the kernel still
tells its tasks, time and memory, but not its open files.
"""

import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_PAGE: Final = os.sysconf("SC_PAGE_SIZE")
_TICKS: Final = os.sysconf("SC_CLK_TCK")

# See proc_pid_status(5).
_RESIDENT: Final = re.compile(rb"^Rss(Anon|File|Shmem):\s*(\d+) kB$", re.MULTILINE)

# Descriptors that a Unix socket holds.
_IN_MESSAGES: Final = re.compile(rb"^scm_fds:\s*[1-9]", re.MULTILINE)


@dataclass(frozen=True)
class Use:
    """What processes use at a moment.

    Attributes:
        tasks: processes and threads.
        cpu_seconds: processor time, with that of children that have ended.
        resident: the resident bytes of each process by its number.
        largest_file: the bytes of the largest open file that was written; 0 if there is none.
        nameless_bytes: the bytes of the written open files that are in no directory.
    """

    tasks: int
    cpu_seconds: float
    resident: Mapping[int, int]
    largest_file: int
    nameless_bytes: int


def use_below(supervisor: int, *, since: int, most_tasks: int) -> Use:
    """What the descendants of a process use.

    Args:
        supervisor: the process above them, which does not count itself.
        since: a file counts as written if its state changed after this, see `written`.
        most_tasks: once there are more, nothing else is told.
    """
    tasks, ticks = 0, 0
    resident: dict[int, int] = {}
    files: dict[tuple[int, int], os.stat_result] = {}
    for pid in _below(supervisor):
        try:
            fields = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
        except OSError:
            continue
        # utime, stime, and those of the children that were waited for; see proc_pid_stat(5).
        ticks += sum(map(int, fields[11:15]))
        tasks += int(fields[17])
        resident[pid] = int(fields[21]) * _PAGE
        if tasks > most_tasks:
            # They may multiply faster than they can be looked at.
            return Use(tasks, 0, {}, 0, 0)
    for pid in resident:
        files |= _written_open_files(pid, since)
    return Use(
        tasks,
        ticks / _TICKS,
        resident,
        max(map(taken, files.values()), default=0),
        sum(taken(status) for status in files.values() if status.st_nlink == 0),
    )


def taken(status: os.stat_result) -> int:
    """The bytes of a file that are really there: no holes, and nothing kept ready beyond its end."""
    return min(status.st_size, status.st_blocks * 512)


def memory_of(pid: int) -> tuple[int, int]:
    """The resident bytes of a process: its own, and pages of files on a disk, which the kernel may take back.

    Both from one look, because a process that is about to end gives its memory back.
    """
    try:
        fields = dict(_RESIDENT.findall(_read(f"/proc/{pid}/status")))
    except OSError:
        fields = {}
    anonymous, files, shared = (int(fields.get(name, 0)) * 1024 for name in (b"Anon", b"File", b"Shmem"))
    return anonymous + shared, files


def shared_out(pids: Iterable[int]) -> int:
    """The memory of processes in bytes, where a page that several share counts once, and none of a file.

    Takes the kernel far longer than `use_below`, and holds the processes up meanwhile.
    """
    total = 0
    for pid in pids:
        try:
            lines = _read(f"/proc/{pid}/smaps_rollup").splitlines()
        except PermissionError:
            # A program can close itself to us, but not make itself smaller by that.
            total += memory_of(pid)[0]
            continue
        except OSError:
            # It has ended meanwhile.
            continue
        shares = {name: int(words[0]) * 1024 for name, *words in map(bytes.split, lines[1:])}
        total += shares.get(b"Pss:", 0) - shares.get(b"Pss_File:", 0)
    return total


def hides_files(supervisor: int, device: int) -> bool:
    """Whether a descendant of a process has files that neither a directory nor a descriptor leads to.

    In a message that nobody has received, or only in its memory; or it has closed itself to us.

    Args:
        supervisor: the process above them.
        device: the disk whose files are meant.
    """
    # As in proc_pid_maps(5).
    nameless = b" %02x:%02x " % (os.major(device), os.minor(device))
    for pid in below_supervisor(supervisor):
        try:
            mapped = _read(f"/proc/{pid}/maps").splitlines()
            descriptors = list(Path(f"/proc/{pid}/fdinfo").iterdir())
        except PermissionError:
            return True
        except OSError:
            # It has ended meanwhile.
            continue
        if any(nameless in line and line.endswith(b" (deleted)") for line in mapped):
            return True
        for descriptor in descriptors:
            # Any of them may be closed by now.
            with suppress(OSError):
                if _IN_MESSAGES.search(descriptor.read_bytes()):
                    return True
    return False


def below_supervisor(supervisor: int) -> Iterator[int]:
    """All that a supervised command has started: each process before those that it has started itself."""
    # Not the supervisor's own second process, which is closed to everybody.
    return (below for own in _children(supervisor) for below in _below(own))


def is_below(pid: int, ancestor: int) -> bool:
    """Whether a process is a descendant of another.

    Raises:
        OSError: one on the way has ended.
    """
    while pid not in (0, 1, ancestor):
        pid = int(_read(f"/proc/{pid}/stat").rpartition(b")")[2].split()[1])
    return pid == ancestor


def _written_open_files(pid: int, since: int) -> dict[tuple[int, int], os.stat_result]:
    """The regular files that a process has open and that were written, by device and number."""
    written = {}
    # Any of them may be closed by now.
    with suppress(OSError), os.scandir(f"/proc/{pid}/fd") as descriptors:
        for descriptor in descriptors:
            with suppress(OSError):
                status = descriptor.stat()
                if stat.S_ISREG(status.st_mode) and status.st_ctime_ns > since:
                    written[status.st_dev, status.st_ino] = status
    return written


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
    with suppress(OSError), os.scandir(f"/proc/{pid}/task") as threads:
        for thread in threads:
            with suppress(OSError):
                children += map(int, _read(f"{thread.path}/children").split())
    return children


def _read(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:
        return file.readall()

"""Watches what a running command uses, and says which limit it has reached.

Where a control group bounds processes and memory, the watch only reads what the kernel has refused. Without
one it strikes itself: what the kernel refuses looks to a program like any other error, and no result could
name the limit, so the kernel's own limits lie far behind these (see `orders`). It looks often: every 10 ms
while that costs little, else as often as a fiftieth of a processor allows, but every 100 ms. It reads the
command's own processes only, and reads its directory only when the disk has filled noticeably, or now and
then. What came and went between two looks, the supervisor tells at the end.
"""

import time
from typing import Final

from factory.system.sandbox.kernel.group import Group
from factory.system.sandbox.policy import Policy
from factory.system.sandbox.watch.memory import Memory
from factory.system.sandbox.watch.urgency import stop_below
from factory.system.sandbox.watch.usage import hides_files, use_below
from factory.system.sandbox.watch.written import Disk, Scan, now_for_files

_SHORTEST_PERIOD: Final = 0.01
_LONGEST_PERIOD: Final = 0.1
# What looks may take of one processor, where the longest period allows that.
_SHARE: Final = 0.02
_SCAN_PERIOD: Final = 10.0
# A look at the directory may take this part of the time, at most.
_SCAN_SHARE: Final = 0.05


class Watch:
    """The watch over one command; see the module.

    Made before the command starts, or what a fast one has written by then would not count.

    Args:
        policy: the limits, and the places whose files count.
        group: the command's control group, which bounds processes and memory, or one of them; None if the
            watch alone does.
    """

    def __init__(self, policy: Policy, group: Group | None = None) -> None:
        self._supervisor = 0
        self._group = group
        self._limits = policy.resources
        data = (policy.data,) if policy.data is not None else ()
        self._places = (policy.root, policy.home, policy.temporary, policy.shared, *data)
        self._next = self._next_reading = time.monotonic() + _SHORTEST_PERIOD
        self._used_before = time.thread_time()
        # Where the kernel counts memory, nobody else does: it knows which pages it can take back.
        counted = group is not None and group.bounds("memory")
        self._memory = None if counted else Memory(policy.resources.most_memory)
        self._since = now_for_files()
        self._disk = self._first_disk = self._disk_now()
        self._device = policy.root.stat().st_dev
        self._largest_file = 0
        self._next_scan = time.monotonic() + _SCAN_PERIOD
        self._earliest_scan = 0.0

    def follow(self, supervisor: int) -> None:
        """Watch what is below a process: the one above everything that the command starts."""
        self._supervisor = supervisor

    def pause(self) -> float:
        """The seconds until the next look."""
        soonest = self._next if self._group is None else self._next_reading
        return max(0.0, soonest - time.monotonic())

    def look(self, output_bytes: int) -> str | None:
        """The name of a limit that was reached, as in `Outcome.killed`; None if none was, or it is not due.

        Args:
            output_bytes: what the command has printed so far.
        """
        if output_bytes > self._limits.output_bytes:
            return "output"
        if time.monotonic() < self._next_reading:
            return None
        # All that this thread did since the last look, such as waiting for the next one.
        used, self._used_before = time.thread_time() - self._used_before, time.thread_time()
        self._next_reading = _after(used)
        if (refused := self._refused()) is not None:
            return refused
        if time.monotonic() < self._next:
            return None
        return self._used_up() or self._written()

    def last_look(self, peak_bytes: int, written_bytes: int, cpu_milliseconds: int) -> str | None:
        """The same for what a command has used and written, when it has ended.

        Args:
            peak_bytes: the most memory that one of its processes ever had.
            written_bytes: what they wrote to disks, removed meanwhile or not; 0 if that is not known.
            cpu_milliseconds: the processor time of all of them.
        """
        if (refused := self._refused()) is not None:
            return refused
        if cpu_milliseconds > self._limits.cpu_seconds * 1000:
            return "cpu"
        if self._memory and self._memory.was_too_large(peak_bytes):
            return "memory"
        # On a disk where others remove files, no more may be in use than before.
        limits = self._limits
        if written_bytes > min(limits.file_bytes, limits.written_bytes) or self._disk_filled():
            return self._scanned(at_end=True)
        return None

    def _refused(self) -> str | None:
        """The limit that the kernel has refused to pass."""
        return self._group.reached() if self._group is not None else None

    def _used_up(self) -> str | None:
        """What the processes have used up; sets the time of the next look."""
        began = time.thread_time()
        group, most_tasks = self._group, self._limits.most_tasks
        use = use_below(self._supervisor, since=self._since, most_tasks=most_tasks)
        cost = time.thread_time() - began
        self._next = _after(cost)
        if use.tasks > most_tasks and not (group and group.bounds("pids")):
            stop_below(self._supervisor)
            return "processes"
        if max(use.cpu_seconds, group.cpu_seconds() if group else 0) > self._limits.cpu_seconds:
            return "cpu"
        if use.largest_file > self._limits.file_bytes:
            return "file size"
        if use.nameless_bytes > self._limits.written_bytes:
            return "bytes written"
        return "memory" if self._memory and self._memory.is_too_large(use.resident) else None

    def _written(self) -> str | None:
        now = time.monotonic()
        if now < self._earliest_scan or not (self._disk_filled() or now > self._next_scan):
            return None
        limit = self._scanned()
        done = time.monotonic()
        self._earliest_scan = done + (done - now) / _SCAN_SHARE
        self._next_scan = max(done + _SCAN_PERIOD, self._earliest_scan)
        return limit

    def _scanned(self, *, at_end: bool = False) -> str | None:
        """What a look at all the places finds."""
        scan = Scan(self._since)
        for _ in scan.steps(self._places):
            if scan.largest > self._limits.file_bytes:
                return "file size"
            if scan.size > self._limits.written_bytes:
                return "bytes written"
            if scan.files > self._limits.written_files:
                return "files written"
            # A large directory takes longer than memory takes to be filled.
            if not at_end and time.monotonic() > self._next and (limit := self._used_up()):
                return limit
        limit = self._filled_out_of_sight(certain=scan.incomplete)
        if limit is not None:
            return limit
        self._disk = self._disk_now()
        self._largest_file = scan.largest
        return None

    def _filled_out_of_sight(self, *, certain: bool) -> str | None:
        """The limit that the disk has filled beyond, if the command has files that no look finds.

        Args:
            certain: whether it has some.
        """
        grown = self._disk_now().since(self._first_disk)
        if grown.size > self._limits.written_bytes:
            limit = "bytes written"
        elif grown.files > self._limits.written_files:
            limit = "files written"
        else:
            return None
        return limit if certain or hides_files(self._supervisor, self._device) else None

    def _disk_filled(self) -> bool:
        """Whether the disk holds so much more than at the last scan that a limit could be near."""
        grown = self._disk_now().since(self._disk)
        return (
            grown.size > self._limits.written_bytes // 4
            or grown.size > self._limits.file_bytes - self._largest_file
            or grown.files > self._limits.written_files // 4
        )

    def _disk_now(self) -> Disk:
        return Disk.of(self._places[0])


def _after(cost: float) -> float:
    """When to look again after a look that took so many seconds of a processor."""
    return time.monotonic() + min(max(cost / _SHARE, _SHORTEST_PERIOD), _LONGEST_PERIOD)

"""What a command has written to the disk: the files below its places whose state changed since it began."""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from factory.system.sandbox.watch.usage import taken

# The clock that files get their times from.
_COARSE: Final = getattr(time, "CLOCK_REALTIME_COARSE", time.CLOCK_REALTIME)


def now_for_files() -> int:
    """This moment in nanoseconds of the clock that files get their times from."""
    return time.clock_gettime_ns(_COARSE)


@dataclass(frozen=True)
class Disk:
    """What is in use on the disk of a directory.

    Attributes:
        size: bytes.
        files: how many files.
    """

    size: int
    files: int

    @classmethod
    def of(cls, path: Path) -> "Disk":
        """The disk of a directory; zeros if that is gone."""
        try:
            status = os.statvfs(path)
        except OSError:
            return cls(0, 0)
        return cls((status.f_blocks - status.f_bfree) * status.f_frsize, status.f_files - status.f_ffree)

    def since(self, before: "Disk") -> "Disk":
        """What has been added; negative where something was removed."""
        return Disk(self.size - before.size, self.files - before.files)


class Scan:
    """A look at the files whose state changed after a moment.

    By the time of change, which no program can set.

    Args:
        since: the moment, see `now_for_files`.

    Attributes:
        size: the bytes that the files found so far take.
        files: how many there are.
        largest: the bytes of the largest.
        incomplete: whether a directory could not be read.
    """

    def __init__(self, since: int) -> None:
        self.size, self.files, self.largest = 0, 0, 0
        self.incomplete = False
        self._since = since

    def steps(self, places: Sequence[Path]) -> Iterator[None]:
        """Look at everything below `places`, one entry a step, so that the caller may look around."""
        folders = [str(place) for place in places]
        while folders:
            try:
                with os.scandir(folders.pop()) as entries:
                    for entry in entries:
                        # Meanwhile it may have been removed.
                        with suppress(OSError):
                            if entry.is_dir(follow_symlinks=False):
                                folders.append(entry.path)
                            self._count(entry.stat(follow_symlinks=False))
                        yield
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError:
                # Closed to us, or too deep for a path.
                self.incomplete = True

    def _count(self, status: os.stat_result) -> None:
        if status.st_ctime_ns > self._since:
            # Not the length: a file with holes takes less.
            self.size += status.st_blocks * 512
            self.files += 1
            self.largest = max(self.largest, taken(status))

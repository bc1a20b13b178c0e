"""What one command may use: places, network, and how much of everything. Values only."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

Network = Literal["none", "host"]

MIB: Final = 1024 * 1024
GIB: Final = 1024 * MIB

# What belongs to the supervisor and the sandbox: at most four processes.
_OWN_PROCESSES: Final = 4
_OWN_MEMORY: Final = 64 * MIB


@dataclass(frozen=True)
class Resources:
    """How much a command may use before it is killed.

    Attributes:
        wall_seconds: elapsed time; None leaves it to the command's own time limit.
        cpu_seconds: processor time of all its processes together.
        memory_bytes: memory of all its processes together.
        processes: processes and threads at one moment.
        file_bytes: the size of a single file.
        written_bytes: the size of all the files that it wrote in the writable places of the disk.
        written_files: how many files it wrote there.
        output_bytes: what it may print, stored or not.
    """

    wall_seconds: float | None = None
    cpu_seconds: int = 3_600
    memory_bytes: int = 2 * GIB
    processes: int = 256
    file_bytes: int = 256 * MIB
    written_bytes: int = GIB
    written_files: int = 100_000
    output_bytes: int = GIB

    @property
    def most_tasks(self) -> int:
        """How many processes and threads there may be, with those of the sandbox."""
        return self.processes + _OWN_PROCESSES

    @property
    def most_memory(self) -> int:
        """How many bytes of memory all of them may have."""
        return self.memory_bytes + _OWN_MEMORY

    def description(self, limit: str) -> str:
        """A limit in words for whoever must keep it, such as `2 GiB of memory for all its processes`.

        Args:
            limit: its name, as in `Outcome.killed`.
        """
        return {
            "cpu": f"{self.cpu_seconds} s of processor time for all its processes together",
            "memory": f"{render_bytes(self.memory_bytes)} of memory for all its processes together",
            "processes": f"{self.processes} processes and threads at a time",
            "file size": f"{render_bytes(self.file_bytes)} for a single file",
            "bytes written": f"{render_bytes(self.written_bytes)} of written files",
            "files written": f"{self.written_files} written files",
            "output": f"{render_bytes(self.output_bytes)} of output",
        }[limit]


@dataclass(frozen=True)
class Policy:
    """What one command may see and change.

    Attributes:
        root: the directory that it may write to; a real path.
        home: the directory that takes the place of a home; writable.
        temporary: the directory for temporary files; writable, and ours to hand over.
        shared: the directory that commands find at /tmp, where the sandbox makes them a /tmp of their own.
        data: the directory that services keep theirs in; writable. None where there are no services.
        read_only: paths in `root` that it must not change, such as `.git`; what doesn't exist is left out.
        visible: further paths that it may read and execute, such as an interpreter.
        links: further names outside of what is writable, and what they lead to, which is visible.
        other_user: whether it runs as another user than otherwise, where the level chooses whom.
        network: `none` leaves it a loopback of its own at most.
        resources: how much it may use.
    """

    root: Path
    home: Path
    temporary: Path
    shared: Path
    read_only: tuple[Path, ...] = ()
    visible: tuple[Path, ...] = ()
    links: tuple[tuple[Path, Path], ...] = ()
    data: Path | None = None
    other_user: bool = False
    network: Network = "none"
    resources: Resources = field(default_factory=Resources)


def render_bytes(count: int) -> str:
    """A number of bytes for people, exact: `2 GiB`, `1500 bytes`."""
    for unit, name in ((GIB, "GiB"), (MIB, "MiB"), (1024, "KiB")):
        if count and count % unit == 0:
            return f"{count // unit} {name}"
    return f"{count} bytes"

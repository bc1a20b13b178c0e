"""What keeps the limits on processes and memory, for people, and how to mend it where that is the watch."""

import os
from dataclasses import dataclass
from typing import Final

WATCH_ALONE: Final = "the watch alone"


@dataclass(frozen=True)
class Bounds:
    """What keeps them.

    Attributes:
        processes: `control group v2`, `control group v1`, what the level has, or `the watch alone`.
        memory: the same, but that no level has anything.
        reason: why there is no control group for both, a clause; empty if there is.
    """

    processes: str = WATCH_ALONE
    memory: str = WATCH_ALONE
    reason: str = ""

    @property
    def gap(self) -> str:
        """What is limited by the watch alone: `processes and memory`, one of them, or nothing."""
        kept = {"processes": self.processes, "memory": self.memory}
        return " and ".join(name for name, keeper in kept.items() if keeper == WATCH_ALONE)

    @property
    def remedies(self) -> tuple[str, ...]:
        """How to close the gap, each a line; a command stands alone on its line."""
        if not self.gap:
            return ()
        if os.geteuid() != 0:
            return (
                "run it in a control group of its own:",
                "systemd-run --user --scope -p Delegate=yes factory …",
            )
        own_user = "or, for processes, put the interpreter where an ordinary user reaches it"
        return (
            "let it make control groups; in Docker, start the container with:",
            "docker run --privileged --cgroupns=private …",
            *((own_user,) if self.processes == WATCH_ALONE else ()),
        )

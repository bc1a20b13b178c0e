"""The folder of one run: what a person, or a program, reads afterwards to learn what happened.

Everything in it is a view. Deleting it loses explanations, never work. What each file holds is in `files`.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from factory.contract.strict_json import JsonValue
from factory.runs.record.events import EVENTS_FILE, EventLog
from factory.runs.record.files import LANDING_FOLDER, REPAIR_REQUEST
from factory.system.clock import Clock
from factory.system.files.tree import write_atomic
from factory.system.removal import remove_tree


@dataclass(frozen=True)
class AttemptFolder:
    """The folder of one attempt."""

    path: Path

    def text(self, name: str, content: str) -> None:
        """Write a text file; half surrogates, which no file can hold, are escaped."""
        self.data(name, content.encode("utf-8", "backslashreplace"))

    def data(self, name: str, content: bytes) -> None:
        """Write raw bytes."""
        write_atomic(self.path / name, content)


@dataclass(frozen=True)
class RunFolder:
    """The folder `OUT/RUN_ID`."""

    path: Path
    clock: Clock

    def begin(self) -> None:
        """Forget the attempts of an earlier run of the same work order on the same baseline."""
        for folder in (*self.path.glob("attempt_*"), self.path / LANDING_FOLDER):
            remove_tree(folder)
        (self.path / REPAIR_REQUEST.name).unlink(missing_ok=True)

    def attempt(self, number: int) -> AttemptFolder:
        """The folder of an attempt, emptied: an attempt that is run again is told again."""
        folder = self.opened_attempt(number)
        remove_tree(folder.path)
        folder.path.mkdir(parents=True)
        return folder

    def opened_attempt(self, number: int) -> AttemptFolder:
        """The folder of the attempt under way."""
        return AttemptFolder(self.path / f"attempt_{number}")

    def event(self, kind: str, **facts: JsonValue) -> None:
        """Append a line to `events.jsonl`: a sequence number, the time, what happened."""
        self._events.append(kind, **facts)

    @cached_property
    def _events(self) -> EventLog:
        return EventLog(self.path / EVENTS_FILE, self.clock)


def attempts_in(folder: Path) -> list[tuple[int, Path]]:
    """The attempts' folders below `folder`, with their numbers, in order."""
    numbered = ((path.name.removeprefix("attempt_"), path) for path in folder.glob("attempt_*"))
    return sorted((int(digits), path) for digits, path in numbered if digits.isdecimal())

"""The folder of one run: what a person, or a program, reads afterwards to learn what happened.

Everything in it is a view. Deleting it loses explanations, never work.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from factory.contract.canonical import readable_json
from factory.contract.strict_json import JsonObject, JsonValue
from factory.system.clock import Clock
from factory.system.files.tree import write_atomic
from factory.system.removal import remove_tree

SCHEMA_VERSION: Final = 1
RUN_FILE: Final = "run.json"
SUMMARY_FILE: Final = "run_summary.json"
EVENTS_FILE: Final = "events.jsonl"
REPAIR_FILE: Final = "repair_request.json"
LANDING_FOLDER: Final = "landing"
"""Below the folder of a run in a build: the gates on the branch's tip, attempt by attempt."""


@dataclass(frozen=True)
class AttemptFolder:
    """The folder of one attempt."""

    path: Path

    def text(self, name: str, content: str) -> None:
        """Write a text file; half surrogates, which no file can hold, are escaped."""
        write_atomic(self.path / name, content.encode("utf-8", "backslashreplace"))

    def document(self, name: str, content: JsonValue) -> None:
        """Write a JSON file."""
        write_atomic(self.path / name, readable_json(content))

    def data(self, name: str, content: bytes) -> None:
        """Write raw bytes."""
        write_atomic(self.path / name, content)


@dataclass(frozen=True)
class RunFolder:
    """The folder `OUT/RUN_ID`."""

    path: Path
    clock: Clock

    def document(self, name: str, content: JsonValue) -> None:
        """Write a JSON file."""
        write_atomic(self.path / name, readable_json(content))

    def begin(self) -> None:
        """Forget the attempts of an earlier run of the same work order on the same baseline."""
        for folder in (*self.path.glob("attempt_*"), self.path / LANDING_FOLDER):
            remove_tree(folder)
        (self.path / REPAIR_FILE).unlink(missing_ok=True)

    def attempt(self, number: int) -> AttemptFolder:
        """The folder of an attempt, emptied: an attempt that is run again is told again."""
        folder = self.path / f"attempt_{number}"
        remove_tree(folder)
        folder.mkdir(parents=True)
        return AttemptFolder(folder)

    def opened_attempt(self, number: int) -> AttemptFolder:
        """The folder of the attempt under way."""
        return AttemptFolder(self.path / f"attempt_{number}")

    def event(self, kind: str, **facts: JsonValue) -> None:
        """Append a line to `events.jsonl`: a sequence number, the time, what happened."""
        EventLog(self.path / EVENTS_FILE, self.clock).append(kind, **facts)


class EventLog:
    """A file with a line for each event; its first line tells the version. One writer at a time."""

    def __init__(self, path: Path, clock: Clock) -> None:
        self._path = path
        self._clock = clock
        path.parent.mkdir(parents=True, exist_ok=True)
        content = path.read_bytes() if path.exists() else b""
        if content and not content.endswith(b"\n"):
            # A crash cut the last line; what was after its beginning never happened.
            content = content[: content.rfind(b"\n") + 1]
            write_atomic(path, content)
        self._sequence = content.count(b"\n")

    def append(self, kind: str, **facts: JsonValue) -> JsonObject:
        """Append an event, and return it as it was written."""
        with self._path.open("ab") as file:
            if self._sequence == 0:
                file.write(_line({"schema_version": SCHEMA_VERSION, "sequence": 0}))
                self._sequence = 1
            event = {"sequence": self._sequence, "time": self._clock.now(), "event": kind, **facts}
            file.write(_line(event))
        self._sequence += 1
        return event


def _line(event: JsonObject) -> bytes:
    return json.dumps(event, ensure_ascii=False, sort_keys=True).encode("utf-8", "backslashreplace") + b"\n"

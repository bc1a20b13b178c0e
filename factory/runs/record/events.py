"""`events.jsonl`: what happened, a line for each event, appended in constant time."""

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

from factory.contract.strict_json import JsonObject, JsonValue
from factory.system.clock import Clock
from factory.system.files.tree import write_atomic

EVENTS_FILE: Final = "events.jsonl"

_SCHEMA_VERSION: Final = 1
_LOOKED_AT: Final = 1_000_000
"""How much of a file's end is read for what happened last, in bytes."""


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
                file.write(_line({"schema_version": _SCHEMA_VERSION, "sequence": 0}))
                self._sequence = 1
            event = {"sequence": self._sequence, "time": self._clock.now(), "event": kind, **facts}
            file.write(_line(event))
        self._sequence += 1
        return event


def latest_events(path: Path) -> list[JsonObject]:
    """The last of the events of a file, as far as they can be read; for a view, never for a decision."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _LOOKED_AT))
            # What the look begins in the middle of is no whole line.
            lines = file.read(_LOOKED_AT).split(b"\n")[size > _LOOKED_AT :]
    except OSError:
        return []
    events = []
    for line in lines:
        with suppress(ValueError, RecursionError):
            event = json.loads(line)
            if isinstance(event, dict):
                events.append(event)
    return events


def _line(event: JsonObject) -> bytes:
    return json.dumps(event, ensure_ascii=False, sort_keys=True).encode("utf-8", "backslashreplace") + b"\n"

"""What a run did when, from its `events.jsonl`: an event ends what its line names and begins what comes next.

The commands of a part of the checks ran one after the other within it. Only reads.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Final

from factory.gates.check import Probed
from factory.report.page.story import Attempt, Command, Step
from factory.runs.record.events import EVENTS_FILE
from factory.system.files.tree import FileProblem, read_bounded

_MOST_BYTES: Final = 10_000_000


@dataclass(frozen=True)
class _Event:
    kind: str
    time: float
    attempt: int
    part: str
    went_well: bool


def before_work(folder: Path, probed: Sequence[Probed]) -> tuple[Step, ...]:
    """What was done before the first attempt: the acceptance commands are to fail then.

    Args:
        folder: the folder of the run.
        probed: these commands.
    """
    events = _events(folder)
    begin = next((event.time for event in events if event.kind == "run_started"), None)
    end = next((event.time for event in events if event.kind == "attempt_started"), None)
    if begin is None or end is None:
        return ()
    label = f"before the work, with {len(probed)} acceptance command{'s' if len(probed) != 1 else ''}"
    return (Step("before", label, begin, end),)


def steps_in(folder: Path, attempts: Iterable[Attempt]) -> dict[str, tuple[Step, ...]]:
    """What each attempt did when, by its title.

    Args:
        folder: the folder of the run.
        attempts: its attempts, with their commands.
    """
    events = _events(folder)
    by_title = {attempt.title: attempt for attempt in attempts}
    steps: dict[str, tuple[Step, ...]] = {}
    for number in sorted({event.attempt for event in events if event.attempt}):
        title = f"attempt {number}"
        if title in by_title:
            own = [event for event in events if event.attempt == number]
            steps[title] = tuple(_steps(own, by_title[title]))
    return steps


def _steps(events: Sequence[_Event], attempt: Attempt) -> Iterator[Step]:
    drawn = 0.0
    for before, event in pairwise(events):
        # The parts of a trial are told when it has ended: one begins where the other's commands end.
        is_told_with = before.kind == event.kind == "examined"
        begin, end = drawn if is_told_with else before.time, event.time
        if end < begin:
            continue
        match event.kind:
            case "answered":
                yield Step("answer", f"the answer of {attempt.model or 'the model'}", begin, end)
            case "applied" | "writes_refused" if before.kind == "attempt_started" and attempt.model:
                yield Step("answer", f"the answer of {attempt.model}", begin, end, event.kind == "applied")
            case "examined":
                for step in _commands(event, attempt, begin):
                    drawn = step.end
                    yield step
            case "repeated":
                yield Step("proof", "second pass of acceptance", begin, end, event.went_well)
            case "proved":
                yield Step("proof", "mutants", begin, end)
            case _:
                pass


def _commands(event: _Event, attempt: Attempt, begin: float) -> Iterator[Step]:
    """The commands of a part; the part itself where it ran none."""
    commands: list[Command] = [
        command for check in attempt.checks if check.part == event.part for command in check.commands
    ]
    total = sum(command.seconds for command in commands)
    if not commands or total <= 0:
        yield Step("check", event.part, begin, event.time, event.went_well)
        return
    # They can't have taken longer than the part; clocks may disagree.
    scale = min(1.0, (event.time - begin) / total)
    for command in commands:
        end = begin + command.seconds * scale
        yield Step("check", f"{event.part}: {command.text} ({command.end})", begin, end, command.passed)
        begin = end


def _events(folder: Path) -> list[_Event]:
    """The events since the run was started last."""
    path = folder / EVENTS_FILE
    try:
        lines = read_bounded(path, max_bytes=_MOST_BYTES).splitlines() if path.is_file() else []
    except FileProblem:
        return []
    events = [event for line in lines if (event := _event(line)) is not None]
    starts = [number for number, event in enumerate(events) if event.kind == "run_started"]
    return events[starts[-1] :] if starts else events


def _event(line: bytes) -> _Event | None:
    try:
        value = json.loads(line)
        attempt = value.get("attempt", 0)
        return _Event(
            kind=str(value["event"]),
            time=datetime.fromisoformat(value["time"]).timestamp(),
            attempt=attempt if isinstance(attempt, int) else 0,
            part=str(value.get("part", "")),
            went_well=bool(value.get("passed", value.get("stable", True))),
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        # The first line tells the version alone; the last may be cut off.
        return None

"""What the folder of a run tells of its attempts. Only reads; what is damaged is left out."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from markupsafe import escape

from factory.attempt.summary import AttemptSummary
from factory.builds.state.attempts import AttemptRecord, Spending
from factory.gates.check import CheckResult, CommandResult
from factory.report.figures import spent
from factory.report.page.steps import before_work, steps_in
from factory.report.page.story import Attempt, Check, Command, Run, Text
from factory.report.show import ended_how
from factory.report.workers import trials_of
from factory.runs.record.files import (
    ANSWER,
    ANSWER_TEXT,
    CHANGES,
    CHECK_RESULTS,
    FAILURE_BRIEF,
    KILL_PROOF,
    LANDING_FOLDER,
    PASSAGES,
    PROBE,
    PROMPT_TEXT,
    PROPOSAL,
    REPAIR_REQUEST,
    RUN,
    SECOND_PASS,
    SUMMARY,
    WRITE_RESULT,
)
from factory.runs.record.folder import attempts_in
from factory.runs.record.model import AnswerRecord
from factory.system.files.tree import FileProblem, read_bounded
from factory.system.terminal.console import visible

_MOST_BYTES: Final = 20_000_000
_TEXTS: Final = 3
"""The texts of an attempt: its prompt, its answer and its changes."""


@dataclass(frozen=True)
class Room:
    """How much of prompts, answers and changes a report has room for, in characters as a page holds them.

    Attributes:
        each: of one of them.
        all: of all together.
    """

    each: int
    all: int

    def shared(self, folders: Iterable[Path]) -> "Room":
        """With what one may have, if all that these folders hold is to find room."""
        texts = sum(_TEXTS * len(attempts_in(folder)) for folder in folders)
        return replace(self, each=min(self.each, self.all // max(1, texts)))


def read_runs(folders: Iterable[Path], room: Room) -> Iterator[Run]:
    """The runs of these folders, without those that are none."""
    for folder in folders:
        record = RUN.read_sound(folder)
        if record is None:
            continue
        probe, summary = PROBE.read_sound(folder), SUMMARY.read_sound(folder)
        request = REPAIR_REQUEST.read_sound(folder)
        made = {attempt.attempt: attempt for attempt in summary.attempts} if summary is not None else {}
        attempts = [_attempt(number, path, room, made) for number, path in attempts_in(folder)]
        attempts += [
            replace(_attempt(number, path, room, {}), title=f"attempt {number} again, on the branch's tip")
            for number, path in attempts_in(folder / LANDING_FOLDER)
        ]
        steps = steps_in(folder, attempts)
        yield Run(
            folder=folder,
            record=record,
            summary=summary,
            probe=() if probe is None else probe.commands,
            attempts=tuple(replace(attempt, steps=steps.get(attempt.title, ())) for attempt in attempts),
            before=before_work(folder, () if probe is None else probe.commands),
            at_fault="" if request is None else f"{request.at_fault}: {request.reason}".removesuffix(": "),
            trials=trials_of(folder),
        )


def lines_of(runs: Iterable[Run]) -> dict[str, tuple[tuple[int, int], ...]]:
    """The lines of the specification that the latest prompt with any showed, by requirement."""
    shown = [
        record
        for run in runs
        for _, attempt in attempts_in(run.folder)
        if (record := PASSAGES.read_sound(attempt)) is not None
    ]
    return dict(shown[-1].lines) if shown else {}


def _attempt(number: int, folder: Path, room: Room, made: dict[int, AttemptSummary]) -> Attempt:
    answer, proposal = ANSWER.read_sound(folder), PROPOSAL.read_sound(folder)
    written = WRITE_RESULT.read_sound(folder)
    parts = {name: results.read_sound(folder) for name, results in CHECK_RESULTS.items()}
    texts = (_text("prompt", folder / PROMPT_TEXT, room), _text("answer", folder / ANSWER_TEXT, room))
    return Attempt(
        title=f"attempt {number}",
        model="" if answer is None else answer.model,
        usage=_usage(answer, made.get(number)),
        summary="" if proposal is None else proposal.summary,
        remarks=() if proposal is None else proposal.remarks,
        written=() if written is None else written.written,
        checks=tuple(
            _check(name, check, folder)
            for name, part in parts.items()
            if part is not None
            for check in part.checks
        ),
        again=SECOND_PASS.read_sound(folder),
        proof=KILL_PROOF.read_sound(folder),
        failure=FAILURE_BRIEF.read_sound(folder),
        texts=tuple(text for text in texts if text is not None),
        diff=_text("changes", folder / CHANGES, room),
    )


def _usage(answer: AnswerRecord | None, made: AttemptSummary | None) -> str:
    if made is not None and made.usage is not None:
        return spent(Spending.on([AttemptRecord.of(made)]))
    if answer is None:
        return ""
    return spent(Spending(input_tokens=answer.usage.input_tokens, output_tokens=answer.usage.output_tokens))


def _check(part: str, check: CheckResult, folder: Path) -> Check:
    note = check.note if check.gates else f"reports only{'; ' if check.note else ''}{check.note}"
    note = "; ".join(filter(None, (note, check.removal)))
    passed = check.failure is None
    commands = tuple(_command(command, passed, folder) for command in check.commands)
    return Check(check.name, passed, note, commands, part, check.gates)


def _command(command: CommandResult, is_accepted: bool, folder: Path) -> Command:
    """A command; its check may accept another exit code, such as that of pytest where there is no test."""
    is_proven = command.exit_code == 0 and not command.shortcoming
    path = folder / command.output_file
    return Command(
        text=command.command,
        end=ended_how(command) + (f", proves nothing: {command.shortcoming}" if command.shortcoming else ""),
        passed=is_proven or is_accepted,
        seconds=command.seconds,
        known_by=f"by {command.verdict}" if is_proven else "",
        output=command.excerpt,
        path=path if command.output_bytes and path.is_file() else None,
    )


def _text(name: str, path: Path, room: Room) -> Text | None:
    """A file, cut in its middle; None if it is not there, or can't be read."""
    try:
        whole = (
            read_bounded(path, max_bytes=_MOST_BYTES).decode("utf-8", "replace") if path.is_file() else None
        )
    except FileProblem:
        return None
    if whole is None:
        return None
    # What is escaped takes more room than it has characters.
    size = len(escape(visible(whole)))
    if size <= room.each:
        return Text(name, whole, path, 0)
    most = min(room.each * len(whole) // size, len(whole))
    # At line ends, so that what is left reads as lines.
    begin, end = whole[: most * 2 // 3], whole[len(whole) - most // 3 :]
    head, tail = begin.rpartition("\n")[0] or begin, end.partition("\n")[2] or end
    left_out = len(whole) - len(head) - len(tail)
    return Text(name, f"{head}\n\n… {left_out:,} characters are left out …\n\n{tail}", path, left_out)

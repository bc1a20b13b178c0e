"""What is written down about a run: `run.json` at its start, `run_summary.json` at every end."""

import platform
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from factory.attempt.exit_codes import ExitCode
from factory.attempt.failure import Failure
from factory.attempt.outcome import RunOutcome
from factory.attempt.summary import AttemptSummary
from factory.contract.canonical import dump, readable_json
from factory.contract.errors import WorkorderError
from factory.contract.strict_json import JsonObject, JsonValue, read_json
from factory.contract.work_order import WorkOrder
from factory.llm.port import Usage
from factory.runs.record.artifacts import RUN_FILE, SCHEMA_VERSION, SUMMARY_FILE, RunFolder
from factory.system.clock import Clock
from factory.system.files.tree import read_bounded, write_atomic
from factory.system.terminal.console import visible


@dataclass(frozen=True)
class Ending:
    """How a run ended.

    Attributes:
        outcome: which way of ending it is.
        exit_code: the process's exit code.
        message: what happened, in a sentence.
        hint: who must do what next; empty if nothing is to be done.
        failure: the failure that ended it.
        commit: the commit that holds the result.
        attempts: one summary for each attempt.
    """

    outcome: RunOutcome
    exit_code: ExitCode
    message: str
    hint: str = ""
    failure: Failure | None = None
    commit: str | None = None
    attempts: tuple[AttemptSummary, ...] = ()


@dataclass(frozen=True)
class RunRecord:
    """The record of one run.

    Attributes:
        folder: the run's folder.
        facts: what is known at the start: ids, hashes, settings.
    """

    folder: RunFolder
    facts: JsonObject

    @classmethod
    def start(cls, folder: RunFolder, order: WorkOrder, facts: JsonObject) -> "RunRecord":
        """Write `work_order.json` and `run.json`, and the first event."""
        facts = {
            **facts,
            "schema_version": SCHEMA_VERSION,
            "work_order": order.id,
            "title": order.title,
            "python": platform.python_version(),
            "started": folder.clock.now(),
        }
        folder.document("work_order.json", dump(order))
        folder.document(RUN_FILE, {**facts, "ended": None, "outcome": None})
        folder.event("run_started", run_id=str(facts["run_id"]), work_order=order.id)
        return cls(folder, facts)

    def end(
        self, ending: Ending, usage: Usage | None, calls: int | None, cost_usd: float | None = None
    ) -> None:
        """Complete `run.json` and write `run_summary.json`; what a killed run used is not known."""
        ended = self.folder.clock.now()
        attempts: list[JsonValue] = [dump(attempt) for attempt in ending.attempts]
        summary: JsonObject = {
            **self.facts,
            "ended": ended,
            "outcome": ending.outcome,
            "exit_code": ending.exit_code,
            # Names of files and directories may hold bytes that no text can.
            "message": visible(ending.message),
            "hint": visible(ending.hint),
            "failure": dump(ending.failure) if ending.failure else None,
            "commit": ending.commit,
            "attempts": attempts,
            "usage": dump(usage) if usage is not None else None,
            "model_answers": calls,
            "cost_usd": cost_usd,
        }
        self.folder.document(SUMMARY_FILE, summary)
        self.folder.document(RUN_FILE, {**self.facts, "ended": ended, "outcome": ending.outcome})
        self.folder.event("run_ended", outcome=ending.outcome, exit_code=ending.exit_code)


def complete_killed_runs(
    out: Path, repository: str, clock: Clock, landed: Callable[[JsonObject], str | None]
) -> int:
    """Write the summary of runs that were killed before they could. Call it with the repository's lock held.

    Args:
        out: the directory with the run folders.
        repository: only runs of this repository are touched; others may be alive.
        clock: the time, for the record.
        landed: the commit of the run with these facts, if it landed before it was killed.

    Returns:
        How many runs were completed.
    """
    completed = 0
    for run_file in sorted(out.glob(f"*/{RUN_FILE}")):
        try:
            facts = read_json(read_bounded(run_file), str(run_file))
        except WorkorderError:
            continue
        if (
            not isinstance(facts, dict)
            or facts.get("repository") != repository
            or facts.get("outcome") not in (None, RunOutcome.PASSED)
        ):
            continue
        if facts["outcome"] is None:
            facts = _ended_without_saying_so(run_file, facts)
        commit = landed(facts)
        if facts["outcome"] == RunOutcome.PASSED:
            if commit is not None:
                retell(run_file.parent, RunOutcome.LANDED, f"landed as {commit[:12]}", commit=commit)
            continue
        if facts["outcome"] is not None:
            continue
        message = f"the process was killed after it had landed {commit[:12]}" if commit else _KILLED
        del facts["outcome"], facts["ended"]
        record = RunRecord(RunFolder(run_file.parent, clock), facts)
        hint = "" if commit else "run the work order again: the stored answers are used"
        ending = Ending(RunOutcome.KILLED, ExitCode.KILLED, message, hint, commit=commit)
        record.end(ending, None, None)
        completed += 1
    return completed


def _ended_without_saying_so(run_file: Path, facts: JsonObject) -> JsonObject:
    """The facts of a run that was killed when its summary was written and `run.json` not: completed."""
    try:
        summary = read_json(read_bounded(run_file.with_name(SUMMARY_FILE)), SUMMARY_FILE)
    except WorkorderError:
        return facts
    # The summary may be an earlier run's in the same folder.
    if not isinstance(summary, dict) or summary.get("started") != facts.get("started"):
        return facts
    completed = {**facts, "ended": summary.get("ended"), "outcome": summary.get("outcome")}
    write_atomic(run_file, readable_json(completed))
    return completed


def retell(
    folder: Path,
    outcome: RunOutcome,
    message: str,
    *,
    commit: str | None = None,
    failure: Failure | None = None,
) -> None:
    """Say how a passed run of a build ended after all: it landed, or failed on the branch's tip.

    Args:
        folder: the run's folder; one that is gone, or damaged, is left as it is.
        outcome: `landed` or `failed`.
        message: what happened.
        commit: the commit that landed.
        failure: why it did not.
    """
    for name in (SUMMARY_FILE, RUN_FILE):
        try:
            document = read_json(read_bounded(folder / name), name)
        except WorkorderError:
            continue
        if isinstance(document, dict):
            told: JsonObject = {
                "message": visible(message),
                "commit": commit,
                "failure": dump(failure) if failure else None,
            }
            attempts = document.get("attempts")
            last = attempts[-1] if isinstance(attempts, list) and attempts else None
            if failure is not None and isinstance(attempts, list) and isinstance(last, dict):
                told["attempts"] = [*attempts[:-1], {**last, "passed": False, "failure": dump(failure)}]
            changed = {**document, "outcome": outcome, **(told if name == SUMMARY_FILE else {})}
            write_atomic(folder / name, readable_json(changed))


_KILLED: Final = "the process was killed; nothing landed, and the checkout is as it was"

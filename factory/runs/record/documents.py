"""What is written down about a run: `run.json` at its start, `run_summary.json` at every end."""

import platform
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from factory.attempt.exit_codes import ExitCode
from factory.attempt.failure import Failure
from factory.attempt.outcome import RunOutcome
from factory.contract.work_order import WorkOrder
from factory.llm.port import Usage
from factory.runs.record.endings import Ending
from factory.runs.record.files import RUN, SUMMARY, WORK_ORDER
from factory.runs.record.folder import RunFolder
from factory.runs.record.model import RunDocument, RunSummary
from factory.system.clock import Clock
from factory.system.terminal.console import visible

_KILLED: Final = "the process was killed; nothing landed, and the checkout is as it was"


@dataclass(frozen=True)
class RunRecord:
    """The record of one run.

    Attributes:
        folder: the run's folder.
        run: what is known of it so far.
    """

    folder: RunFolder
    run: RunDocument

    @classmethod
    def start(cls, folder: RunFolder, order: WorkOrder, run: RunDocument) -> "RunRecord":
        """Write `work_order.json` and `run.json`, and the first event."""
        begun = {
            "work_order": order.id,
            "title": order.title,
            "python": platform.python_version(),
            "started": folder.clock.now(),
        }
        run = run.model_copy(update=begun)
        WORK_ORDER.write(folder.path, order)
        RUN.write(folder.path, run)
        folder.event("run_started", run_id=run.run_id, work_order=order.id)
        return cls(folder, run)

    def end(
        self, ending: Ending, usage: Usage | None, calls: int | None, cost_usd: float | None = None
    ) -> None:
        """Complete `run.json` and write `run_summary.json`; what a killed run used is not known."""
        run = self.run.model_copy(update={"ended": self.folder.clock.now(), "outcome": ending.outcome})
        summary = RunSummary(
            **dict(run),
            exit_code=ending.exit_code,
            # Names of files and directories may hold bytes that no text can.
            message=visible(ending.message),
            hint=visible(ending.hint),
            failure=ending.failure,
            commit=ending.commit,
            attempts=ending.attempts,
            usage=usage,
            model_answers=calls,
            cost_usd=cost_usd,
        )
        SUMMARY.write(self.folder.path, summary)
        RUN.write(self.folder.path, run)
        self.folder.event("run_ended", outcome=ending.outcome, exit_code=ending.exit_code)


def complete_killed_runs(
    out: Path, repository: str, clock: Clock, landed: Callable[[RunDocument], str | None]
) -> int:
    """Write the summary of runs that were killed before they could. Call it with the repository's lock held.

    Args:
        out: the directory with the run folders.
        repository: only runs of this repository are touched; others may be alive.
        clock: the time, for the record.
        landed: the commit of a run, if it landed before it was killed.

    Returns:
        How many runs were completed.
    """
    completed = 0
    for path in sorted(out.glob(f"*/{RUN.name}")):
        folder = path.parent
        run = RUN.read_sound(folder)
        if run is None or run.repository != repository:
            continue
        if run.outcome is None:
            run = _ended_without_saying_so(folder, run)
        if run.outcome is RunOutcome.PASSED:
            commit = landed(run)
            if commit is not None:
                retell(folder, RunOutcome.LANDED, f"landed as {commit[:12]}", commit=commit)
        elif run.outcome is None:
            RunRecord(RunFolder(folder, clock), run).end(_killed(landed(run)), None, None)
            completed += 1
    return completed


def _killed(commit: str | None) -> Ending:
    """The ending of a run that was killed, after it had landed `commit` or before."""
    message = f"the process was killed after it had landed {commit[:12]}" if commit else _KILLED
    hint = "" if commit else "run the work order again: the stored answers are used"
    return Ending(RunOutcome.KILLED, ExitCode.KILLED, message, hint, commit=commit)


def _ended_without_saying_so(folder: Path, run: RunDocument) -> RunDocument:
    """`run.json` of a run that was killed when its summary was written and this was not: completed."""
    summary = SUMMARY.read_sound(folder)
    # The summary may be an earlier run's in the same folder.
    if summary is None or summary.started != run.started:
        return run
    completed = run.model_copy(update={"ended": summary.ended, "outcome": summary.outcome})
    RUN.write(folder, completed)
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
        folder: the run's folder; what is gone, or damaged, is left as it is.
        outcome: `landed` or `failed`.
        message: what happened.
        commit: the commit that landed.
        failure: why it did not.
    """
    summary = SUMMARY.read_sound(folder)
    if summary is not None:
        attempts = summary.attempts
        if failure is not None and attempts:
            last = attempts[-1].model_copy(update={"passed": False, "failure": failure})
            attempts = (*attempts[:-1], last)
        end = {"outcome": outcome, "message": visible(message), "commit": commit, "failure": failure}
        SUMMARY.write(folder, summary.model_copy(update={**end, "attempts": attempts}))
    run = RUN.read_sound(folder)
    if run is not None:
        RUN.write(folder, run.model_copy(update={"outcome": outcome}))

"""The last lines of a run: what happened, who must act, where to look."""

import shlex
from collections.abc import Collection
from pathlib import Path
from typing import Final

from factory.attempt.exit_codes import ExitCode
from factory.report.figures import output_lines
from factory.report.remarks import render_remarks
from factory.runs.record.endings import Ending
from factory.runs.record.files import REPAIR_REQUEST, RUN
from factory.runs.record.remarks import remarks_in

FAILED: Final = (ExitCode.FAIL, ExitCode.PLAN_DEFECT)
"""The exit codes of a work order that failed by itself: a person can do something about it."""


def render_ending(ending: Ending, folder: Path | None, told: Collection[str] = ()) -> str:
    """The ending as text for the terminal.

    Args:
        ending: the ending.
        folder: that of the run.
        told: lines that were told meanwhile; a remark among them is not told again.
    """
    lines = [ending.message]
    if ending.failure is not None and ending.failure.excerpt:
        lines += output_lines(ending.failure.excerpt, "  ")
    if ending.hint:
        lines.append(f"  hint: {ending.hint}")
    if folder is not None:
        lines.append(f"  artifacts: {folder}")
        lines += render_remarks([line for line in remarks_in([folder]) if line not in told])
        lines += render_repair(folder)
        record = RUN.read_sound(folder)
        if ending.exit_code in FAILED and record is not None:
            is_of_plan = ending.exit_code == ExitCode.PLAN_DEFECT
            lines += render_next_steps(
                record.work_order, folder.parent, by_person=bool(record.person), of_plan=is_of_plan
            )
    return "\n".join(lines)


def render_next_steps(
    work_order: str, out: Path, *, by_person: bool = False, of_plan: bool = False
) -> list[str]:
    """The lines that say what a person can do about a work order that failed.

    Args:
        work_order: its id.
        out: the output directory.
        by_person: whether it was a person's work that failed.
        of_plan: whether no attempt can mend it, because the plan is wrong.
    """
    named = f"{work_order} --out {shlex.quote(str(out))}"
    if by_person:
        return [
            f"  what happened: factory show {named}",
            f"  mend it where it is, then: factory adopt {named}",
        ]
    if of_plan:
        return [
            f"  what happened: factory show {named}",
            f"  not at all: factory skip {named} --reason TEXT",
        ]
    hint = f"factory hint {named} TEXT"
    return [
        f"  what happened: factory show {named}",
        f"  by the model: factory retry {named} [--llm OTHER], after {hint} or without",
        f"  by hand: factory open {named}, then factory adopt {named}",
        f"  not at all: factory skip {named} --reason TEXT",
    ]


def render_repair(folder: Path) -> list[str]:
    """The line that says how to amend the plan, if the run in `folder` found a reason to; else none."""
    request = REPAIR_REQUEST.read_sound(folder)
    if request is None or request.at_fault == "code":
        return []
    path = folder / REPAIR_REQUEST.name
    return [f"  if the plan is wrong: planner revise --failure {shlex.quote(str(path))} …"]

"""The last lines of a run: what happened, who must act, where to look."""

import shlex
from pathlib import Path

from factory.report.figures import output_lines
from factory.runs.record.endings import Ending
from factory.runs.record.files import REPAIR_REQUEST


def render_ending(ending: Ending, folder: Path | None) -> str:
    """The ending as text for the terminal."""
    lines = [ending.message]
    if ending.failure is not None and ending.failure.excerpt:
        lines += output_lines(ending.failure.excerpt, "  ")
    if ending.hint:
        lines.append(f"  hint: {ending.hint}")
    if folder is not None:
        lines.append(f"  artifacts: {folder}")
        lines += render_repair(folder)
    return "\n".join(lines)


def render_repair(folder: Path) -> list[str]:
    """The line that says how to amend the plan, if the run in `folder` found a reason to; else none."""
    request = REPAIR_REQUEST.read_sound(folder)
    if request is None or request.at_fault == "code":
        return []
    path = folder / REPAIR_REQUEST.name
    return [f"  if the plan is wrong: planner revise --failure {shlex.quote(str(path))} …"]

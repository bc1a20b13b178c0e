"""What was tried of a work order in an output directory, by the folders of its runs."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from factory.attempt.outcome import RunOutcome
from factory.contract.errors import WorkorderError
from factory.runs.record.files import PROMPT_TEXT, RUN
from factory.runs.record.folder import attempts_in
from factory.runs.record.model import RunDocument

_DONE: Final = (RunOutcome.LANDED, RunOutcome.ALREADY_LANDED)


@dataclass(frozen=True)
class Tried:
    """The latest run of a work order.

    Attributes:
        folder: its folder.
        contract: the hash of the contract that was tried.
        attempts: the number of the last attempt that was asked for; 0 before the first.
    """

    folder: Path
    contract: str
    attempts: int


def tried(out: Path, work_order: str) -> Tried:
    """What was tried last of a work order that has not landed.

    Args:
        out: the output directory of a build or of runs.
        work_order: its id.

    Raises:
        WorkorderError: there was no run of it, or it has landed.
    """
    folder, record = _latest(out, work_order)
    if record.outcome in _DONE:
        raise WorkorderError(
            f"{work_order} has landed, and is not attempted again",
            where=str(folder),
            hint="what it did is changed by a revision of the plan: planner revise --feedback TEXT",
        )
    asked = [number for number, attempt in attempts_in(folder) if (attempt / PROMPT_TEXT).exists()]
    return Tried(folder, record.contract, max(asked, default=0))


def run_folder(named: str, out: Path | None) -> Path:
    """The folder of a run.

    Args:
        named: the folder; in an output directory also the id of the run, or of a work order, whose latest run
            is meant then.
        out: the output directory; None if none is named.

    Raises:
        WorkorderError: the output directory holds no such run.
    """
    if out is None or os.sep in named:
        return Path(named)
    inside = out / named
    return inside if inside.is_dir() else _latest(out, named)[0]


def _latest(out: Path, work_order: str) -> tuple[Path, RunDocument]:
    """The run of a work order that began last."""
    runs = [
        (record.started, folder.parent, record)
        for folder in sorted(out.glob(f"*/{RUN.name}"))
        if (record := RUN.read_sound(folder.parent)) is not None and record.work_order == work_order
    ]
    if not runs:
        raise WorkorderError(
            f"holds no run of {work_order}",
            where=str(out),
            hint="name the --out of the build or run, and a work order that was tried:"
            " `factory status` lists them",
        )
    _, folder, record = max(runs, key=lambda run: run[0])
    return folder, record

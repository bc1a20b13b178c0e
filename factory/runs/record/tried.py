"""What was tried of a work order in an output directory, by the folders of its runs."""

import os
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

from factory.attempt.outcome import RunOutcome
from factory.contract.errors import WorkorderError
from factory.runs.record.files import PROMPT_TEXT, RUN
from factory.runs.record.folder import attempts_in
from factory.runs.record.model import RunDocument

DONE: Final = (RunOutcome.LANDED, RunOutcome.ALREADY_LANDED)
"""The outcomes of runs whose work order the branch holds."""
_WORK_ORDER: Final = re.compile(r"WO-[0-9]+")


@dataclass(frozen=True)
class Named:
    """A work order as a person names it: by its id, or by one of its runs.

    Attributes:
        work_order: its id.
        out: the output directory of the build or run.
        run: the folder of the run that was named; None if the work order was.
    """

    work_order: str
    out: Path
    run: Path | None = None

    @cached_property
    def latest(self) -> Path | None:
        """The folder of its latest run, by a model or a person; None if there is none."""
        found = _latest(self.out, self.work_order, of_people=True)
        return found[0] if found is not None else None


@dataclass(frozen=True)
class Tried:
    """The latest run of a work order in which a model was, or would have been, asked.

    Attributes:
        folder: its folder.
        contract: the hash of the contract that was tried.
        attempts: the number of the last attempt that was asked for; 0 before the first.
    """

    folder: Path
    contract: str
    attempts: int


def named(text: str, out: Path | None) -> Named:
    """The work order that a text names.

    Args:
        text: its id, the id of a run, or the folder of a run.
        out: the output directory; None if none is named. A folder is in its own.

    Raises:
        WorkorderError: there is no such run, or an id stands without its output directory.
    """
    if _WORK_ORDER.fullmatch(text) and out is not None:
        return Named(text, out)
    folder = Path(text).resolve() if os.sep in text or out is None else out / text
    record = RUN.read(folder)
    if record is None:
        ids = "" if out is not None else "; the id of a work order or a run needs --out"
        raise WorkorderError(
            f"is neither a work order's id nor the folder of a run{ids}",
            where=str(folder) if os.sep in text else text,
            hint="`factory status` lists the work orders of a build; a run is a folder in its --out",
        )
    return Named(record.work_order, folder.parent, folder)


def tried(out: Path, work_order: str) -> Tried:
    """What was tried last of a work order that has not landed.

    Args:
        out: the output directory of a build or of runs.
        work_order: its id.

    Raises:
        WorkorderError: there was no run of it, or it has landed.
    """
    last, record = _required(out, work_order, of_people=True)
    if record.outcome in DONE:
        raise WorkorderError(
            f"{work_order} has landed, and is not attempted again",
            where=str(last),
            hint="what it did is changed by a revision of the plan: planner revise --feedback TEXT",
        )
    asked_last = _latest(out, work_order, of_people=False)
    if asked_last is None:
        return Tried(last, record.contract, 0)
    folder, record = asked_last
    asked = [number for number, attempt in attempts_in(folder) if (attempt / PROMPT_TEXT).exists()]
    return Tried(folder, record.contract, max(asked, default=0))


def latest_asked(out: Path, work_order: str) -> Path | None:
    """The folder of the latest run of a work order in which a model was, or would have been, asked."""
    found = _latest(out, work_order, of_people=False)
    return found[0] if found is not None else None


def run_folder(text: str, out: Path | None) -> Path:
    """The folder of a run: the one that is named, or the latest of the work order that is.

    Args:
        text: the folder; in an output directory also the id of the run, or of a work order.
        out: the output directory; None if none is named.

    Raises:
        WorkorderError: the output directory holds no such run.
    """
    if out is None or os.sep in text:
        return Path(text)
    inside = out / text
    return inside if inside.is_dir() else _required(out, text, of_people=True)[0]


def _required(out: Path, work_order: str, *, of_people: bool) -> tuple[Path, RunDocument]:
    found = _latest(out, work_order, of_people=of_people)
    if found is None:
        raise WorkorderError(
            f"holds no run of {work_order}",
            where=str(out),
            hint="name the --out of the build or run, and a work order that was tried:"
            " `factory status` lists them",
        )
    return found


def _latest(out: Path, work_order: str, *, of_people: bool) -> tuple[Path, RunDocument] | None:
    """The run of a work order that began last, and its record; those of people only where they count."""
    runs = [
        (record.started, folder.parent, record)
        for folder in sorted(out.glob(f"*/{RUN.name}"))
        if (record := RUN.read_sound(folder.parent)) is not None
        and record.work_order == work_order
        and (of_people or not record.person)
    ]
    if not runs:
        return None
    _, folder, record = max(runs, key=lambda run: run[0])
    return folder, record

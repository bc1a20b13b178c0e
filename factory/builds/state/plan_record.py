"""`plan.json` of a build: the plan as it is executed, and what the rules found in it.

A view like all records of a build: a report tells from it what was ordered, also where nothing was tried.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from factory.builds.state.attempts import Record
from factory.contract.canonical import dump, readable_json
from factory.contract.documents import read_document
from factory.contract.errors import WorkorderError
from factory.contract.work_order import MANIFEST_NAME, Plan
from factory.plans.diagnostics.diagnostic import Diagnostic, Severity
from factory.plans.diagnostics.places import Place, places
from factory.system.files.tree import FileProblem, read_bounded, write_atomic

PLAN_FILE: Final = "plan.json"

_MAX_BYTES: Final = 100_000_000


class Found(Record):
    """A finding about the plan; see `Diagnostic`.

    Attributes:
        file: the file of the plan that it is in; empty if that is not known.
        line: the line there.
    """

    code: str
    name: str
    severity: Severity
    order: str
    pointer: str
    message: str
    hint: str
    accepted: str = ""
    file: str = ""
    line: int = 1

    @property
    def placed(self) -> tuple[Diagnostic, Place | None]:
        """The finding as a value, with its place."""
        diagnostic = Diagnostic(**self.model_dump(exclude={"file", "line"}))
        return diagnostic, Place(self.file, self.line) if self.file else None


class PlanRecord(Record):
    """The plan, with computed fields, and what was found in it; None if that was not looked at."""

    plan: Plan
    found: tuple[Found, ...] | None = None


def record_plan(out: Path, plan: Plan) -> None:
    """Write down what is to be executed.

    Raises:
        FileProblem: it can't be written; what was there is as it was.
    """
    _write(out, PlanRecord(plan=plan))


def record_findings(out: Path, plan: Plan, judged: Iterable[Diagnostic], read_from: Path, root: Path) -> None:
    """Write down what was found as well.

    Args:
        out: the build's directory.
        plan: the plan.
        judged: what was found in it.
        read_from: the plan's directory or manifest.
        root: the root of the repository, from which files in it are named.

    Raises:
        FileProblem: it can't be written; what was there is as it was.
    """
    listed = list(judged)
    where = places(_files(read_from, root)) if listed else (lambda _diagnostic: None)
    found = []
    for diagnostic in listed:
        place = where(diagnostic)
        fields = {name: getattr(diagnostic, name) for name in Diagnostic.__dataclass_fields__}
        at = {} if place is None else {"file": place.file, "line": place.line}
        found.append(Found(**fields, **at))
    _write(out, PlanRecord(plan=plan, found=tuple(found)))


def read_plan_record(out: Path) -> PlanRecord | None:
    """The plan of the build in `out`; None if there is none, as of an older version, or if it is damaged."""
    path = out / PLAN_FILE
    if not path.exists():
        return None
    try:
        data = read_bounded(path, max_bytes=_MAX_BYTES)
        return read_document(PlanRecord, data, str(path), max_bytes=_MAX_BYTES)
    except WorkorderError:
        return None


def _write(out: Path, record: PlanRecord) -> None:
    write_atomic(out / PLAN_FILE, readable_json(dump(record)))


def _files(read_from: Path, root: Path) -> dict[str, bytes]:
    """The files of the plan, by the names under which findings in them are told."""
    whole = read_from / MANIFEST_NAME
    if read_from.is_file():
        paths = [read_from]
    else:
        paths = [whole] if whole.is_file() else sorted(read_from.glob("WO-*.json"))
    contents = {}
    for path in paths:
        absolute = path.resolve()
        inside = absolute.is_relative_to(root.resolve())
        try:
            name = str(absolute.relative_to(root.resolve()) if inside else absolute)
            contents[name] = read_bounded(path, max_bytes=_MAX_BYTES)
        except FileProblem:
            continue
    return contents

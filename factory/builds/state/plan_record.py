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
from factory.contract.work_order import Plan
from factory.languages.table import language_of
from factory.plans.diagnostics.diagnostic import Diagnostic
from factory.runs.record.found import Found, looked_at, recorded
from factory.system.files.tree import read_bounded, write_atomic

PLAN_FILE: Final = "plan.json"

_MAX_BYTES: Final = 100_000_000


class PlanRecord(Record):
    """The plan, with computed fields, and what was found in it; None if that was not looked at."""

    plan: Plan
    found: tuple[Found, ...] | None = None

    @property
    def given(self) -> frozenset[str]:
        """The work orders whose files the plan gives, so that no model is asked."""
        return frozenset(order.id for order in self.plan.work_orders if order.fixed_files)

    @property
    def without_code(self) -> frozenset[str]:
        """The work orders that may write nothing in a language that is known."""
        return frozenset(
            order.id for order in self.plan.work_orders if not any(map(language_of, order.allowed_files))
        )


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
    found = recorded(judged, looked_at(read_from, root))
    _write(out, PlanRecord(plan=plan, found=found))


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

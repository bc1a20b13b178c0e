"""The second pass: the acceptance of a passed attempt once more, where what must not matter is different.

A command that passes the first time and not the second tells nothing of the work. Then passes with one
difference at a time show which of them it was.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from factory.attempt.failure import Failure
from factory.attempt.state import RunState
from factory.contract.work_order import WorkOrder
from factory.gates.bench import Bench
from factory.gates.differences import (
    DIFFERENCES,
    OTHER_USER,
    Difference,
    changed_environment,
    compare,
)
from factory.gates.step import Occasion
from factory.gates.trial import CheckGroup, Trial, try_out
from factory.runs.nodes.written import put, written_files
from factory.runs.record.files import SECOND_PASS
from factory.runs.record.folder import RunFolder
from factory.runs.record.model import SecondPassResult
from factory.runs.settings import AttemptSettings


def repeat(
    state: RunState,
    *,
    order: WorkOrder,
    settings: AttemptSettings,
    bench: Bench,
    checks: tuple[CheckGroup, ...],
    folder: RunFolder,
    progress: Callable[[str], None],
) -> RunState:
    """Run acceptance again; record what changed it, and fail an attempt whose result changes."""
    if not settings.second_pass:
        return {}
    number = state["attempt"]
    bench = bench.on(Occasion.SECOND_PASS)
    progress(f"attempt {number}: acceptance once more, with another hash seed, time zone and the like")
    attempt = folder.opened_attempt(number).path
    files = written_files(state, bench.checkout)
    before = tuple(part for part in checks if part.name == "verify")
    acceptance = tuple(part for part in checks if part.name == "acceptance")
    possible = (*DIFFERENCES, OTHER_USER) if bench.changes_user else DIFFERENCES
    first = bench.checkout.other_user
    passes = 0

    def failure(differences: Sequence[Difference], prepared: bool) -> Failure | None:
        nonlocal passes
        passes += 1
        is_other = any(difference.is_user for difference in differences)
        bench.checkout.other_user = first != is_other
        tree = put(files, bench.checkout)
        artifacts = attempt / "second_pass" / str(passes)
        artifacts.mkdir(parents=True, exist_ok=True)
        if prepared:
            problem = try_out(Trial(order, tree, before), bench.context(order, tree, artifacts)).failure
            if problem is not None:
                return problem
        temporary = bench.checkout.temporary / "elsewhere"
        temporary.mkdir(exist_ok=True)
        other = bench.with_variables(partial(_changed, differences=differences, temporary=temporary))
        return try_out(Trial(order, tree, acceptance), other.context(order, tree, artifacts)).failure

    change = compare(failure, possible)
    verdict = change.verdict if change is not None else None
    record = SecondPassResult(
        stable=change is None,
        differences=tuple(difference.name for difference in possible),
        changed_by=tuple(difference.name for difference in change.by) if change is not None else (),
        failure=verdict,
    )
    SECOND_PASS.write(attempt, record)
    folder.event("repeated", attempt=number, stable=record.stable, changed_by=[*record.changed_by])
    return {"failure": verdict} if verdict is not None else {}


def _changed(
    variables: Mapping[str, str], differences: Sequence[Difference], temporary: Path
) -> Mapping[str, str]:
    return changed_environment(variables, differences, temporary)

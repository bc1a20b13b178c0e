"""The second pass: the acceptance of a passed attempt once more, where what must not matter is different.

A command that passes the first time and not the second tells nothing of the work. Then passes with one
difference at a time show which of them it was.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from factory.attempt.failure import Failure
from factory.attempt.state import RunState
from factory.contract.work_order import WorkOrder
from factory.gates.differences import DIFFERENCES, OTHER_USER, Difference, compare
from factory.gates.step import Occasion
from factory.runs.nodes.written import written_files
from factory.runs.record.files import SECOND_PASS
from factory.runs.record.folder import RunFolder
from factory.runs.record.model import SecondPassResult
from factory.runs.settings import AttemptSettings
from factory.trials.conditions import Conditions
from factory.trials.port import Trials
from factory.trials.request import Repeat, TrialRequest


def repeat(
    state: RunState,
    *,
    order: WorkOrder,
    settings: AttemptSettings,
    conditions: Conditions,
    trials: Trials,
    folder: RunFolder,
    progress: Callable[[str], None],
) -> RunState:
    """Run acceptance again; record what changed it, and fail an attempt whose result changes."""
    if not settings.second_pass:
        return {}
    number = state["attempt"]
    conditions = replace(conditions, bench=conditions.bench.on(Occasion.SECOND_PASS))
    progress(f"attempt {number}: acceptance once more, with another hash seed, time zone and the like")
    attempt = folder.opened_attempt(number).path
    bench = conditions.bench
    files = written_files(state, bench.checkout)
    parts = tuple(group.name for group in conditions.checks)
    possible = (*DIFFERENCES, OTHER_USER) if bench.changes_user else DIFFERENCES
    passes = 0

    def failure(differences: Sequence[Difference], prepared: bool) -> Failure | None:
        nonlocal passes
        passes += 1
        question = Repeat(
            before=tuple(part for part in parts if part == "verify") if prepared else (),
            parts=tuple(part for part in parts if part == "acceptance"),
            differences=tuple(difference.name for difference in differences),
        )
        request = TrialRequest(
            question=question, base=bench.checkout.baseline, order=order, tree=state["tree"], files=files
        )
        return trials.ask(request, conditions, attempt / "second_pass" / str(passes)).result.failure

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

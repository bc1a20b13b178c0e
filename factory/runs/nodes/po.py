"""PO, the product owner: verification first, then what the work order promised. Believes only what it ran."""

from collections.abc import Callable

from factory.attempt.state import RunState
from factory.contract.work_order import WorkOrder
from factory.gates.trial import PartResult
from factory.runs.nodes.written import written_files
from factory.runs.record.files import CHECK_RESULTS
from factory.runs.record.folder import RunFolder
from factory.runs.record.model import CheckResults
from factory.trials.conditions import Conditions
from factory.trials.port import Trials
from factory.trials.request import Examine, TrialRequest, Written


def examine_written(
    state: RunState,
    *,
    order: WorkOrder,
    conditions: Conditions,
    trials: Trials,
    folder: RunFolder,
    progress: Callable[[str], None],
) -> RunState:
    """Run every check of what an attempt wrote; arguments as for `examine`."""
    return examine(
        state,
        order=order,
        conditions=conditions,
        trials=trials,
        files=written_files(state, conditions.bench.checkout),
        folder=folder,
        progress=progress,
    )


def examine(
    state: RunState,
    *,
    order: WorkOrder,
    conditions: Conditions,
    trials: Trials,
    files: tuple[Written, ...],
    folder: RunFolder,
    progress: Callable[[str], None],
) -> RunState:
    """Run every check in order, until one fails.

    Args:
        state: with the tree, which the checkout of the conditions holds.
        order: the work order.
        conditions: where and how its checks run.
        trials: runs them.
        files: what the tree has beyond its base.
        folder: gets what they found.
        progress: tells the user what happens now.
    """
    number = state["attempt"]
    attempt = folder.opened_attempt(number).path
    tree = state["tree"]
    assert tree is not None

    def begins(part: str) -> None:
        progress(f"attempt {number}: PO runs {part}")

    def ended(part: PartResult) -> None:
        passed = part.failed is None
        CHECK_RESULTS[part.name].write(attempt, CheckResults(checks=part.checks, passed=passed))
        folder.event("examined", attempt=number, part=part.name, passed=passed)
        for check in part.checks:
            if check.failure is not None and check.passed:
                progress(f"attempt {number}: {check.name} reports: {check.failure.description}")
            if check.removed_tests:
                progress(f"attempt {number}: {check.name}: {check.removal}")

    request = TrialRequest(
        question=Examine(parts=tuple(group.name for group in conditions.checks)),
        base=conditions.bench.checkout.baseline,
        order=order,
        tree=tree,
        files=files,
    )
    answer = trials.ask(request, conditions, attempt, begins, ended)
    result = answer.result
    if result.failure is not None:
        return {"failure": result.failure, "failing_tests": answer.failing_tests}
    return {
        "slowest_seconds": result.slowest_seconds,
        "known_by": result.verdict,
        "removed_tests": result.removed_tests,
    }

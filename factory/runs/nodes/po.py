"""PO, the product owner: verification first, then what the work order promised. Believes only what it ran."""

from collections.abc import Callable

from factory.attempt.state import RunState
from factory.contract.work_order import WorkOrder
from factory.gates.bench import Bench
from factory.gates.trial import CheckGroup, PartResult, Trial, try_out
from factory.runs.record.files import CHECK_RESULTS
from factory.runs.record.folder import RunFolder
from factory.runs.record.model import CheckResults


def examine(
    state: RunState,
    *,
    order: WorkOrder,
    bench: Bench,
    checks: tuple[CheckGroup, ...],
    folder: RunFolder,
    progress: Callable[[str], None],
) -> RunState:
    """Run every check in order, until one fails."""
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

    result = try_out(Trial(order, tree, checks), bench.context(order, tree, attempt), begins, ended)
    if result.failure is not None:
        return {"failure": result.failure, "failing_tests": result.failing_tests}
    return {"slowest_seconds": result.slowest_seconds, "known_by": result.verdict}

"""PO, the product owner: verification first, then what the work order promised. Believes only what it ran."""

from collections.abc import Callable

from factory.attempt.state import RunState
from factory.contract.work_order import WorkOrder
from factory.gates.bench import Bench
from factory.gates.check import CheckContext, CheckResult
from factory.gates.checks.registry import Part, carried_out
from factory.runs.record.files import CHECK_RESULTS
from factory.runs.record.folder import RunFolder
from factory.runs.record.model import CheckResults


def examine(
    state: RunState,
    *,
    order: WorkOrder,
    bench: Bench,
    checks: tuple[Part, ...],
    folder: RunFolder,
    progress: Callable[[str], None],
) -> RunState:
    """Run every check in order, until one fails."""
    number = state["attempt"]
    attempt = folder.opened_attempt(number).path
    tree = state["tree"]
    assert tree is not None
    context = bench.context(order, tree, attempt)
    slowest = 0.0
    for part in checks:
        progress(f"attempt {number}: PO runs {part.name}")
        results = _run(part, context)
        failure = results[-1].failure if not results[-1].passed else None
        recorded = CheckResults(checks=tuple(results), passed=failure is None)
        CHECK_RESULTS[part.name].write(attempt, recorded)
        folder.event("examined", attempt=number, part=part.name, passed=failure is None)
        for result in results:
            if result.failure is not None and result.passed:
                progress(f"attempt {number}: {result.name} reports: {result.failure.told}")
        if failure is not None:
            return {"failure": failure}
        slowest = max([slowest, *(command.seconds for result in results for command in result.commands)])
    return {"slowest_seconds": slowest}


def _run(part: Part, context: CheckContext) -> list[CheckResult]:
    results: list[CheckResult] = []
    for check in part.checks:
        results.append(carried_out(check, context, part.stage))
        if not results[-1].passed:
            break
    return results

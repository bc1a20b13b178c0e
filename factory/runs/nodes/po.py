"""PO, the product owner: verification first, then what the work order promised. Believes only what it ran."""

from factory.attempt.state import RunState
from factory.gates.check import CheckContext, CheckResult
from factory.gates.checks.registry import Part, carried_out
from factory.gates.execute import Executor
from factory.gates.landing_tree import LandingTree
from factory.runs.nodes.deps import Deps
from factory.runs.record.files import CHECK_RESULTS
from factory.runs.record.model import CheckResults


def examine(state: RunState, deps: Deps) -> RunState:
    """Run every check in order, until one fails."""
    number = state["attempt"]
    folder = deps.folder.opened_attempt(number)
    tree = state["tree"]
    assert tree is not None
    context = CheckContext(
        order=deps.order,
        exempt=deps.order.verify_exempt,
        tree=deps.checkout.tree,
        landing=LandingTree(deps.checkout.git, tree),
        execute=Executor(
            deps.checkout, deps.gate_environment, deps.timeout_seconds, folder.path, deps.stop, deps.terms
        ),
        temporary=deps.checkout.temporary,
        folder=folder.path,
    )
    slowest = 0.0
    for part in deps.checks:
        deps.progress(f"attempt {number}: PO runs {part.name}")
        results = _run(part, context)
        failure = results[-1].failure if not results[-1].passed else None
        recorded = CheckResults(checks=tuple(results), passed=failure is None)
        CHECK_RESULTS[part.name].write(folder.path, recorded)
        deps.folder.event("examined", attempt=number, part=part.name, passed=failure is None)
        for result in results:
            if result.failure is not None and result.passed:
                deps.progress(f"attempt {number}: {result.name} reports: {result.failure.told}")
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

"""PO, the product owner: verification first, then what the work order promised. Believes only what it ran."""

from factory.attempt.state import RunState
from factory.contract.canonical import dump
from factory.contract.strict_json import JsonValue
from factory.gates.check import CheckContext
from factory.gates.execute import Executor
from factory.gates.landing_tree import LandingTree
from factory.gates.trial import PartResult, Trial, try_out
from factory.runs.nodes.deps import Deps


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

    def begins(part: str) -> None:
        deps.progress(f"attempt {number}: PO runs {part}")

    def ended(part: PartResult) -> None:
        passed = part.failed is None
        listing: list[JsonValue] = [dump(check) for check in part.checks]
        folder.document(f"{part.name}_result.json", {"checks": listing, "passed": passed})
        deps.folder.event("examined", attempt=number, part=part.name, passed=passed)
        for check in part.checks:
            if check.failure is not None and check.passed:
                deps.progress(f"attempt {number}: {check.name} reports: {check.failure.told}")

    result = try_out(Trial(deps.order, tree, deps.checks), context, begins, ended)
    if result.failure is not None:
        return {"failure": result.failure}
    return {"slowest_seconds": result.slowest_seconds}

"""PO, the product owner: verification first, then what the work order promised. Believes only what it ran."""

from collections.abc import Sequence

from factory.contract.canonical import dump
from factory.contract.strict_json import JsonValue
from factory.gates import ACCEPTANCE, VERIFY
from factory.gates.check import Check, CheckContext, CheckResult
from factory.gates.execute import Executor
from factory.nodes.deps import Deps, failed
from factory.state import RunState


def examine(state: RunState, deps: Deps) -> RunState:
    """Run every check in order, until one fails."""
    number = state["attempt"]
    folder = deps.folder.opened_attempt(number)
    tree = state["tree"]
    assert tree is not None
    context = CheckContext(
        order=deps.order,
        tree=deps.checkout.tree,
        landing=frozenset(deps.checkout.git.paths("ls-tree", "-r", "-z", "--name-only", "--full-tree", tree)),
        execute=Executor(deps.checkout, deps.gate_environment, deps.timeout_seconds, folder.path, deps.stop),
    )
    for name, checks in (("verify", VERIFY), ("acceptance", ACCEPTANCE)):
        deps.progress(f"attempt {number}: PO runs {name}")
        results = _run(checks, context)
        failure = next((result.failure for result in results if result.failure), None)
        listing: list[JsonValue] = [dump(result) for result in results]
        folder.document(f"{name}_result.json", {"checks": listing, "passed": failure is None})
        deps.folder.event("examined", attempt=number, part=name, passed=failure is None)
        if failure is not None:
            return failed(failure)
    return {}


def _run(checks: Sequence[Check], context: CheckContext) -> list[CheckResult]:
    results: list[CheckResult] = []
    for check in checks:
        results.append(check.run(context))
        if not results[-1].passed:
            break
    return results

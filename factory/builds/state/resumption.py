"""What a build starts from: the state of an earlier pass, or what git and the run folders tell."""

import shlex
from pathlib import Path

from factory.builds.branch.history import History
from factory.builds.state.machine import OrderPhase, next_order_phase
from factory.builds.state.model import BuildState, plan_difference
from factory.builds.state.order import OrderState
from factory.builds.state.plan_record import read_plan_record
from factory.builds.state.records import runs_in, with_runs
from factory.contract.identity import plan_hash
from factory.contract.work_order import Plan
from factory.repository.target import Refused, Target
from factory.system.terminal.console import visible


def require_same(
    before: BuildState | None, plan: Plan, goal: Target, past: History, out: Path, *, accept_plan: bool
) -> None:
    """Refuse to go on with a build of something else.

    Args:
        before: the state of the build in `out`; None if there is none.
        plan: the plan; any, if that build ended before it began.
        goal: where it is to land.
        past: what the branch says.
        out: the build's directory.
        accept_plan: whether another plan may take the place of the one before.

    Raises:
        Refused: it is another branch, or another plan and that is not accepted.
    """
    if before is None:
        return
    repository = visible(str(goal.git.common_dir))
    if (before.repository, before.branch) != (repository, goal.branch):
        hint = "name another directory with --out"
        if before.repository == repository:
            hint = f"to go on with it, say --branch {shlex.quote(before.branch)}; else {hint}"
        elif not Path(before.repository).exists():
            hint = f"if the repository was moved, say --rebuild-state; else {hint}"
        raise Refused(
            f"holds a build of the branch {before.branch} in {before.repository}",
            where=str(out),
            hint=hint,
        )
    if accept_plan or not before.has_begun or _is_other_wording(before, plan, past, out):
        return
    different = plan_difference(before, plan, past.landed)
    if different:
        raise Refused(
            f"the build was started with another plan: {', '.join(different)}",
            where=str(out),
            hint="go on with --accept-plan: what has landed and is unchanged stays, the rest is executed",
        )


def _is_other_wording(before: BuildState, plan: Plan, past: History, out: Path) -> bool:
    """Whether a plan differs from the one before in words alone that don't bind, of what has landed."""
    record = read_plan_record(out)
    if record is None or plan_hash(record.plan) != before.plan_hash:
        return False
    landed = {order.id: order for order in plan.work_orders if order.id in past.landed}
    orders = tuple(landed.get(order.id, order) for order in record.plan.work_orders)
    return plan_hash(record.plan.model_copy(update={"work_orders": orders})) == plan_hash(plan)


def state_to_start_from(
    plan: Plan, before: BuildState | None, past: History, goal: Target, out: Path, now: str
) -> BuildState:
    """The state to start from: what is known of earlier passes; all that is not done waits again.

    Args:
        plan: the plan.
        before: the state of an earlier pass; None to derive it from the run folders.
        found: what the branch says.
        goal: where it lands.
        out: the build's directory.
        now: the time, for the record.
    """
    fresh = BuildState.of(
        plan,
        repository=visible(str(goal.git.common_dir)),
        branch=goal.branch,
        base=past.base,
        now=now,
    )
    if before is None:
        runs = runs_in(out)
        orders = tuple(with_runs(order, runs.get(order.contract, [])) for order in fresh.orders)
        return fresh.model_copy(update={"orders": orders})
    known = {order.id: order for order in before.orders}
    orders = tuple(_known(order, known.get(order.id), done=order.id in past.landed) for order in fresh.orders)
    return fresh.model_copy(
        update={
            "build_id": before.build_id if before.plan_hash == fresh.plan_hash else fresh.build_id,
            "state": before.state,
            "accepted_configuration": before.accepted_configuration,
            "price": before.price,
            "prices": before.prices,
            "created": before.created,
            "orders": orders,
        }
    )


def _known(fresh: OrderState, before: OrderState | None, *, done: bool) -> OrderState:
    """A work order's state from an earlier pass: what was under way, failed or is not done waits again."""
    if before is not None and done and before.state is OrderPhase.LANDED:
        # Also where its words are others; of what binds, its commit tells, and of the words what was paid.
        return before.model_copy(update={"title": fresh.title})
    if before is None or before.contract != fresh.contract:
        return fresh
    if before.state is OrderPhase.PENDING:
        return before
    waiting = next_order_phase(before.state, OrderPhase.PENDING)
    return before.model_copy(update={"state": waiting, "commit": None, "landed_run": None})

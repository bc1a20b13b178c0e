"""Reads what the folders of a build or a run tell into a story.

Only reads. What is damaged, or was written by another version, is left out.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from factory.attempt.outcome import RunOutcome
from factory.builds.state.attempts import AttemptRecord, Spending
from factory.builds.state.file import STATE_FILE, require_state
from factory.builds.state.machine import BuildPhase, OrderPhase
from factory.builds.state.model import BuildState
from factory.builds.state.order import OrderState
from factory.builds.state.plan_record import PlanRecord, read_plan_record
from factory.contract.errors import WorkorderError
from factory.contract.work_order import Plan, WorkOrder
from factory.people.hints import Hint, hints_of
from factory.people.skips import Skip, skip_of, skips_of
from factory.plans.diagnostics.diagnostic import Diagnostic
from factory.plans.diagnostics.places import Place
from factory.report.figures import share_of, spent
from factory.report.page.attempts import Room, lines_of, read_runs
from factory.report.page.story import Asked, Order, Run, Story, Tone
from factory.runs.record.files import FINDINGS, RUN, WORK_ORDER

_DONE: Final = (RunOutcome.LANDED, RunOutcome.ALREADY_LANDED)


def read_story(out: Path, room: Room) -> Story:
    """What a directory tells.

    Args:
        out: the output directory of a build or of runs, or the folder of one run.
        room: how much of each prompt, answer and diff is taken.

    Raises:
        WorkorderError: it is none of these, or the state of the build is damaged.
    """
    if (out / STATE_FILE).exists():
        return _of_build(out, require_state(out), room)
    folders = [out] if (out / RUN.name).exists() else [path.parent for path in out.glob(f"*/{RUN.name}")]
    runs = read_runs(folders, room.shared(folders))
    listed = sorted(runs, key=lambda run: (run.record.started, run.folder.name))
    if not listed:
        raise WorkorderError(
            "holds no build and no run",
            where=str(out),
            hint="name what `factory build` or `factory run` got as --out, or the folder of one run",
        )
    return _of_runs(out, listed)


def _of_build(out: Path, state: BuildState, room: Room) -> Story:
    record = read_plan_record(out)
    room = room.shared(out / run.run_id for order in state.orders for run in order.runs)
    skips = _skips(state)
    orders = tuple(_order_of_build(out, order, record, skips, room) for order in state.orders)
    landed = sum(order.is_done for order in orders)
    ended = state.ended
    going = f"{landed} of {len(orders)} work orders have landed"
    return Story(
        out=out,
        title=f"Build of {Path(state.repository.removesuffix('/.git')).name or 'a repository'}",
        outcome=ended.message if ended is not None else going,
        hint=ended.hint if ended is not None else "",
        tone=_tone(state, orders),
        exit_code=None if ended is None else int(ended.exit_code),
        branch=state.branch,
        spending=state.spent,
        facts=_facts(state, orders),
        orders=orders,
        found=None if record is None or record.found is None else tuple(one.placed for one in record.found),
        remarks=() if record is None else record.plan.remarks,
        accepted=() if record is None else record.plan.accepted_warnings,
        by_model=state.by_model,
    )


def _tone(state: BuildState, orders: Sequence[Order]) -> Tone:
    # Also of a build that has landed all but what a person left out.
    if all(order.is_done for order in orders) or state.state is BuildPhase.COMPLETE:
        return "good"
    return "going" if state.ended is None and state.state is BuildPhase.RUNNING else "bad"


def _facts(state: BuildState, orders: Sequence[Order]) -> dict[str, str]:
    made = sum(len(run.attempts) for order in state.orders for run in order.runs)
    shares = state.by_model if len(state.by_model) > 1 else ()
    return {
        "landed": f"{sum(order.is_done for order in orders)} of {len(orders)}",
        "attempts": str(made),
        "used": spent(state.spent),
        "of that wasted": spent(state.wasted) if state.wasted != Spending() else "nothing",
        **{f"by {share.model}": share_of(share) for share in shares},
        "branch": state.branch,
        "base": state.base[:12],
        "plan": state.plan_hash[:12],
        "last change": state.updated,
    }


def _order_of_build(
    out: Path, order: OrderState, record: PlanRecord | None, skips: Mapping[str, Skip], room: Room
) -> Order:
    runs = tuple(read_runs((out / run.run_id for run in order.runs), room))
    planned = None
    if record is not None:
        planned = next((known for known in record.plan.work_orders if known.id == order.id), None)
    tried = (WORK_ORDER.read_sound(run.folder) for run in reversed(runs))
    contract = planned or next((read for read in tried if read is not None), None)
    skip = skip_of(skips, contract) if contract is not None else skips.get(order.contract)
    return Order(
        id=order.id,
        title=order.title,
        state=str(order.state),
        commit=order.commit or "",
        spending=order.spent,
        contract=contract,
        runs=runs,
        asked=_asked(contract, runs, None if record is None else record.plan),
        hints=_hints(out, order.contract),
        left_out=_said(skip) if skip is not None and order.state is OrderPhase.SKIPPED else "",
    )


def _of_runs(out: Path, runs: Sequence[Run]) -> Story:
    by_order: dict[str, list[Run]] = {}
    for run in runs:
        by_order.setdefault(run.record.work_order, []).append(run)
    orders = tuple(_order_of_runs(out, name, tuple(by_order[name])) for name in sorted(by_order))
    last = runs[-1].summary
    landed = sum(order.is_done for order in orders)
    single = last.message if last is not None else "it goes on, or was killed"
    bad: Tone = "going" if last is None else "bad"
    return Story(
        out=out,
        title=f"Run of {orders[0].id}" if len(orders) == 1 else "Runs",
        outcome=single if len(orders) == 1 else f"{landed} of {len(orders)} work orders have landed",
        hint=last.hint if last is not None and len(orders) == 1 else "",
        tone="good" if landed == len(orders) else bad,
        exit_code=None if last is None else last.exit_code,
        branch=runs[-1].record.branch,
        spending=_spending(runs),
        facts={"branch": runs[-1].record.branch, "last start": runs[-1].record.started},
        orders=orders,
        found=_found_in(by_order.values()),
    )


def _found_in(orders: Iterable[Sequence[Run]]) -> tuple[tuple[Diagnostic, Place | None], ...] | None:
    """What was found in the work orders when each began last; None if that is not known of any."""
    known = [FINDINGS.read_sound(runs[-1].folder) for runs in orders]
    if all(one is None for one in known):
        return None
    return tuple(found.placed for one in known if one is not None for found in one.found)


def _order_of_runs(out: Path, name: str, runs: tuple[Run, ...]) -> Order:
    landed = next(
        (run.summary for run in reversed(runs) if run.summary and run.summary.outcome in _DONE), None
    )
    last = runs[-1].record.outcome if runs[-1].summary is None else runs[-1].summary.outcome
    contract = WORK_ORDER.read_sound(runs[-1].folder)
    return Order(
        id=name,
        title=runs[-1].record.title,
        state="landed" if landed is not None else str(last or "not ended"),
        commit=(landed.commit or "") if landed is not None else "",
        spending=_spending(runs),
        contract=contract,
        runs=runs,
        asked=_asked(contract, runs, None),
        hints=_hints(out, runs[-1].record.contract),
    )


def _spending(runs: Sequence[Run]) -> Spending:
    return Spending.on(
        AttemptRecord.of(summary) for run in runs if run.summary for summary in run.summary.attempts
    )


def _asked(contract: WorkOrder | None, runs: Sequence[Run], plan: Plan | None) -> tuple[Asked, ...]:
    if contract is None:
        return ()
    lines = lines_of(runs)
    known = {one.id: one for one in plan.requirements} if plan is not None else {}
    return tuple(
        Asked(
            name,
            known[name].text if name in known else "",
            known[name].quotes if name in known else (),
            lines.get(name, ()),
        )
        for name in contract.requirements
    )


def _hints(out: Path, contract: str) -> tuple[Hint, ...]:
    try:
        return hints_of(out, contract)
    except WorkorderError:
        return ()


def _skips(state: BuildState) -> dict[str, Skip]:
    try:
        return skips_of(Path(state.repository))
    except (WorkorderError, OSError):
        return {}


def _said(skip: Skip) -> str:
    return f"{skip.reason} ({skip.author}, {skip.said})"

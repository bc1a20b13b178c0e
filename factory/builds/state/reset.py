"""Lets the next build ask anew for work orders that have not landed: their remembered answers are retired.

Beside the ledger, only the state's list of runs is changed. Commits, folders and files stay as they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from factory.builds.state.attempts import RETIRED, RunEntry
from factory.builds.state.file import require_state, save_state
from factory.builds.state.machine import OrderPhase
from factory.builds.state.model import BuildState
from factory.builds.state.order import OrderState
from factory.llm.ledger.store import Ledger
from factory.repository.target import Refused
from factory.system.files.lock import exclusive


@dataclass(frozen=True)
class Reset:
    """What was done for one work order: how many of its answers were retired."""

    order_id: str
    answers: int


def reset(out: Path, ledger: Path, named: Sequence[str]) -> tuple[Reset, ...]:
    """Retire the answers of work orders.

    Args:
        out: the build's directory.
        ledger: the directory in which answers are remembered.
        named: ids of work orders; none for all that failed or are blocked.

    Returns:
        The work orders that were reset, in the plan's order; those without an answer only if they were named.

    Raises:
        NoBuild, Refused: there is no build, or one of the work orders is unknown or has landed; nothing was
            changed.
        Locked: the build is running; nothing was changed.
        StateCorrupt, DamagedLedger: a file can't be trusted; nothing was changed.
        OSError, FileProblem: the disk is full or a permission is missing; resetting again finishes it.
    """
    state = require_state(out)
    with exclusive(out / "lock", "factory reset", "this output directory"):
        # Again, now that nobody changes it.
        state = require_state(out)
        chosen = _chosen(state, named, out)
        keys: dict[str, list[str]] = {order.contract: [] for order in chosen}
        remembered = Ledger(ledger)
        # All are read before the first is moved, so that a damaged one leaves everything as it was.
        for entry in remembered.entries():
            if entry.request.subject in keys:
                keys[entry.request.subject].append(entry.key)
        done = []
        for order in chosen:
            names = {key: name for key in keys[order.contract] if (name := remembered.retire(key))}
            done.append(Reset(order.id, len(names)))
            if names:
                state = state.with_order(_retire_runs(order, names))
        save_state(out, state)
        # Of one that was blocked nobody expects an answer.
        return tuple(reset_order for reset_order in done if named or reset_order.answers)


def _retire_runs(order: OrderState, retired: Mapping[str, str]) -> OrderState:
    """With runs that the next build does not take for its own: what they used stays used.

    Args:
        order: the work order.
        retired: the names that its answers have now, by those that they had.
    """
    names = {run.run_id for run in order.runs}
    runs = []
    for run in order.runs:
        if RETIRED not in run.run_id:
            number = next(n for n in count(1) if f"{run.run_id}{RETIRED}{n}" not in names)
            attempts = tuple(
                attempt.model_copy(update={"answer": retired.get(attempt.answer or "", attempt.answer)})
                for attempt in run.attempts
            )
            run = RunEntry(run_id=f"{run.run_id}{RETIRED}{number}", attempts=attempts)
        runs.append(run)
    return order.model_copy(update={"runs": tuple(runs)})


def _chosen(state: BuildState, named: Sequence[str], out: Path) -> tuple[OrderState, ...]:
    if not named:
        over = (OrderPhase.FAILED, OrderPhase.BLOCKED)
        return tuple(order for order in state.orders if order.state in over)
    known = {order.id: order for order in state.orders}
    unknown = [order_id for order_id in named if order_id not in known]
    if unknown:
        raise Refused(
            f"the build has no work order {', '.join(unknown)}",
            where=str(out),
            hint="`factory status` lists those it has",
        )
    landed = [order_id for order_id in named if known[order_id].state is OrderPhase.LANDED]
    if landed:
        raise Refused(
            f"{', '.join(landed)} landed, and what has landed is not asked again",
            where=str(out),
            hint="to make it again, take its commit from the branch, and build",
        )
    return tuple(order for order in state.orders if order.id in named)

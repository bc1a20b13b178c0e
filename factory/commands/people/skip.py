"""`factory skip`: leaves a work order out, on purpose."""

import shlex
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from factory.attempt.exit_codes import ExitCode
from factory.commands.options import add_named
from factory.contract.errors import WorkorderError
from factory.system.terminal.arguments import Commands
from factory.system.terminal.console import Console, visible

if TYPE_CHECKING:
    from factory.runs.record.tried import Named


def add_options(commands: Commands) -> None:
    """Add the command and its options."""
    command = commands.add_parser(
        "skip",
        help="leave a work order out, on purpose",
        description="Leave a work order out, on purpose: builds in this repository don't attempt it, and what"
        " depends on it is blocked. Nothing counts it as done.",
    )
    add_named(command)
    which = command.add_mutually_exclusive_group(required=True)
    which.add_argument("--reason", metavar="TEXT", help="why it is left out")
    which.add_argument("--undo", action="store_true", help="do it after all")
    command.set_defaults(run=run)


def run(options: Namespace, console: Console) -> int:
    """Write it down; the exit code.

    Raises:
        WorkorderError: there is no such work order, it has landed, or the reason can't be taken.
    """
    from factory.runs.record.tried import named

    order = named(options.named, options.out)
    console.result(attempt_after_all(order) if options.undo else leave_out(order, options.reason))
    return ExitCode.PASS


def leave_out(order: "Named", why: str) -> str:
    """Leave a work order out; what there is to say of it.

    Args:
        order: the work order.
        why: the reason.

    Raises:
        WorkorderError: there is no such work order, it has landed, or the reason can't be taken.
    """
    from factory.commands.people.said import spoken
    from factory.people.skips import MAX_REASON_CHARS, Skip, set_skip
    from factory.system.clock import SystemClock
    from factory.system.git.client import user_identity

    place, contracts = _known(order)
    author = user_identity(Path.cwd())
    skip = Skip(
        work_order=order.work_order,
        contract=contracts[0],
        reason=spoken(why, "--reason", MAX_REASON_CHARS),
        author=author,
        said=SystemClock().now(),
    )
    set_skip(place, contracts, skip)
    return f"{order.work_order}: left out, as {author} says; build again to do the rest"


def attempt_after_all(order: "Named") -> str:
    """Leave a work order out no more; what there is to say of it.

    Args:
        order: the work order.

    Raises:
        WorkorderError: there is no such work order, or it has landed.
    """
    from factory.people.skips import set_skip

    place, contracts = _known(order)
    changed = set_skip(place, contracts, None)
    return f"{order.work_order}: {'the next build attempts it' if changed else 'it was not left out'}"


def require_attempted(order: "Named") -> None:
    """Refuse a work order that is left out: no build attempts it.

    Raises:
        WorkorderError: it is left out, has landed, or there is no such work order.
    """
    from factory.people.skips import skips_of

    place, contracts = _known(order)
    skips = skips_of(place)
    skip = next((skips[contract] for contract in contracts if contract in skips), None)
    if skip is not None:
        raise WorkorderError(
            f"{order.work_order} is left out; {visible(skip.author)} says why: {visible(skip.reason)}",
            where=str(order.out),
            hint=f"to do it after all: factory skip {order.work_order} --undo"
            f" --out {shlex.quote(str(order.out))}",
        )


def _known(order: "Named") -> tuple[Path, tuple[str, ...]]:
    """The git directory that a work order is of, and by which contracts it is known, what binds first.

    Raises:
        WorkorderError: nothing is known of it, or it has landed.
    """
    from factory.builds.state.file import load_state
    from factory.builds.state.machine import OrderPhase
    from factory.builds.state.plan_record import read_plan_record
    from factory.contract.identity import contract_hash, contract_trailers
    from factory.runs.record.files import RUN, WORK_ORDER
    from factory.runs.record.tried import DONE

    state = load_state(order.out)
    of_build = (
        next((known for known in state.orders if known.id == order.work_order), None) if state else None
    )
    record = RUN.read(order.latest) if order.latest is not None else None
    if state is not None and of_build is not None:
        landed, place, contract = of_build.state is OrderPhase.LANDED, state.repository, of_build.contract
    elif record is not None:
        landed, place, contract = record.outcome in DONE, record.repository, record.contract
    else:
        raise WorkorderError(
            f"no build and no run here has a work order {order.work_order}",
            where=str(order.out),
            hint="`factory status` lists those of a build",
        )
    if landed:
        raise WorkorderError(f"{order.work_order} has landed", where=str(order.out), hint="revert its commit")
    plan = read_plan_record(order.out)
    written = WORK_ORDER.read(order.latest) if order.latest is not None else None
    orders = (*(plan.plan.work_orders if plan is not None else ()), *filter(None, (written,)))
    same = (contract_trailers(known) for known in orders if contract_hash(known) == contract)
    # Of a build's directory that an older version left there may be neither.
    return Path(place), next(same, (contract,))

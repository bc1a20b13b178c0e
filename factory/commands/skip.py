"""`factory skip`: leaves a work order out, on purpose."""

from argparse import Namespace
from pathlib import Path

from factory.attempt.exit_codes import ExitCode
from factory.contract.errors import WorkorderError
from factory.system.terminal.arguments import Commands
from factory.system.terminal.console import Console


def add_options(commands: Commands) -> None:
    """Add the command and its options."""
    command = commands.add_parser(
        "skip",
        help="leave a work order out, on purpose",
        description="Leave a work order out, on purpose: builds in this repository don't attempt it, and what"
        " depends on it is blocked. Nothing counts it as done.",
    )
    command.add_argument("work_order", metavar="WO-NN", help="the work order")
    command.add_argument(
        "--out", type=Path, required=True, metavar="DIR", help="the output directory of the build"
    )
    which = command.add_mutually_exclusive_group(required=True)
    which.add_argument("--reason", metavar="TEXT", help="why it is left out")
    which.add_argument("--undo", action="store_true", help="do it after all")
    command.set_defaults(run=run)


def run(options: Namespace, console: Console) -> int:
    """Write it down; the exit code.

    Raises:
        WorkorderError: the build has no such work order, it has landed, or the reason can't be taken.
    """
    from factory.builds.state.file import require_state
    from factory.builds.state.machine import OrderPhase
    from factory.people.skips import MAX_REASON_CHARS, Skip, set_skip
    from factory.system.clock import SystemClock
    from factory.system.git.client import user_identity

    state = require_state(options.out)
    order = next((order for order in state.orders if order.id == options.work_order), None)
    if order is None:
        raise WorkorderError(
            f"the build has no work order {options.work_order}",
            where=str(options.out),
            hint="`factory status` lists those it has",
        )
    if order.state is OrderPhase.LANDED:
        raise WorkorderError(f"{order.id} has landed", where=str(options.out), hint="revert its commit")
    place = Path(state.repository)
    if options.undo:
        changed = set_skip(place, order.contract, None)
        console.result(f"{order.id}: {'the next build attempts it' if changed else 'it was not left out'}")
        return ExitCode.PASS
    reason = options.reason.strip()
    if not reason or len(reason) > MAX_REASON_CHARS:
        raise WorkorderError(
            f"has {len(reason):,} characters; say from 1 to {MAX_REASON_CHARS:,}", where="--reason"
        )
    author = user_identity(Path.cwd())
    skip = Skip(
        work_order=order.id,
        contract=order.contract,
        reason=reason,
        author=author,
        said=SystemClock().now(),
    )
    set_skip(place, order.contract, skip)
    console.result(f"{order.id}: left out, as {author} says; build again to do the rest")
    return ExitCode.PASS

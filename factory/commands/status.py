"""`factory status`: tells where a build stands."""

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from factory.attempt.exit_codes import ExitCode
from factory.commands.options import add_build_folder, ledger_folder
from factory.system.terminal.arguments import Commands
from factory.system.terminal.console import Console

if TYPE_CHECKING:
    from collections.abc import Mapping

    from factory.builds.state.model import BuildState


def add_options(commands: Commands) -> None:
    """Add the command and its options."""
    command = commands.add_parser(
        "status",
        help="tell where a build stands",
        description="Tell where a build stands, from its state, and what it used, from the ledger; nothing is"
        " changed.",
    )
    add_build_folder(command)
    command.add_argument(
        "--attempts",
        action="store_true",
        help="tell of every attempt what it used, and of every trial which worker ran it",
    )
    command.add_argument("--json", action="store_true", help="print the state as JSON")
    command.set_defaults(run=run)


def run(options: Namespace, console: Console) -> int:
    """Print where the build stands."""
    import json

    from factory.builds.state.file import require_state
    from factory.builds.state.unrecorded import unanswered, with_unrecorded
    from factory.llm.ledger.store import Ledger
    from factory.report.status import Beside, render_status, status_document
    from factory.report.workers import trials_of
    from factory.system.files.lock import is_held

    ledger = Ledger(ledger_folder(options))
    state, others = with_unrecorded(require_state(options.out), ledger)
    run_ids = [run.run_id for order in state.orders for run in order.runs]
    trials = {run_id: found for run_id in run_ids if (found := trials_of(options.out / run_id))}
    beside = Beside(others, unanswered(ledger, state.known_prices), trials, _since(options.out, state))
    running = is_held(options.out / "lock")
    if options.json:
        console.result(json.dumps(status_document(state, beside, running=running), sort_keys=True))
    else:
        if state.ended is not None:
            # It was written for whoever asks.
            ended = state.ended.model_copy(update={"hint": console.naming(state.ended.hint)})
            state = state.model_copy(update={"ended": ended})
        console.result(render_status(state, beside, running=running, attempts=options.attempts))
    return ExitCode.PASS


def _since(out: Path, state: "BuildState") -> "Mapping[str, str]":
    from factory.builds.state.machine import OrderPhase
    from factory.builds.state.plan_record import read_plan_record
    from factory.people.since import done_since

    record = read_plan_record(out)
    open_ones = {
        order.id for order in state.orders if order.state not in (OrderPhase.LANDED, OrderPhase.SKIPPED)
    }
    orders = [] if record is None else [order for order in record.plan.work_orders if order.id in open_ones]
    return done_since(Path(state.repository), state.branch, orders)

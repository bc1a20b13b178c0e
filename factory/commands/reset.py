"""`factory reset`: lets the next build ask anew for work orders that have not landed."""

from argparse import Namespace

from factory.attempt.exit_codes import ExitCode
from factory.commands.options import add_build_folder, ledger_folder
from factory.system.terminal.arguments import Commands
from factory.system.terminal.console import Console


def add_options(commands: Commands) -> None:
    """Add the command and its options."""
    command = commands.add_parser(
        "reset",
        help="let the next build ask anew for work orders that have not landed",
        description="Forget the answers that work orders got, so that the next build asks the model again. "
        "They still count as spent. Commits, files and what has landed stay as they are.",
    )
    add_build_folder(command)
    command.add_argument(
        "work_orders",
        nargs="*",
        metavar="WO-NN",
        help="which ones (default: those whose last attempt failed)",
    )
    command.set_defaults(run=run)


def run(options: Namespace, console: Console) -> int:
    """Set the answers aside."""
    from factory.builds.state.reset import reset
    from factory.report.reset import render_reset

    ledger = ledger_folder(options)
    console.result(render_reset(reset(options.out, ledger, options.work_orders), ledger))
    return ExitCode.PASS

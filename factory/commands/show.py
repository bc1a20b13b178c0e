"""`factory show`: tells what happened in a run."""

from argparse import Namespace

from factory.attempt.exit_codes import ExitCode
from factory.commands.options import add_named
from factory.system.terminal.arguments import Commands
from factory.system.terminal.console import Console


def add_options(commands: Commands) -> None:
    """Add the command and its options."""
    command = commands.add_parser(
        "show",
        help="tell what happened in a run",
        description="Tell what happened in a run, from its folder.",
    )
    add_named(command, run_counts=True)
    command.set_defaults(run=run)


def run(options: Namespace, console: Console) -> int:
    """Print what happened."""
    from factory.report.show import show_run
    from factory.runs.record.tried import run_folder

    console.result(show_run(run_folder(options.named, options.out)))
    return ExitCode.PASS

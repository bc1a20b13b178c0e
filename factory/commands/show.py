"""`factory show`: tells what happened in a run."""

from argparse import Namespace
from pathlib import Path

from factory.attempt.exit_codes import ExitCode
from factory.system.terminal.arguments import Commands
from factory.system.terminal.console import Console


def add_options(commands: Commands) -> None:
    """Add the command and its options."""
    command = commands.add_parser(
        "show",
        help="tell what happened in a run",
        description="Tell what happened in a run, from its folder.",
    )
    command.add_argument("run_dir", type=Path, metavar="RUN_DIR", help="a folder OUT/RUN_ID")
    command.set_defaults(run=run)


def run(options: Namespace, console: Console) -> int:
    """Print what happened."""
    from factory.report.show import show_run

    console.result(show_run(options.run_dir))
    return ExitCode.PASS

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
    command.add_argument(
        "run_dir",
        metavar="RUN",
        help="a run's folder; with --out the id of a run, or of a work order, whose latest run is shown",
    )
    command.add_argument(
        "--out", type=Path, metavar="DIR", help="the output directory of the build or run that holds it"
    )
    command.set_defaults(run=run)


def run(options: Namespace, console: Console) -> int:
    """Print what happened."""
    from factory.report.show import show_run
    from factory.runs.record.tried import run_folder

    console.result(show_run(run_folder(options.run_dir, options.out)))
    return ExitCode.PASS

"""`planner explain`: shows the documentation of a code."""

from argparse import Namespace

from factory.system.terminal.arguments import Commands
from factory.system.terminal.console import Console
from planner.commands.options import add_command
from planner.compile.exit_codes import ExitCode


def add_options(commands: Commands) -> None:
    """Add the command and its options."""
    command = add_command(commands, "explain", "show the documentation of a code", run)
    which = command.add_mutually_exclusive_group(required=True)
    which.add_argument("code", nargs="?", metavar="CODE", help="a code, such as E101")
    which.add_argument("--all", action="store_true", help="all codes")


def run(options: Namespace, console: Console) -> int:
    """Print the page, or all of them; the exit code.

    Raises:
        WorkorderError: there is no such code.
    """
    from planner.check.explain import explain, explain_all

    console.result(explain_all() if options.all else explain(options.code))
    return ExitCode.DONE

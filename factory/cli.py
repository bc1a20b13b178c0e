"""The command line of the factory: which commands there are."""

from collections.abc import Sequence
from typing import Final

from factory.attempt.exit_codes import EXIT_CODES, ExitCode
from factory.commands import build, cache, doctor, hint, reset, run, show, status
from factory.system.terminal.arguments import Parser, Version
from factory.system.terminal.edge import Program, run_program
from factory.system.terminal.exit_code import epilog

_COMMANDS: Final = (run, build, status, hint, reset, show, cache, doctor)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: the arguments; None for the process's own.

    Returns:
        The exit code, see `factory.attempt.exit_codes.ExitCode`.
    """
    return run_program(Program(parser, EXIT_CODES, "out"), argv)


def parser() -> Parser:
    """All commands; the parsed `run` is the function of the one that was given."""
    top = Parser(
        prog="factory",
        description="Executes work orders against a git repository and lands verified commits.",
        epilog=epilog(ExitCode),
    )
    top.add_argument("--version", action=Version)
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in _COMMANDS:
        command.add_options(commands)
    return top

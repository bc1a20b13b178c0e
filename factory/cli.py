"""The command line of the factory: which commands there are."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from factory.attempt.exit_codes import EXIT_CODES, ExitCode
from factory.commands import build, cache, doctor, engine, report, reset, run, serve, show, status
from factory.commands.people import adopt, hint, opening, retry, skip
from factory.system.terminal.arguments import Parser, Version
from factory.system.terminal.edge import Program, run_program
from factory.system.terminal.exit_code import epilog

_COMMANDS: Final = (
    *(run, build, status, hint, retry, opening, adopt, skip, reset),
    *(show, report, serve, cache, engine, doctor),
)


def main(argv: Sequence[str] | None = None, defaults: Callable[[], Mapping[str, str]] = dict) -> int:
    """Run the command line.

    Args:
        argv: the arguments; None for the process's own.
        defaults: what options are that are not given, by their names, where that is not their own default.

    Returns:
        The exit code, see `factory.attempt.exit_codes.ExitCode`.
    """
    return run_program(Program(parser, EXIT_CODES, "out"), argv, defaults)


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

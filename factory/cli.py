"""The command line of the factory: which commands there are."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from factory.attempt.exit_codes import EXIT_CODES, ExitCode
from factory.commands import build, cache, doctor, engine, report, reset, run, serve, show, status
from factory.commands.people import adopt, hint, opening, retry, skip
from factory.system.terminal.arguments import Parser, Version
from factory.system.terminal.edge import Program, run_program
from factory.system.terminal.exit_code import epilog

_NAME: Final = "factory"
_COMMANDS: Final = (
    *(run, build, status, hint, retry, opening, adopt, skip, reset),
    *(show, report, serve, cache, engine, doctor),
)


def main(
    argv: Sequence[str] | None = None,
    defaults: Callable[[], Mapping[str, str]] = dict,
    called: str = _NAME,
) -> int:
    """Run the command line.

    Args:
        argv: the arguments; None for the process's own.
        defaults: what options are that are not given, by their names, where that is not their own default.
        called: what it was called as.

    Returns:
        The exit code, see `factory.attempt.exit_codes.ExitCode`.
    """
    return run_program(Program(partial(parser, called), EXIT_CODES, "out"), argv, defaults)


def parser(called: str = _NAME) -> Parser:
    """All commands; the parsed `run` is the function of the one that was given.

    Args:
        called: what it was called as.
    """
    top = Parser(
        prog=called,
        description="Executes work orders against a git repository and lands verified commits.",
        epilog=epilog(ExitCode),
    )
    top.add_argument("--version", action=Version)
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in _COMMANDS:
        command.add_options(commands)
    return top

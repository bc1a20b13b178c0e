"""The command line of the planner: which commands there are.

Only `compile` and `revise` import what talks to a model, and `--help` imports nothing beyond argparse.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from factory.system.terminal.arguments import Parser, Version
from factory.system.terminal.edge import Program, run_program
from factory.system.terminal.exit_code import epilog
from planner.commands import check, explain, impact, review, revise, sync, trace
from planner.commands import compile as compile_
from planner.commands.views import approve, diff, graph, show
from planner.compile.exit_codes import EXIT_CODES, ExitCode

_NAME: Final = "planner"
_COMMANDS: Final = (compile_, revise, check, review, show, approve, diff, sync, trace, impact, explain, graph)


def main(
    argv: Sequence[str] | None = None,
    defaults: Callable[[], Mapping[str, str]] = dict,
    called: str = _NAME,
) -> int:
    """Run one command.

    Args:
        argv: the arguments without the program's name; None for those of the process.
        defaults: what options are that are not given, by their names, where that is not their own default.
        called: what it was called as.

    Returns:
        The exit code, see `planner.compile.exit_codes.ExitCode`.
    """
    return run_program(Program(partial(parser, called), EXIT_CODES, "artifacts_dir"), argv, defaults)


def parser(called: str = _NAME) -> Parser:
    """All commands; the parsed `run` is the function of the one that was given.

    Args:
        called: what it was called as.
    """
    top = Parser(
        prog=called,
        description="Compiles a product specification into a plan of work orders, and checks plans.",
        epilog=epilog(ExitCode),
    )
    top.add_argument("--version", action=Version)
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in _COMMANDS:
        command.add_options(commands)
    return top

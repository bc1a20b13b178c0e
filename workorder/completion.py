"""`workorder completion`: a script by which a shell completes commands and options."""

import argparse
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from factory.attempt.exit_codes import ExitCode
from factory.contract.errors import WorkorderError
from factory.system.terminal.arguments import Commands, Parser
from factory.system.terminal.console import Console

_SHELLS: Final = ("bash", "zsh", "fish")


def add_options(commands: Commands) -> None:
    """Add the command and its options."""
    purpose = "print a script by which your shell completes commands and options"
    command = commands.add_parser(
        "completion", help=purpose, description=f"{purpose[0].upper()}{purpose[1:]}."
    )
    command.add_argument("shell", choices=_SHELLS, help="the shell")
    command.set_defaults(run=run)


def run(options: Namespace, console: Console) -> int:
    """Print the script.

    Raises:
        WorkorderError: what makes it is not installed.
    """
    try:
        import shtab
    except ImportError as error:
        raise WorkorderError(
            "shtab is not installed", hint="install the extra: pip install 'workorder[completion]'"
        ) from error

    parser = whole_parser(options.top())
    for action in _places(parser):
        # shtab reads it from there.
        action.complete = shtab.FILE  # type: ignore[attr-defined]
    console.result(shtab.complete(parser, shell=options.shell))
    return ExitCode.PASS


def whole_parser(top: Parser) -> Parser:
    """All commands with their options, those of both stages too, which are their own otherwise.

    Args:
        top: that of `workorder`, which is changed.
    """
    from factory.cli import parser as of_factory
    from planner.cli import parser as of_planner

    choices = _choices(top)
    choices.update({name: command for name, command in _choices(of_factory()).items() if name in choices})
    choices["plan"] = of_planner()
    return top


def _places(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """The arguments that are files or directories."""
    for action in parser._actions:
        if action.type is Path:
            yield action
        elif isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _places(command)


def _choices(parser: Parser) -> dict[str, Parser]:
    assert parser._subparsers is not None
    choices: dict[str, Parser] = parser._subparsers._group_actions[0].choices  # type: ignore[assignment]
    return choices

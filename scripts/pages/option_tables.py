"""The options of a command as a table of Markdown, from the parser that reads them."""

import argparse
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import factory.cli
import planner.cli
import workorder.cli

PARSERS: Final = {
    "planner": planner.cli.parser(),
    "factory": factory.cli.parser(),
    "workorder": workorder.cli.parser(),
}
_DEFAULT: Final = re.compile(r"\s*\(default: (.*)\)$", re.DOTALL)


def commands(program: str) -> Mapping[str, argparse.ArgumentParser]:
    """The parser of each command of a program, by the command's name."""
    for action in PARSERS[program]._actions:
        if isinstance(action, argparse._SubParsersAction):
            return action.choices
    raise AssertionError(f"{program} has no commands")


def option_table(program: str, command: str, beyond: tuple[str, str] | None = None) -> str:
    """The table of a command's arguments and options, in the order of its help.

    Args:
        program: `planner` or `factory`.
        command: its command.
        beyond: another command; what it has with the same meaning is left out.
    """
    known = set() if beyond is None else set(_rows(*beyond))
    rows = [row for row in _rows(program, command) if row not in known]
    lines = ["| option | meaning | default |", "|---|---|---|"]
    lines += [f"| {name} | {meaning} | {default} |" for name, meaning, default in rows]
    return "\n".join(lines)


def cell(text: str) -> str:
    """A text as it may stand in a table."""
    return text.replace("|", r"\|").replace("*", r"\*")


def _rows(program: str, command: str) -> Iterator[tuple[str, str, str]]:
    parser = commands(program)[command]
    for action in parser._actions:
        if action.help is None or isinstance(action, argparse._HelpAction):
            continue
        text = action.help % {**vars(action), "prog": parser.prog}
        stated = _DEFAULT.search(text)
        if stated is not None:
            default = stated[1]
        else:
            default = "required" if action.required and action.nargs != "?" else ""
        yield _names(action), cell(_DEFAULT.sub("", text)), cell(default)


def _names(action: argparse.Action) -> str:
    value = f"{{{','.join(map(str, action.choices))}}}" if action.choices else action.metavar
    if not action.option_strings:
        return f"`{value}`" if action.nargs is None else f"`[{value}]`"
    shown = "" if action.nargs == 0 else f" {value}"
    return ", ".join(f"`{name}{shown}`" for name in action.option_strings)

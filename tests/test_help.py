"""Helps that a person can read: what is long has headings, and no part is longer than a screen."""

import argparse
from collections.abc import Iterator

import pytest

import factory.cli
import planner.cli
import workorder.cli

SCREEN = 24


def commands() -> Iterator[argparse.ArgumentParser]:
    for program in (factory.cli.parser(), planner.cli.parser(), workorder.cli.parser()):
        for action in program._actions:
            if isinstance(action, argparse._SubParsersAction):
                yield from action.choices.values()


@pytest.mark.parametrize("command", [*commands()], ids=lambda command: command.prog)
def test_no_part_of_a_help_is_longer_than_a_screen(
    command: argparse.ArgumentParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    length, heading = 0, "usage"
    for line in command.format_help().splitlines():
        if line.endswith(":") and not line.startswith(" "):
            length, heading = 0, line
        length += 1
        assert length <= SCREEN, heading


def test_the_usage_of_a_long_command_names_what_must_be_given() -> None:
    built = next(command for command in commands() if command.prog == "factory build")

    assert built.format_usage() == "usage: factory build --plan DIR --repo DIR --out DIR [OPTION …]\n"

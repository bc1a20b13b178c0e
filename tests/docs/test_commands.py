"""Every command that a document shows can be given: its program, its command and its options exist."""

import argparse
import re
import subprocess
import sys
from pathlib import Path

import pytest

import factory.cli
import planner.cli
import workorder.cli
from factory.system.terminal.arguments import with_defaults
from tests.docs.reading import PAGES, ROOT, Shown, name_of, shown_commands, spans
from workorder.completion import whole_parser
from workorder.config import PLACES, PLACES_OF_PLANS


def of_workorder() -> argparse.ArgumentParser:
    """With the commands of both stages, which know the places of the current repository."""
    top = whole_parser(workorder.cli.parser())
    (commands,) = (action for action in top._actions if isinstance(action, argparse._SubParsersAction))
    for name, command in commands.choices.items():
        places = PLACES_OF_PLANS if name == "plan" else PLACES
        with_defaults(command, dict.fromkeys(places, "place"))
    return top


PARSERS = {
    "planner": planner.cli.parser(),
    "factory": factory.cli.parser(),
    "workorder": of_workorder(),
}
COMMON = {".", "apt-get", "cat", "cd", "cp", "echo", "git", "pip", "python"}
"""Programs of others, of which only the name is looked at."""


def commands_of(program: str) -> dict[str, argparse.ArgumentParser]:
    (commands,) = (
        action for action in PARSERS[program]._actions if isinstance(action, argparse._SubParsersAction)
    )
    return dict(commands.choices)


def options_of(parser: argparse.ArgumentParser) -> set[str]:
    """The options of a command, and of those below it."""
    options: set[str] = set()
    for action in parser._actions:
        options.update(action.option_strings)
        if isinstance(action, argparse._SubParsersAction):
            options.update(*(options_of(command) for command in action.choices.values()))
    return options


def help_of_script(name: str) -> str:
    """The comment at the top of a script, which is its help."""
    return (ROOT / "scripts" / name).read_text("utf-8").partition("\nset -euo")[0]


EVERY_OPTION = {
    "--help",
    "--version",
    *(option for name in PARSERS for parser in commands_of(name).values() for option in options_of(parser)),
    *(
        option
        for script in ("demo", "docs", "spec-to-repo")
        for option in re.findall("--[a-z-]+", help_of_script(script))
    ),
}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_command_can_be_given(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for shown in shown_commands(page):
        for words in shown.words:
            assert_can_be_given(words, shown.line, capsys)


def assert_can_be_given(words: list[str], line: str, capsys: pytest.CaptureFixture[str]) -> None:
    if words[:2] == ["python", "-m"] and words[2] in PARSERS:
        words = words[2:]
    program, *arguments = words
    if program in PARSERS:
        try:
            PARSERS[program].parse_args(arguments)
        except SystemExit as ended:
            assert ended.code == 0, f"{line}\n{capsys.readouterr().err}"
    elif "scripts/" in program and not program.startswith("scripts/bench/"):
        script = program.removeprefix("./").removeprefix("scripts/")
        for option in (word for word in arguments if word.startswith("--")):
            assert f"{option} " in help_of_script(script), line
    else:
        assert program in COMMON, line


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_option_that_is_named_exists(page: Path) -> None:
    for span in spans(page):
        program, *words = span.split()
        options = {
            word.strip("[](),").partition("=")[0] for word in words if word.strip("[](").startswith("--")
        }
        if program in PARSERS and words:
            assert words[0] in {*commands_of(program), "--help", "--version"}, span
            known = commands_of(program).get(words[0], PARSERS[program])
            assert options <= options_of(known) | {"--version"}, span
        elif program.startswith("--"):
            assert program.partition("=")[0] in EVERY_OPTION, span


CHECKED = [
    (name_of(page), shown)
    for page in PAGES
    for shown in shown_commands(page)
    if shown.line.startswith(("planner check broken.json", "planner explain"))
]


@pytest.mark.parametrize("shown", [shown for _, shown in CHECKED], ids=[name for name, _ in CHECKED])
def test_what_a_page_shows_of_the_checker_is_what_it_says(shown: Shown, tmp_path: Path) -> None:
    tour = shown_commands(ROOT / "docs" / "tour.md")
    (broken,) = (other.output for other in tour if other.line == "cat broken.json")
    (tmp_path / "broken.json").write_text(broken, "utf-8")
    done = run(shown, tmp_path)
    assert done.stdout + done.stderr == shown.output


def run(shown: Shown, cwd: Path) -> subprocess.CompletedProcess[str]:
    (words,) = shown.words
    return subprocess.run(
        [sys.executable, "-P", "-m", *words],
        cwd=cwd,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )

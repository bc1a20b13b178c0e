"""At the end of a long command somebody is told, and whatever comes of that changes nothing."""

import io
import os
import shlex
import sys
from pathlib import Path

import pytest

from factory.system.terminal.console import Console
from factory.system.terminal.notify import Ended, notify

ENDED = Ended("factory build", 4, "WO-03: wrong\n\x1b[2J" + "x" * 900)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def told(how: str | None, err: io.StringIO | None = None) -> str:
    err = err or io.StringIO()
    notify(how, ENDED, Console(io.StringIO(), err), os.environ)
    return err.getvalue()


def test_nobody_is_told_who_did_not_ask() -> None:
    assert told(None) == ""


def test_the_bell_of_a_terminal_rings_and_a_log_has_none() -> None:
    assert told("bell", Terminal()) == "\a"
    assert told("bell") == ""


def test_a_program_gets_the_outcome_in_one_harmless_line(tmp_path: Path) -> None:
    program = tmp_path / "program"
    file = tmp_path / "told"
    program.write_text(
        "import os, sys, pathlib\n"
        "names = ('COMMAND', 'EXIT_CODE', 'MESSAGE')\n"
        "told = [*sys.argv[2:], *(os.environ['WORKORDER_ENDED_' + name] for name in names)]\n"
        "pathlib.Path(sys.argv[1]).write_text('|'.join(told))\n"
    )

    assert told(shlex.join([sys.executable, "-S", str(program), str(file), "a word"])) == ""

    message = "factory build: WO-03: wrong\\n\\x1b[2J" + "x" * (500 - len("WO-03: wrong\\n\\x1b[2J"))
    assert file.read_text() == f"a word|{message}|factory build|4|{message}"


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ("sh -c 'echo no such display >&2; exit 3'", "sh ended with exit code 3: no such display"),
        ("sh -c 'kill -9 $$'", "sh ended with signal 9"),
        ("/nowhere/notify", "/nowhere/notify: no such file or directory"),
    ],
)
def test_one_that_fails_is_told_of(how: str, why: str) -> None:
    assert told(how) == f"the notifier failed, which changes nothing: {why}\n"

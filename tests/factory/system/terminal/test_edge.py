"""The edge of both commands: each way in which a command can end has its exit code and its text."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from factory.contract.errors import Fault, MachineProblem, WorkorderError
from factory.system.terminal.arguments import Parser, Version
from factory.system.terminal.edge import Program, run_program

ROOT = Path(__file__).parents[4]
CODES = {fault: 20 + number for number, fault in enumerate(Fault)}


def ended(action: Callable[[], int], *argv: str) -> int:
    """The exit code of a command that does that."""

    def parser() -> Parser:
        top = Parser(prog="tool")
        top.add_argument("--version", action=Version)
        top.add_argument("--out", type=Path)
        top.set_defaults(run=lambda _options, _console: action())
        return top

    return run_program(Program(parser, CODES, "out"), argv)


def failing(error: BaseException) -> Callable[[], int]:
    def action() -> int:
        raise error

    return action


class Corrupt(WorkorderError):
    fault = Fault.STATE_CORRUPT


def test_what_a_command_returns_is_the_exit_code() -> None:
    assert ended(lambda: 5) == 5


@pytest.mark.parametrize(
    ("error", "fault", "text"),
    [
        (WorkorderError("no", where="here", hint="yes"), Fault.REFUSED, "error: here: no\n  hint: yes\n"),
        (Corrupt("damaged"), Fault.STATE_CORRUPT, "error: damaged\n"),
        (MachineProblem("full"), Fault.ENVIRONMENT, "error: full\n"),
        (
            OSError(28, "No space left on device", "/x"),
            Fault.ENVIRONMENT,
            "error: /x: no space left on device\n",
        ),
    ],
)
def test_an_expected_failure_is_told(
    error: Exception, fault: Fault, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(failing(error)) == CODES[fault]
    assert capsys.readouterr() == ("", text)


def test_a_reader_that_has_gone_is_no_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(failing(BrokenPipeError())) == 141
    assert capsys.readouterr() == ("", "")


def test_wrong_usage_is_the_users_fault(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(lambda: 0, "--nonsense") == CODES[Fault.REFUSED]
    assert capsys.readouterr() == (
        "",
        "usage: tool [-h] [--version] [--out OUT]\nerror: unrecognized arguments: --nonsense\n",
    )


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_what_only_tells_something_succeeds(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(lambda: 5, option) == 0
    assert "tool" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_ends_it_and_is_told(number: int, code: int, capsys: pytest.CaptureFixture[str]) -> None:
    def action() -> int:
        os.kill(os.getpid(), number)
        return 0

    assert ended(action) == code
    assert f"error: stopped by {signal.Signals(number).name}; " in capsys.readouterr().err


def test_a_bug_leaves_its_story_where_the_artifacts_go(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ended(failing(ZeroDivisionError("odd")), "--out", str(tmp_path / "out")) == 70
    log = tmp_path / "out" / "crash.log"
    assert capsys.readouterr().err == f"error: this is a bug in tool; what is known about it is in {log}\n"
    assert "ZeroDivisionError: odd" in log.read_text("utf-8")


def test_a_bug_of_a_command_without_artifacts_leaves_its_story_among_temporary_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert ended(failing(ZeroDivisionError("odd"))) == 70
    (log,) = tmp_path.glob("tool-crash-*.log")
    assert str(log) in capsys.readouterr().err
    assert "ZeroDivisionError: odd" in log.read_text("utf-8")


def test_a_story_that_can_be_kept_nowhere_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    assert ended(failing(ZeroDivisionError("odd")), "--out", str(tmp_path / "file")) == 70
    assert "ZeroDivisionError: odd" in capsys.readouterr().err


@pytest.mark.parametrize("program", ["factory", "planner"])
@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_the_commands_mind_no_reader_that_has_gone(program: str, stream: str) -> None:
    # given a command that has something to say on the stream, whose reader has gone
    arguments = {
        ("factory", "stdout"): ["doctor"],
        ("planner", "stdout"): ["explain", "E101"],
        ("factory", "stderr"): ["show", "nothing"],
        ("planner", "stderr"): ["explain", "nothing"],
    }[program, stream]
    reading, writing = os.pipe()
    os.close(reading)
    # when
    done = subprocess.run(
        [sys.executable, "-m", program, *arguments],
        cwd=ROOT,
        env={"PATH": os.environ["PATH"]},
        stdout=writing if stream == "stdout" else subprocess.PIPE,
        stderr=writing if stream == "stderr" else subprocess.PIPE,
        timeout=60,
        check=False,
    )
    os.close(writing)
    # then
    assert done.returncode == 141
    assert not done.stdout
    assert not done.stderr

"""What tests start by forking ends and prints as what a user starts (see `tests.support.starts`)."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import starts
from tests.support.answers import sleeping_program
from tests.support.repositories import make_repo, write_work_order


@pytest.mark.parametrize(
    "words",
    [
        ("factory", "--version"),
        ("factory", "status", "--out", "nowhere"),
        ("factory", "unknown"),
        ("planner", "explain", "E101"),
        ("planner", "check", "plan.json"),
    ],
)
def test_a_forked_start_is_as_a_real_one(words: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "plan.json").write_text('{"title": "\\u00e9\\u0007"}')
    argv = [sys.executable, "-m", *words]

    really = subprocess.run(argv, cwd=tmp_path, capture_output=True, text=True, check=False)
    forked = starts.run(argv, cwd=tmp_path)

    assert (forked.returncode, forked.stdout, forked.stderr) == (
        really.returncode,
        really.stdout,
        really.stderr,
    )
    assert really.stdout + really.stderr != ""


@pytest.mark.parametrize(
    "words",
    [
        ("-P", "-m", "factory", "status", "--out", "nowhere"),
        ("-P", "-m", "planner", "explain", "E101"),
        ("-P", "-m", "workorder", "--version"),
        ("-P", "-c", "import sys; print(sys.executable, sys.path); sys.exit(3)"),
    ],
)
def test_what_a_script_starts_is_as_if_started_really(words: tuple[str, ...], tmp_path: Path) -> None:
    descriptor = starts.forking_interpreter(tmp_path / "interpreter")

    really, forked = (
        subprocess.run(
            ["sh", "-c", '"$@"; code=$?; echo behind; exit $code', "sh", interpreter, *words],
            cwd=tmp_path,
            pass_fds=[descriptor],
            capture_output=True,
            text=True,
            check=False,
        )
        for interpreter in (sys.executable, str(tmp_path / "interpreter"))
    )

    assert (forked.returncode, forked.stdout, forked.stderr) == (
        really.returncode,
        really.stdout,
        really.stderr,
    )
    assert len(really.stdout + really.stderr) > len("behind\n")


def test_a_forked_start_can_be_killed_by_its_number(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", {"README.md": "words\n"})
    order = write_work_order(tmp_path / "WO-01.json")
    argv = [sys.executable, "-m", "factory", "run", "--repo", repo, "--work-order", order]
    llm = sleeping_program(tmp_path / "model.py")
    run = starts.start([*argv, "--out", tmp_path / "out", "--llm", llm], cwd=tmp_path)

    assert run.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        run.wait(0.01)
    run.kill()

    assert run.wait(20) == run.returncode == -signal.SIGKILL
    run.communicate(20)

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

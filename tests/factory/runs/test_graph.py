"""The graph from end to end: its order, its bound, and that its library keeps to itself."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from factory.attempt.exit_codes import ExitCode
from factory.attempt.summary import AttemptSummary
from tests.support.answers import a_proposal
from tests.support.environments import bare
from tests.support.repositories import git, make_repo
from tests.support.runs import Scene, read_object, summary_of


def test_a_run_goes_through_its_stages_in_order(tmp_path: Path) -> None:
    # Given three attempts that fail at three stages, and a fourth that passes
    repo = make_repo(tmp_path / "repo")
    passes = "python -c \"exit('it is ' + 'bad' if 'bad' in open('src/app.py').read() else 0)\""
    answers = ["prose", a_proposal({"other.py": ""}), a_proposal({"src/app.py": "bad"}), a_proposal()]
    scene = Scene(repo, answers, acceptance_commands=[passes])

    finished = scene.run(max_attempts=4)

    assert finished.ending.exit_code == ExitCode.PASS
    assert [_stage(record) for record in finished.ending.attempts] == [
        "llm_output_invalid",
        "write_scope_violation",
        "acceptance_failed",
        None,
    ]
    first, *rest = scene.progress
    assert first == f"commands find {bare().description}"
    assert [line.removesuffix(" scripted script") for line in rest if "landed" not in line] == [
        "verifying the base before a model is asked",
        "attempt 1 of 4: SE asks",
        "attempt 1 failed at llm_output_invalid: the answer holds no block with a path",
        "attempt 2 of 4: SE asks",
        "attempt 2: TR applies the proposal",
        "attempt 2 failed at write_scope_violation: `other.py` is not one of the work order's allowed files",
        "attempt 3 of 4: SE asks",
        "attempt 3: TR applies the proposal",
        "attempt 3: PO runs verify",
        "attempt 3: PO runs acceptance",
        f"attempt 3 failed at acceptance_failed: the command returned 1 ({passes}): it is bad",
        "attempt 4 of 4: SE asks",
        "attempt 4: TR applies the proposal",
        "attempt 4: PO runs verify",
        "attempt 4: PO runs acceptance",
    ]


@pytest.mark.parametrize("attempts", [1, 2, 7])
def test_attempts_are_bounded_by_what_the_user_said(attempts: int, tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    before = git(repo, "rev-parse", "HEAD")
    scene = Scene(repo, [a_proposal()] * 20, acceptance_commands=["false"])

    finished = scene.run(max_attempts=attempts)

    assert (finished.ending.exit_code, scene.asked) == (ExitCode.FAIL, attempts)
    assert len(finished.ending.attempts) == attempts
    assert git(repo, "rev-parse", "HEAD") == before


def test_only_the_last_failure_is_told_to_the_model(tmp_path: Path) -> None:
    scene = Scene(make_repo(tmp_path / "repo"), ["first", a_proposal({"other.py": ""}), a_proposal()])

    finished = scene.run(max_attempts=3)

    assert finished.folder is not None
    second, third = ((finished.folder / f"attempt_{n}" / "se_prompt.txt").read_text() for n in (2, 3))
    assert "llm_output_invalid" in second
    assert "llm_output_invalid" not in third
    assert "write_scope_violation" in third


def test_a_bug_in_a_model_adapter_is_recorded_and_raised(tmp_path: Path, temporary_files: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    scene = Scene(repo, [KeyError("a bug")])

    with pytest.raises(KeyError):
        scene.run()

    (summary,) = scene.out.glob("*/run_summary.json")
    assert read_object(summary)["outcome"] == "internal_error"
    assert git(repo, "status", "--porcelain") == ""
    assert list(temporary_files.iterdir()) == []


def test_the_summary_adds_up_what_was_asked(tmp_path: Path) -> None:
    scene = Scene(make_repo(tmp_path / "repo"), ["prose", a_proposal()])

    summary: Any = summary_of(scene.run())

    assert summary["model_answers"] == 2
    assert summary["usage"]["input_tokens"] == 200


def _stage(summary: AttemptSummary) -> str | None:
    return summary.failure.stage if summary.failure else None


def test_the_graph_library_traces_nothing_whatever_the_environment_says() -> None:
    program = (
        "import factory.runs.graph\n"
        "from langsmith.utils import tracing_is_enabled\n"
        "print(tracing_is_enabled())"
    )
    tracing = {"LANGSMITH_TRACING": "true", "LANGCHAIN_TRACING_V2": "true"}

    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, **tracing}, capture_output=True, check=True
    )

    assert done.stdout == b"False\n"

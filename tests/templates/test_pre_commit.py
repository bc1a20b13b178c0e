"""The hook for pre-commit, run by pre-commit itself when somebody commits a plan.

Only what it installs is left out, as that needs a network: the hook runs the `planner` of this environment.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.support.answering_program import manifest, order
from tests.support.repositories import git, make_repo

HOOKS = Path(__file__).parents[2] / ".pre-commit-hooks.yaml"
BIN = Path(sys.executable).parent
FOUND = "E105"


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository whose commits are held against the hook."""
    pytest.importorskip("pre_commit", reason="pre-commit is not installed: pip install 'workorder[dev]'")
    ours = make_repo(tmp_path / "ours", {".pre-commit-hooks.yaml": HOOKS.read_text()})
    hook = {"id": "planner-check", "language": "system", "args": ["design/plan"]}
    config = {"repos": [{"repo": str(ours), "rev": git(ours, "rev-parse", "HEAD"), "hooks": [hook]}]}
    theirs = make_repo(tmp_path / "theirs", {".pre-commit-config.yaml": yaml.safe_dump(config)})
    assert run(theirs, sys.executable, "-m", "pre_commit", "install").returncode == 0
    return theirs


def run(repo: Path, *argv: str) -> "subprocess.CompletedProcess[str]":
    environment = os.environ | {
        "PATH": f"{BIN}:{os.environ['PATH']}",
        "PRE_COMMIT_HOME": str(repo.parent / "kept"),
        "GIT_AUTHOR_NAME": "A User",
        "GIT_AUTHOR_EMAIL": "user@example.invalid",
        "GIT_COMMITTER_NAME": "A User",
        "GIT_COMMITTER_EMAIL": "user@example.invalid",
    }
    return subprocess.run(argv, cwd=repo, env=environment, capture_output=True, text=True)


def commit(repo: Path, files: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    for name, text in files.items():
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).write_text(text)
    assert run(repo, "git", "add", "--all").returncode == 0
    return run(repo, "git", "commit", "--message", "Change")


def test_a_plan_with_errors_is_not_committed(repo: Path) -> None:
    before = git(repo, "rev-parse", "HEAD")
    plan = manifest(order("WO-01", "scripts/verify.sh", acceptance=("bash scripts/verify.sh",)))

    refused = commit(repo, {"design/plan/WORK_ORDERS_MANIFEST.json": json.dumps(plan)})

    assert refused.returncode != 0
    assert f"error[{FOUND}]" in refused.stderr, refused.stdout + refused.stderr
    assert git(repo, "rev-parse", "HEAD") == before


def test_a_sound_plan_is_committed_and_other_files_are_not_held_against_it(repo: Path) -> None:
    plan = manifest(order("WO-01", "scripts/verify.sh"))
    files = {
        "design/plan/WORK_ORDERS_MANIFEST.json": json.dumps(plan),
        "design/plan/WO-01.json": json.dumps(order("WO-01", "scripts/verify.sh")),
    }

    committed = commit(repo, files)
    assert committed.returncode == 0, committed.stdout + committed.stderr
    assert "planner check" in committed.stderr
    assert "Passed" in committed.stderr

    (repo / "design" / "plan" / "WO-01.json").write_text("{")
    assert run(repo, "git", "commit", "--all", "--no-verify", "--message", "Spoil").returncode == 0
    other = commit(repo, {"other.txt": "words\n"})
    assert "Skipped" in other.stderr
    assert other.returncode == 0

"""The command `workorder`: a project begun, both stages behind one name, a specification carried out."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.repositories import git, make_repo
from workorder.cli import main
from workorder.go import state_of

ROOT = Path(__file__).resolve().parent.parent


def test_init_begins_a_project_and_writes_over_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", str(tmp_path / "new"), "--ci", "github"]) == 0
    made = sorted(str(path.relative_to(tmp_path / "new")) for path in (tmp_path / "new").rglob("*.*"))
    assert made == [".github", ".github/workflows/workorder.yml", "spec.md", "workorder.toml"]
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "workorder.toml").write_text("")
    assert main(["init", str(tmp_path / "old")]) == 2
    assert not (tmp_path / "old" / "spec.md").exists()
    assert "is there already" in capsys.readouterr().err


def test_what_init_writes_is_a_configuration(tmp_path: Path) -> None:
    from factory.configuration.document import Configuration, read_configuration

    assert main(["init", str(tmp_path)]) == 0
    text = (tmp_path / "workorder.toml").read_text()
    assert read_configuration(text.encode(), None) == Configuration()
    # Without the signs in front, it is one that says something.
    said = "\n".join(line.removeprefix("# ") for line in text.splitlines()[1:] if line.startswith("# "))
    tables = said[said.index("[planner]") :]
    assert read_configuration(tables.replace("limits =", "#").encode(), None).planner.grain == "medium"


def test_the_commands_of_both_stages_have_their_names_here(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "explain", "E101"]) == 0
    assert "E101" in capsys.readouterr().out
    assert main(["status", "--out", "/nowhere/at/all"]) != 0
    assert "/nowhere/at/all" in capsys.readouterr().err
    assert main(["often"]) == 2


def test_go_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("WORKORDER_LLM", raising=False)
    assert main(["go", "spec.md"]) == 2
    assert "no model is named" in capsys.readouterr().err
    assert main(["go", "spec.md", "--llm", "replay:x", "--repo", str(tmp_path)]) == 2
    assert "is in no git repository" in capsys.readouterr().err


def test_each_repository_has_a_place_of_its_own(tmp_path: Path) -> None:
    one, other = state_of(tmp_path / "a" / "repo"), state_of(tmp_path / "b" / "repo")
    assert one != other
    assert one == state_of(tmp_path / "a" / "repo")
    assert one.name.startswith("repo-")


def test_go_hands_on_to_the_script(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    (tmp_path / "spec.md").write_text("# Nothing\n\n- It does nothing.\n")
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "PYTHONPATH": str(ROOT),
    }
    words = [
        sys.executable,
        "-P",
        "-m",
        "workorder",
        "go",
        str(tmp_path / "spec.md"),
        "--llm",
        "command:false",
    ]
    done = subprocess.run(
        [*words, "--jobs", "1"],
        cwd=repo,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 3, done.stderr
    assert "planner compile ended with exit code" in done.stderr
    (place,) = (tmp_path / "state" / "workorder").iterdir()
    assert (place / "compile" / "compile_summary.json").exists()
    assert git(repo, "status", "--porcelain") == ""

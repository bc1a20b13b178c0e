"""From a specification to a repository by exit codes alone, a wrong plan included."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.answering_program import manifest, order, write_answers
from tests.support.repositories import git, make_repo

ROOT = Path(__file__).parents[2]
FIRST = order("WO-01", "scripts/verify.sh")
GOOD = order("WO-02", "hello.py", acceptance=("python hello.py",))
GREEN = order("WO-02", "hello.py", acceptance=("python -c pass", "python hello.py"))
NEVER = order("WO-02", "hello.py", acceptance=("grep -q goodbye hello.py", "python hello.py"))
FILES = {"WO-01": {"scripts/verify.sh": "true\n"}, "WO-02": {"hello.py": "print('hello')\n"}}


def spec_to_repo(home: Path, llm: str, *options: str) -> "subprocess.CompletedProcess[str]":
    make_repo(home / "repo", {"README.md": "words\n"})
    return again(home, llm, "It is called hello.\n", *options)


def again(home: Path, llm: str, spec: str, *options: str) -> "subprocess.CompletedProcess[str]":
    (home / "spec.md").write_text(spec)
    return subprocess.run(
        [
            ROOT / "scripts" / "spec-to-repo",
            *("--spec", "spec.md", "--repo", "repo", "--dir", "work", "--llm", llm),
            *("--python", sys.executable, *options),
        ],
        cwd=home,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=100,
    )


@pytest.mark.parametrize("wrong", [GREEN, NEVER], ids=["passes on nothing", "can never pass"])
def test_a_wrong_check_is_revised_and_the_build_goes_on(tmp_path: Path, wrong: dict[str, object]) -> None:
    llm = write_answers(tmp_path / "model", manifest(FIRST, wrong), FILES, manifest(FIRST, GOOD))  # type: ignore[arg-type]

    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("Greet everybody.\n")

    done = spec_to_repo(tmp_path, llm, "--knowledge", "notes")

    assert done.returncode == 0, done.stderr
    # Every stage is told what the user knows.
    prompts = [
        *(tmp_path / "work").rglob("prompt_attempt_*.txt"),
        *(tmp_path / "work").rglob("se_prompt.txt"),
    ]
    assert len(prompts) >= 4
    assert all("Greet everybody." in prompt.read_text() for prompt in prompts)
    landed = git(tmp_path / "repo", "log", "--reverse", "--format=%(trailers:key=Work-Order,valueonly)")
    assert landed.split() == ["WO-01", "WO-02"]
    assert "revision 2: " in (tmp_path / "work" / "plan-2" / "changes.log").read_text()


def test_a_changed_specification_is_built_too(tmp_path: Path) -> None:
    more = order("WO-03", "bye.py", acceptance=("python bye.py",))
    later = {**manifest(FIRST, GOOD, {**more, "requirements": ["REQ-02"]})}
    later["requirements"] = [
        *later["requirements"],  # type: ignore[misc]
        {"id": "REQ-02", "text": "It ends.", "quotes": ["It must say goodbye."]},
    ]
    files = {**FILES, "WO-03": {"bye.py": "print('goodbye')\n"}}
    llm = write_answers(tmp_path / "model", manifest(FIRST, GOOD), files, later)
    assert spec_to_repo(tmp_path, llm).returncode == 0

    # Words that ask for nothing need no other plan.
    reworded = again(tmp_path, llm, "Nice to have you here.\n\nIt is called hello.\n")
    changed = again(tmp_path, llm, "It is called hello. It must say goodbye.\n", "--rounds", "0")

    assert reworded.returncode == changed.returncode == 0, changed.stderr
    assert "planner revise" not in reworded.stderr
    assert (tmp_path / "repo" / "bye.py").exists()
    assert "revision 2: " in (tmp_path / "work" / "plan-2" / "changes.log").read_text()


def test_the_rounds_are_limited(tmp_path: Path) -> None:
    other = order("WO-02", "hello.py", acceptance=("grep -q tomorrow hello.py", "python hello.py"))
    llm = write_answers(tmp_path / "model", manifest(FIRST, NEVER), FILES, manifest(FIRST, other))

    done = spec_to_repo(tmp_path, llm, "--rounds", "1")

    assert done.returncode == 1
    assert "factory build, after 1 revisions ended with exit code 1" in done.stderr


def test_a_limit_on_spending_ends_it(tmp_path: Path) -> None:
    llm = write_answers(tmp_path / "model", manifest(FIRST, GOOD), FILES)

    done = spec_to_repo(tmp_path, llm, "--max-tokens", "1000")

    assert done.returncode == 1
    assert "planner compile ended with exit code 1" in done.stderr


@pytest.mark.parametrize("missing", ["--spec", "--repo", "--dir", "--llm"])
def test_what_is_missing_is_named(tmp_path: Path, missing: str) -> None:
    options = {"--spec": "s", "--repo": "r", "--dir": "d", "--llm": "l"}
    del options[missing]
    words = [word for option in options.items() for word in option]

    done = subprocess.run([ROOT / "scripts" / "spec-to-repo", *words], capture_output=True, text=True)

    assert done.returncode == 2
    assert f"{missing} is missing" in done.stderr


def test_an_interpreter_without_the_package_is_refused(tmp_path: Path) -> None:
    words = ["--spec", "s", "--repo", "r", "--dir", "d", "--llm", "l", "--python", "false"]

    done = subprocess.run(
        [ROOT / "scripts" / "spec-to-repo", *words], cwd=tmp_path, capture_output=True, text=True
    )

    assert done.returncode == 2
    assert "error: false has no package planner; install it with pip" in done.stderr

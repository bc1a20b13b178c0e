"""From a specification to a repository by exit codes alone, a wrong plan included."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

from factory.contract.strict_json import JsonObject
from tests.support import starts
from tests.support.answering_program import manifest, order, write_answers
from tests.support.repositories import git, make_repo

ROOT = Path(__file__).parents[2]
FIRST = order("WO-01", "scripts/verify.sh")
GOOD = order("WO-02", "hello.sh", acceptance=("sh hello.sh",))
GREEN = order("WO-02", "hello.sh", acceptance=("python -c pass",))
NEVER = order("WO-02", "hello.sh", acceptance=("grep -q goodbye hello.sh", "sh hello.sh"))
FILES = {"WO-01": {"scripts/verify.sh": "true\n"}, "WO-02": {"hello.sh": "echo hello\n"}}


def spec_to_repo(
    home: Path, llm: str, *options: str, spec: str = "It is called hello.\n"
) -> "subprocess.CompletedProcess[str]":
    if not (home / "repo").exists():
        make_repo(home / "repo", {"README.md": "words\n"})
    (home / "spec.md").write_text(spec)
    python = home / "interpreter"
    descriptor = starts.forking_interpreter(python)
    return subprocess.run(
        [
            ROOT / "scripts" / "spec-to-repo",
            *("--spec", "spec.md", "--repo", "repo", "--dir", "work", "--llm", llm),
            *("--python", str(python), *options),
        ],
        cwd=home,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        pass_fds=[descriptor],
        capture_output=True,
        text=True,
        timeout=100,
    )


def test_a_check_that_can_never_pass_is_revised_and_the_build_goes_on(tmp_path: Path) -> None:
    llm = write_answers(tmp_path / "model", manifest(FIRST, NEVER), FILES, manifest(FIRST, GOOD))

    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.md").write_text("Greet everybody.\n")

    notify = "sh -c 'echo \"$1|$WORKORDER_ENDED_EXIT_CODE\" >told' sh"
    done = spec_to_repo(tmp_path, llm, "--knowledge", "notes", "--notify", notify)

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "told").read_text() == "workorder go: all has landed|0\n"
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


def test_a_check_that_passes_on_nothing_is_revised_as_often_as_is_allowed(tmp_path: Path) -> None:
    other = order("WO-02", "hello.sh", acceptance=("grep -q tomorrow hello.sh", "sh hello.sh"))
    llm = write_answers(tmp_path / "model", manifest(FIRST, GREEN), FILES, manifest(FIRST, other))

    done = spec_to_repo(tmp_path, llm, "--rounds", "1")

    assert done.returncode == 1
    assert "revision 2: " in (tmp_path / "work" / "plan-2" / "changes.log").read_text()
    assert "factory build, after 1 revisions ended with exit code 1" in done.stderr


def test_a_changed_specification_is_planned_before_it_is_built(tmp_path: Path) -> None:
    work = tmp_path / "work"
    changed = "It is called hello.\nIt must say goodbye.\n"
    files = {**FILES, "WO-03": {"goodbye.sh": "echo goodbye\n"}}

    def amended(*acceptance: str) -> JsonObject:
        added = {**order("WO-03", "goodbye.sh", acceptance=acceptance), "requirements": ["REQ-02"]}
        plan = manifest(FIRST, GOOD, added)
        goodbye = {"id": "REQ-02", "text": "It says goodbye.", "quotes": ["It must say goodbye."]}
        return {**plan, "requirements": [*plan["requirements"], goodbye]}  # type: ignore[misc]

    # Given a plan that was built, and a revision of it that was cut off, for a specification of its own
    done = spec_to_repo(tmp_path, write_answers(tmp_path / "first", manifest(FIRST, GOOD), FILES))
    assert done.returncode == 0, done.stderr
    (work / "plan-2").mkdir()
    (work / "plan-2" / "WO-01.json").write_text("{}")
    (work / "spec-2.json").write_text("{}")

    # When the specification asks for more, then there is a plan for it, which is no round of repair
    wrong = amended("grep -q hello goodbye.sh", "sh goodbye.sh")
    llm = write_answers(tmp_path / "second", manifest(), files, wrong)
    done = spec_to_repo(tmp_path, llm, "--rounds", "0", spec=changed)
    assert done.returncode == 1
    assert "factory build, after 0 revisions ended" in done.stderr
    assert (work / "plan-2" / "changes.log").read_text().endswith("; added WO-03\n")
    assert sorted(path.name for path in work.glob("spec-*")) == ["spec-1", "spec-2", "spec-now"]

    # When only its white space changes, then that plan is gone on with, and what is wrong in it repaired
    llm = write_answers(tmp_path / "third", manifest(), files, amended("sh goodbye.sh"))
    done = spec_to_repo(tmp_path, llm, "--rounds", "1", spec=changed.replace(" ", "  ").replace("\n", "\r\n"))
    assert done.returncode == 0, done.stderr
    assert "nothing is touched" in done.stdout
    changes = (work / "plan-3" / "changes.log").read_text().splitlines()
    assert [line.partition(" failed at ")[0] for line in changes[1:]] == ["revision 3: WO-03"]
    landed = git(tmp_path / "repo", "log", "--reverse", "--format=%(trailers:key=Work-Order,valueonly)")
    assert landed.split() == ["WO-01", "WO-02", "WO-03"]
    assert (work / "spec-2").read_text() == changed


def test_a_limit_on_spending_ends_it(tmp_path: Path) -> None:
    llm = write_answers(tmp_path / "model", manifest(FIRST, GOOD), FILES)

    done = spec_to_repo(tmp_path, llm, "--max-tokens", "1000", "--notify", "sh -c 'exit 9'")

    assert done.returncode == 1
    assert done.stderr.endswith("the notifier failed, which changes nothing: sh ended with exit code 9\n")
    assert "planner compile ended with exit code 1" in done.stderr


def test_the_build_is_confined_as_is_asked(tmp_path: Path) -> None:
    llm = write_answers(tmp_path / "model", manifest(FIRST, GOOD), FILES)

    done = spec_to_repo(tmp_path, llm, "--sandbox", "strongest")

    assert done.returncode == 2
    assert "factory build ended with exit code 2" in done.stderr
    assert "argument --sandbox: invalid choice: 'strongest'" in done.stderr


def test_a_build_that_leaves_no_record_ends_with_its_exit_code(tmp_path: Path) -> None:
    llm = write_answers(tmp_path / "model", manifest(FIRST, GOOD), FILES)
    python = tmp_path / "python"
    python.write_text(
        f'#!/bin/sh\ncase "$*" in *"factory build"*) exit 1 ;; esac\nexec {sys.executable} "$@"\n'
    )
    python.chmod(0o755)

    done = spec_to_repo(tmp_path, llm, "--python", str(python))

    assert done.returncode == 1
    assert (
        "factory build; the plan is not to blame as far as can be told ended with exit code 1" in done.stderr
    )
    assert "Traceback" not in done.stderr


def test_one_call_at_a_time_works_in_a_directory(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    llm = write_answers(tmp_path / "model", manifest(FIRST, GOOD), FILES)
    with (tmp_path / "work" / "lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        refused = spec_to_repo(tmp_path, llm)

    assert refused.returncode == 2
    assert refused.stderr.startswith("error: another call is at work in work\n  hint: wait until")
    assert sorted(path.name for path in (tmp_path / "work").iterdir()) == ["lock"]
    assert spec_to_repo(tmp_path, llm).returncode == 0


@pytest.mark.parametrize("missing", ["--spec", "--repo", "--dir", "--llm"])
def test_what_is_missing_is_named(tmp_path: Path, missing: str) -> None:
    options = {"--spec": "s", "--repo": "r", "--dir": "d", "--llm": "l"}
    del options[missing]
    words = [word for option in options.items() for word in option]

    done = subprocess.run([ROOT / "scripts" / "spec-to-repo", *words], capture_output=True, text=True)

    assert done.returncode == 2
    assert f"{missing} is missing" in done.stderr


def test_a_specification_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    words = ["--spec", "nowhere.md", "--repo", ".", "--dir", "d", "--llm", "l"]

    done = subprocess.run(
        [ROOT / "scripts" / "spec-to-repo", *words], cwd=tmp_path, capture_output=True, text=True
    )

    assert done.returncode == 2
    assert "the specification nowhere.md can't be read" in done.stderr
    assert list(tmp_path.iterdir()) == []

"""A changed specification, from the plan that was built to the commit that is new, as a user runs it."""

import sys
from pathlib import Path

from factory.contract.strict_json import JsonObject
from tests.support import starts
from tests.support.answering_program import manifest, order, write_answers
from tests.support.repositories import git, make_repo

ORDERS = (order("WO-01", "scripts/verify.sh"), order("WO-02", "hello.py", acceptance=("python hello.py",)))
FILES = {
    "WO-01": {"scripts/verify.sh": "true\n"},
    "WO-02": {"hello.py": "print('hello')\n"},
    "WO-03": {"goodbye.py": "print('goodbye')\n"},
}


def asking_for(quote: str, *orders: JsonObject) -> JsonObject:
    plan = manifest(*orders)
    plan["requirements"] = [{"id": "REQ-01", "text": "It speaks.", "quotes": [quote]}]
    return plan


def run(home: Path, *words: str) -> str:
    done = starts.run([sys.executable, "-m", *words], cwd=home, timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_only_what_is_new_is_built(tmp_path: Path) -> None:
    make_repo(tmp_path / "repo", {"README.md": "words\n"})
    (tmp_path / "old.md").write_text("It must say hello.\n")
    (tmp_path / "new.md").write_text("It must say hello and goodbye.\n")
    first = write_answers(tmp_path / "first", asking_for("It must say hello.", *ORDERS), FILES)
    added = order("WO-03", "goodbye.py", acceptance=("python goodbye.py",))
    amended = asking_for("It must say hello and goodbye.", *ORDERS, added)
    second = write_answers(tmp_path / "second", amended, FILES)
    build = ["factory", "build", "--repo", "repo"]

    run(
        tmp_path, "planner", "compile", "--spec", "old.md", "--repo", "repo", "--outdir", "p1", "--llm", first
    )
    run(tmp_path, *build, "--plan", "p1", "--out", "out1", "--llm", first)
    touched = run(tmp_path, "planner", "impact", "--plan", "p1", "--spec", "new.md", "--repo", "repo")
    assert "REQ-01  dirty, taken by WO-01, WO-02\n  vanished  `It must say hello.`\n" in touched
    assert "WO-02  dirty, landed" in touched
    revise = ["planner", "revise", "--plan", "p1", "--spec", "new.md", "--repo", "repo"]
    run(tmp_path, *revise, "--outdir", "p2", "--llm", second)
    assert (tmp_path / "p2" / "changes.log").read_text().endswith("; added WO-03\n")

    built = run(tmp_path, *build, "--plan", "p2", "--out", "out2", "--llm", second)
    assert "3 of 3 work orders have landed" in built
    subjects = git(tmp_path / "repo", "log", "--format=%s", "--reverse").splitlines()
    assert [subject.split(":")[0] for subject in subjects] == ["first", "WO-01", "WO-02", "WO-03"]

"""From a specification to two commits of which a model wrote one: the first is the plan's own."""

import json
import re
import sys
from pathlib import Path

from factory.contract.strict_json import JsonObject
from tests.support import starts
from tests.support.answering_program import manifest, order, write_answers
from tests.support.repositories import git, make_repo

ROOT = Path(__file__).parents[2]


def called(*words: str | Path) -> str:
    done = starts.run([sys.executable, "-m", *words], cwd=ROOT, timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stderr


def refused(code: int, *words: str | Path) -> None:
    done = starts.run([sys.executable, "-m", *words], cwd=ROOT, timeout=100)
    assert done.returncode == code, done.stderr
    assert "is not the specification that the plan was made for" in done.stderr


def test_the_bootstrap_lands_without_a_model(tmp_path: Path) -> None:
    # given a model that has no answer for the first work order
    repo = make_repo(tmp_path / "repo", {"README.md": "words\n"})
    (tmp_path / "spec.md").write_text("It is called hello.\n")
    named: JsonObject = {"same_as": "WO-01"}
    second = order("WO-02", "hello.py", acceptance=("python hello.py",))
    llm = write_answers(
        tmp_path / "model", manifest(named, second), {"WO-02": {"hello.py": "print('hello')\n"}}
    )
    plan, out = tmp_path / "plan", tmp_path / "out"
    # when
    called(
        *("planner", "compile", "--spec", tmp_path / "spec.md", "--repo", repo, "--outdir", plan),
        *("--llm", llm),
    )
    called("planner", "sync", plan, "--repo", repo)
    built = ("--repo", repo, "--plan", plan, "--out", out, "--llm", llm, "--jobs", "2")
    log = called("factory", "build", *built)
    # then
    assert "WO-01: attempt 1, writing what the plan gives\n" in log
    assert "WO-02: attempt 1, generating\n" in log
    assert "; 1 attempt, 0 failed\n" in log
    assert git(repo, "log", "--format=%s %(trailers:key=Generated-By,valueonly,separator=)") == (
        f"WO-02: Write hello.py command:{Path(sys.executable).name}\n"
        "WO-01: Bootstrap verification plan\n"
        "first "
    )
    assert git(repo, "ls-files").splitlines() == [".gitignore", "README.md", "hello.py", "scripts/verify.sh"]
    first = next(path for path in out.glob("*/run_summary.json") if "WO-01" in path.read_text())
    summary = json.loads(first.read_text())
    assert (summary["outcome"], summary["model_answers"]) == ("landed", 0)
    # and the engineer saw what the specification says
    prompt = next(path.read_text() for path in out.glob("*/attempt_1/se_prompt.txt"))
    assert re.search(
        r'<specification id="(\w+)">\nIt is called \[REQ-01\] hello\.\n</specification id="\1">', prompt
    )
    shown = next(json.loads(path.read_text()) for path in out.glob("*/attempt_1/passages.json"))
    assert shown["lines"] == {"REQ-01": [[1, 1]]}
    # and not another one that somebody put in its place
    copy = plan / "WORK_ORDERS_SPEC.txt"
    copy.write_text("It is called goodbye.\n")
    refused(2, "factory", "build", "--repo", repo, "--plan", plan, "--out", out, "--llm", llm)
    refused(
        2, "factory", "run", "--work-order", plan / "WO-02.json", "--repo", repo, "--out", out, "--llm", llm
    )
    copy.write_text("It is called hello.\n")
    # and a part of the plan that has landed is still the same plan
    called("planner", "check", plan, "--repo", repo, "--strict")
    called("planner", "impact", "--plan", plan, "--spec", tmp_path / "spec.md", "--repo", repo)

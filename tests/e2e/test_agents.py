"""`factory run --engineer` as a user meets it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import starts
from tests.support.repositories import VERIFY_PASSES, git, make_repo, write_work_order
from tests.support.runs import read_object

ROOT = Path(__file__).parents[2]
KEY = "sk-of-the-agent-0123456789"
# Does nothing at first; on the retry, which its prompt tells it of, it works.
AGENT = """
import json, os, pathlib, sys
prompt = sys.stdin.read()
assert prompt == pathlib.Path(os.environ["WORKORDER_PROMPT"]).read_text()
assert os.environ["MY_KEY"]
if "ended without a change of an allowed file" in prompt:
    pathlib.Path("src").mkdir()
    pathlib.Path("src/app.py").write_text("APP = 1\\n")
print("my key is", os.environ["MY_KEY"])
usage = {"input_tokens": 9, "output_tokens": 3}
print(json.dumps({"result": "Wrote it.", "total_cost_usd": 0.5, "usage": usage}))
"""


def factory(*options: object) -> "subprocess.CompletedProcess[str]":
    words = [sys.executable, "-m", "factory", "run", *map(str, options)]
    return starts.run(words, cwd=ROOT, env={**os.environ, "MY_KEY": KEY}, timeout=100)


def test_an_agent_is_told_why_it_failed_lands_and_is_not_paid_twice(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo", VERIFY_PASSES)
    order = write_work_order(tmp_path / "WO-01.json", acceptance_commands=["test -f src/app.py"])
    program = tmp_path / "agent.py"
    program.write_text(AGENT)
    options = (
        *("--repo", repo, "--work-order", order, "--ledger", tmp_path / "ledger", "--max-cost-usd", "2"),
        *("--engineer", f"agent:{sys.base_prefix}/bin/python3 {program}", "--engineer-file", program),
        *("--engineer-env", "MY_KEY", "--llm", "replay:nobody-reads-this"),
    )
    base = git(repo, "rev-parse", "HEAD").strip()

    first = factory(*options, "--out", tmp_path / "first")
    message = git(repo, "log", "-1", "--format=%B")
    git(repo, "reset", "--quiet", "--hard", base)
    program.write_text("raise SystemExit(1)\n")
    second = factory(*options, "--out", tmp_path / "second")

    assert first.returncode == 0, first.stderr
    assert "no model is asked" not in first.stderr
    assert "Wrote it." in message
    assert "Generated-By: agent:python3" in message
    (run,) = (tmp_path / "first").glob("*/run_summary.json")
    summary = read_object(run)
    assert (summary["model_answers"], summary["cost_usd"]) == (2, 1.0)
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "agent.py"]
    assert [path for path in kept if KEY.encode() in path.read_bytes()] == []
    assert second.returncode == 0, second.stderr
    (again,) = (tmp_path / "second").glob("*/run_summary.json")
    assert read_object(again)["commit"] is not None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--engineer", "agent:"), "names no agent"),
        (("--engineer", "claude"), "names no agent"),
        (("--engineer", "agent:no-such-agent"), "there is no program `no-such-agent`"),
        (("--engineer", f"agent:echo {KEY}"), "holds the value of a secret environment variable"),
        (("--engineer", "agent:true", "--engineer-env", "NOT_SET"), "is not set"),
        (("--engineer", "agent:true", "--engineer-env", "PATH"), "steers the tool"),
        (("--engineer", "agent:true", "--engineer-file", "/no/such"), "is no file"),
        (("--engineer", "agent:true", "--in-place"), "a checkout of its own"),
        (("--engineer", "agent:true", "--oracle-check", "auto"), "no second opinion"),
        (("--engineer", "agent:true", "--escalate", "gpt-5.2"), "has the place of all models"),
        (("--engineer", "agent:true", "--fallback"), "no model to fall back to"),
        (
            ("--engineer", "agent:true", "--price", "1,2", "--price-of", "gpt-5.2=1,2"),
            "an agent's answers cost what --price says",
        ),
        (("--net", "allow:example.com"), "is for an agent alone"),
        (("--engineer", "agent:true", "--net", "allow:*"), "names no host"),
        (
            (
                "--engineer",
                "agent:true",
                "--net",
                "allow:a.example",
                *("--sandbox", "none", "--allow-unsandboxed"),
            ),
            "can't keep an agent to some hosts",
        ),
    ],
)
def test_what_can_not_be_is_refused_before_anything_is_paid(
    tmp_path: Path,
    options: tuple[str, ...],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from factory.cli import main

    monkeypatch.setenv("MY_KEY", KEY)
    repo = make_repo(tmp_path / "repo", VERIFY_PASSES)
    order = write_work_order(tmp_path / "WO-01.json")
    arguments = [
        "run",
        "--repo",
        str(repo),
        "--work-order",
        str(order),
        "--out",
        str(tmp_path / "out"),
        *options,
    ]
    try:
        code = main(arguments)
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else -1
    printed = capsys.readouterr().err

    assert code == 2
    assert said in printed
    assert KEY not in printed

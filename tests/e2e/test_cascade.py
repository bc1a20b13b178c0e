"""A cheap model first, a strong one after a defect, as a user runs it: landing, account, replay."""

import json
import re
from pathlib import Path

import pytest

from factory.attempt.exit_codes import ExitCode
from factory.cli import main
from factory.contract.canonical import EMPTY_SHA256
from tests.support.anthropic_stand_in import message_events
from tests.support.builds import write_plan, writes
from tests.support.openai_stand_in import OpenAiStandIn, chat_stream
from tests.support.repositories import git, make_repo

_PROGRAM = """
import json, re, sys
prompt = sys.stdin.read()
path = re.search(r'"allowed_files": \\[\\s*"([^"]+)"', prompt)[1]
content = {text!r} if path in {wrong!r} else "right\\n"
write = {{"path": path, "base_sha256": "{empty}", "content": content}}
print(json.dumps({{"summary": "Done.", "writes": [write]}}))
"""


@pytest.mark.slow
def test_a_cheap_model_goes_first_and_the_account_is_by_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def program(name: str, wrong: tuple[str, ...]) -> str:
        path = tmp_path / name / "model.py"
        path.parent.mkdir()
        path.write_text(_PROGRAM.format(text="wrong\n", wrong=wrong, empty=EMPTY_SHA256))
        return f"command:python {path}"

    # The cheap one fails at b.txt, and is not asked for c.txt, which is hard.
    cheap, strong = program("cheap", ("b.txt", "c.txt")), program("strong", ())
    orders = [
        {**writes(f"{name}.txt"), "acceptance_commands": [f"grep -q right {name}.txt"]} for name in "abc"
    ]
    orders[2]["difficulty"] = "hard"
    plan = write_plan(tmp_path / "plan", orders)
    repo = make_repo(tmp_path / "repo")
    start = git(repo, "rev-parse", "HEAD").strip()

    def build(out: str, *models: str) -> int:
        arguments = ["--repo", repo, "--plan", plan, "--out", tmp_path / out, "--mutants", "0"]
        return main(["build", *map(str, arguments), *models])

    prices = ("--price-of", f"{cheap}=1,2", "--price-of", f"{strong}=10,20", "--max-cost-usd", "9")
    assert build("out", "--llm", cheap, "--escalate", strong, *prices) == ExitCode.PASS
    first = git(repo, "log", "--format=%H %T", f"{start}..").splitlines()
    capsys.readouterr()
    assert main(["status", "--out", str(tmp_path / "out"), "--json"]) == ExitCode.PASS
    document = json.loads(capsys.readouterr().out)

    shares = {share["model"]: share for share in document["by_model"]}
    one, other = shares[cheap], shares[strong]
    assert (one["landed"], one["failed"], other["landed"], other["failed"]) == (1, 1, 2, 0)
    assert one["wasted"]["input_tokens"] > 0
    assert "input_tokens" not in other["wasted"] or other["wasted"]["input_tokens"] == 0
    cost = one["spent"]["cost_usd"] + other["spent"]["cost_usd"]
    assert document["spent"]["cost_usd"] == pytest.approx(cost)
    report, summary = tmp_path / "report.json", tmp_path / "report.md"
    assert (
        main(["report", "--out", str(tmp_path / "out"), "--json", str(report), "--markdown", str(summary)])
        == ExitCode.PASS
    )
    assert json.loads(report.read_text())["by_model"] == document["by_model"]
    assert re.findall(r"^by .*: (\d landed, \d attempts? failed)", summary.read_text(), re.MULTILINE) == [
        "1 landed, 1 attempt failed",
        "2 landed, 0 attempts failed",
    ]
    assert main(["status", "--out", str(tmp_path / "out")]) == ExitCode.PASS
    assert "1 landed, 1 attempt failed" in capsys.readouterr().out

    # What both answered is one recording, and gives the same trees again.
    git(repo, "reset", "-q", "--hard", start)
    assert build("again", "--llm", f"replay:{tmp_path / 'out' / 'ledger'}") == ExitCode.PASS
    again = git(repo, "log", "--format=%H %T", f"{start}..").splitlines()
    assert [line.split()[1] for line in again] == [line.split()[1] for line in first]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--fallback"], "there is no model to fall back to"),
        (["--escalate", "gpt-5.2"], "names a model twice"),
        (["--escalate", "replay:x"], "a recording answers for every model"),
        (["--price-of", "gpt-4=1,2"], "no such model is asked"),
        (["--escalate", "marvin"], "no such model"),
    ],
)
def test_options_that_say_nothing_are_refused(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    said: str,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789")
    repo = make_repo(tmp_path / "repo")
    plan = write_plan(tmp_path / "plan", [writes("a.txt")])
    arguments = ["--repo", repo, "--plan", plan, "--out", tmp_path / "out", "--llm", "gpt-5.2"]

    assert main(["build", *map(str, arguments), *options]) == ExitCode.REFUSED
    assert said in capsys.readouterr().err


def test_a_weak_local_server_first_and_anthropic_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("anthropic", reason="the extra workorder[anthropic] is not installed")
    key = "sk-ant-4711-very-secret-0815"
    write = {"path": "a.txt", "base_sha256": EMPTY_SHA256, "content": "right\\d\n"}
    # Prose around it, a line break and a wrong escape in a string: understood, but not what is asked for.
    weak = "Sure!\n" + json.dumps({"summary": "s", "writes": [write]}).replace("\\n", "\n").replace(
        "\\\\", "\\"
    )
    strong = json.dumps({"summary": "s", "writes": [{**write, "content": "right\n"}]})
    repo = make_repo(tmp_path / "repo")
    orders = [{**writes("a.txt"), "acceptance_commands": ["grep -qx right a.txt"]}]
    plan = write_plan(tmp_path / "plan", orders)
    arguments = ["--repo", repo, "--plan", plan, "--out", tmp_path / "out", "--mutants", "0"]

    with OpenAiStandIn(chat_stream(weak)) as local, OpenAiStandIn(message_events(strong)) as hosted:
        monkeypatch.setenv("OLLAMA_BASE_URL", local.base_url)
        monkeypatch.setenv("ANTHROPIC_BASE_URL", hosted.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", key)
        models = ["--llm", "ollama:tiny:1b", "--escalate", "anthropic:claude-opus-4-5"]
        code = main(["build", *map(str, arguments), *models])

    assert (code, local.count("POST"), hosted.count("POST")) == (ExitCode.PASS, 1, 1)
    assert "Generated-By: anthropic:claude-opus-4-5" in git(repo, "log", "-1", "--format=%B")
    # The brief of the weak one's attempt: its content was read, and failed.
    assert r"right\\d" in json.dumps(hosted.seen[0].body["messages"])
    capsys.readouterr()
    assert main(["status", "--out", str(tmp_path / "out")]) == ExitCode.PASS
    told = capsys.readouterr().out
    assert "ollama:tiny:1b: 0 landed, 1 attempt failed" in told
    # 77 tokens in, of them 20 cached and 7 written to the cache, and 30 out, at list prices.
    assert (
        "anthropic:claude-opus-4-5: 1 landed, 0 attempts failed, 77 tokens in (20 cached), 30 out, $0.0011"
        in told
    )
    left = (path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert not any(key.encode() in data for data in left)

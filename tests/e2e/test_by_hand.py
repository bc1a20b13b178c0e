"""What a person does about work orders that failed, as they do it: tried again, mended by hand, built on."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from factory.cli import main
from factory.runs.record.call import CALL
from tests.support.builds import write_plan, writes
from tests.support.repositories import git, make_repo, write_files
from workorder.cli import main as workorder

_PROGRAM = """
import json, re, sys
order = re.search(r'"id": "(WO-[0-9]+)"', sys.stdin.read())[1]
path = {"WO-01": "a.txt", "WO-02": "b.txt"}[order]
print(json.dumps({"summary": sys.argv[1], "writes": [
    {"path": path, "base_sha256": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
     "content": sys.argv[1]}]}))
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with a space in its name, the current one, with a repository, a plan and a model."""
    folder = tmp_path / "a place"
    make_repo(folder / "the repo")
    good = {"acceptance_commands": ["grep -q good a.txt"]}
    after = {"acceptance_commands": ["grep -q good b.txt"], "depends_on": ["WO-01"]}
    write_plan(folder / "the plan", [writes("a.txt", **good), writes("b.txt", **after)])
    (folder / "model.py").write_text(_PROGRAM)
    monkeypatch.chdir(folder)
    return folder


def model(says: str) -> str:
    return f"command:{shlex.join([sys.executable, 'model.py', says])}"


def status_of(out: Path, capsys: pytest.CaptureFixture[str]) -> str:
    capsys.readouterr()
    assert main(["status", "--out", str(out)]) == 0
    return capsys.readouterr().out


def test_tried_again_mended_by_hand_and_built_on(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    repo, out = place / "the repo", place / "the out"
    words = ["build", "--repo", "the repo", "--plan", "the plan", "--out", "the out", "--llm", model("bad")]
    words += ["--sandbox", "none", "--allow-unsandboxed", "--no-second-pass", "--mutants", "0"]
    words += ["--max-attempts", "1"]
    assert main(words) == 1
    named = f"WO-01 --out {shlex.quote('the out')}"
    said = capsys.readouterr().err
    assert f"by the model: factory retry {named} [--llm OTHER]" in said
    assert f"by hand: factory open {named}, then factory adopt {named}" in said

    # From elsewhere: the call is carried out where it was.
    monkeypatch.chdir(tmp_path)
    run = CALL.read(out)
    assert run is not None
    assert (run.folder, run.words) == (str(place), tuple(words))
    assert main(["retry", "WO-01", "--out", str(out), "--llm", "nobody:x"]) == 2
    assert not (out / "hints.json").exists()
    monkeypatch.chdir(tmp_path)
    assert main(["retry", "WO-01", "--out", str(out), "--llm", model("good")]) == 1
    assert "WO-01: landed" in capsys.readouterr().err
    # Whom a person always asks is no other model than the build's.
    monkeypatch.setenv("WORKORDER_LLM", model("good"))
    monkeypatch.chdir(tmp_path)
    assert workorder(["retry", "WO-02", "--out", str(out)]) == 1
    assert "llm" not in json.loads((out / "hints.json").read_bytes())["hints"][-1]

    monkeypatch.chdir(tmp_path)
    assert main(["skip", "WO-02", "--out", str(out), "--reason", "later"]) == 0
    kept = (out / "hints.json").read_bytes()
    assert main(["retry", "WO-02", "--out", str(out)]) == 2
    assert f"after all: factory skip WO-02 --undo --out {shlex.quote(str(out))}" in capsys.readouterr().err
    assert (out / "hints.json").read_bytes() == kept
    assert "is left out since; the next build takes that up" in status_of(out, capsys)
    assert main(["skip", "WO-02", "--out", str(out), "--undo"]) == 0
    assert "since" not in status_of(out, capsys)

    monkeypatch.chdir(tmp_path)
    assert main(["open", "WO-02", "--out", str(out), "--at", "my place"]) == 0
    mine = tmp_path / "my place"
    assert (mine / "b.txt").read_text() == "bad"
    write_files(mine, {"b.txt": "good\n", "c.txt": "more\n"})
    monkeypatch.chdir(tmp_path)
    assert main(["adopt", "WO-02", "--out", str(out)]) == 2
    assert "--allow c.txt" in capsys.readouterr().err
    monkeypatch.chdir(tmp_path)
    assert main(["adopt", "WO-02", "--out", str(out), "--allow", "c.txt"]) == 0
    told = capsys.readouterr()
    assert "WO-02 landed on main" in told.out
    assert f"to go on: cd {shlex.quote(str(place))} && factory build --repo 'the repo'" in told.err
    assert git(repo, "log", "-1", "--format=%(trailers:key=Author-Kind,valueonly,separator=)") == "person"
    adopted = git(repo, "rev-parse", "HEAD")[:12]
    assert f"has landed as {adopted} since; the next build takes that up" in status_of(out, capsys)

    monkeypatch.chdir(place)
    assert main(words) == 0
    assert "2 of 2 work orders have landed" in capsys.readouterr().out


def test_without_a_build_there_is_nothing_to_do_by_hand(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in ("open", "adopt", "retry", "hint", "skip"):
        words = {"hint": ["text"], "skip": ["--reason", "r"], "adopt": ["--from", "main"]}.get(command, [])
        assert main([command, "WO-01", *words, "--out", str(place)]) == 2
        assert main([command, "0123", *words]) == 2
    said = capsys.readouterr().err
    assert "does not tell how WO-01 was built or run" in said
    assert "needs --out" in said

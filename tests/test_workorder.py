"""The command `workorder`: a project begun, both stages behind one name, a specification carried out."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.answering_program import manifest as answered
from tests.support.answering_program import order, write_answers
from tests.support.plans import exists, makes, manifest
from tests.support.repositories import git, make_repo
from workorder.cli import main
from workorder.places import plans, state_of

ROOT = Path(__file__).resolve().parent.parent


def test_init_begins_a_project_and_writes_over_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", str(tmp_path / "new"), "--ci", "github"]) == 0
    new = tmp_path / "new"
    assert sorted(str(path.relative_to(new)) for path in new.rglob("*") if path.is_file()) == [
        ".github/actions/workorder/action.yml",
        ".github/actions/workorder/execute/action.yml",
        ".github/actions/workorder/prepare/action.yml",
        ".github/actions/workorder/report/action.yml",
        ".github/workflows/workorder-build.yml",
        ".github/workflows/workorder.yml",
        "spec.md",
        "workorder.toml",
    ]
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "workorder.toml").write_text("")
    assert main(["init", str(tmp_path / "old")]) == 2
    assert not (tmp_path / "old" / "spec.md").exists()
    assert "is there already" in capsys.readouterr().err


def test_init_adds_the_job_to_a_project_that_was_begun_before(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", str(tmp_path)]) == 0
    (tmp_path / "spec.md").write_text("mine")
    assert main(["init", str(tmp_path), "--ci", "gitlab"]) == 0
    assert (tmp_path / ".gitlab-ci.yml").exists()
    assert (tmp_path / "spec.md").read_text() == "mine"
    assert f"kept as it is: {tmp_path / 'spec.md'}" in capsys.readouterr().err
    (tmp_path / ".gitlab-ci.yml").write_text("mine")
    assert main(["init", str(tmp_path), "--ci", "gitlab"]) == 2
    assert (tmp_path / ".gitlab-ci.yml").read_text() == "mine"


@pytest.mark.parametrize("job", [("--ci", "gitlab", "--steps", "7"), ("--ci", "github", "--steps", "451")])
def test_init_refuses_steps_that_no_job_can_have(
    job: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", str(tmp_path / "new"), *job]) == 2
    assert not (tmp_path / "new").exists()
    assert "450 at most" in capsys.readouterr().err


def test_what_init_writes_is_a_configuration(tmp_path: Path) -> None:
    from factory.configuration.document import Configuration, ConfiguredPlanner, read_configuration

    assert main(["init", str(tmp_path)]) == 0
    text = (tmp_path / "workorder.toml").read_text()
    assert read_configuration(text.encode(), None) == Configuration(planner=ConfiguredPlanner(review=True))
    # Without the signs in front, it is one that says more.
    said = "\n".join(line.removeprefix("# ") for line in text.splitlines()[1:])
    tables = said[said.index("[planner]") :]
    assert read_configuration(tables.replace("limits =", "#").encode(), None).planner.grain == "medium"


def test_the_commands_of_both_stages_have_their_names_here(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "explain", "E101"]) == 0
    assert "E101" in capsys.readouterr().out
    assert main(["status", "--out", "/nowhere/at/all"]) != 0
    assert "/nowhere/at/all" in capsys.readouterr().err
    assert main(["often"]) == 2
    capsys.readouterr()
    # Of `planner`, wrong usage.
    assert main(["plan"]) == 1
    assert "required: COMMAND" in capsys.readouterr().err


def test_go_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("WORKORDER_LLM", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    assert main(["go", "spec.md"]) == 2
    assert "no model is named" in capsys.readouterr().err
    assert main(["go", "spec.md", "--llm", "replay:x", "--repo", str(tmp_path)]) == 2
    assert "is in no git repository" in capsys.readouterr().err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_completes_the_options_of_both_stages(
    shell: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["completion", shell]) == 0
    script = tmp_path / "script"
    script.write_text(capsys.readouterr().out)
    # fish has options without their dashes.
    words = set(re.findall(r"[a-z-]+", script.read_text()))
    assert all({option, f"--{option}"} & words for option in ("keep-going", "outdir", "rounds"))
    if shutil.which(shell):
        assert subprocess.run([shell, "-n", str(script)], check=False).returncode == 0


def test_a_file_that_can_t_be_used_keeps_nobody_from_what_needs_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repo = make_repo(tmp_path / "repo", {"workorder.toml": "[defaults]\nllm = 'command:x'\n"})
    monkeypatch.chdir(repo)
    assert main(["completion", "bash"]) == 0
    assert main(["config"]) == 2
    assert capsys.readouterr().err.count("a repository names no `command:`") == 1


def test_bash_completes_what_is_begun(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["completion", "bash"])
    (tmp_path / "script").write_text(capsys.readouterr().out)
    words = "COMP_WORDS=(workorder build --keep); COMP_CWORD=2; _shtab_workorder"
    done = subprocess.run(
        ["bash", "-c", f'source "$1"; {words}; echo "${{COMPREPLY[@]}}"', "bash", str(tmp_path / "script")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "--keep-going"


def test_the_last_plan_is_the_one_to_build(tmp_path: Path) -> None:
    assert plans(tmp_path) == ()
    for number in (1, 2, 4):
        (tmp_path / f"plan-{number}").mkdir()
        (tmp_path / f"plan-{number}" / "WORK_ORDERS_MANIFEST.json").write_text("{}")
    assert plans(tmp_path) == (tmp_path / "plan-1", tmp_path / "plan-2")


def test_config_tells_each_value_with_who_says_so_and_the_commands_take_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repo = make_repo(tmp_path / "repo", {"workorder.toml": "[defaults]\njobs = 3\nllm = 'gpt-x'\n"})
    (tmp_path / "config" / "workorder").mkdir(parents=True)
    yours = tmp_path / "config" / "workorder" / "config.toml"
    yours.write_text("[defaults]\nllm = 'command:mine'\nmax-tokens = 7\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("WORKORDER_LLM", "command:false")
    monkeypatch.setenv("WORKORDER_MAX_COST_USD", "")
    monkeypatch.chdir(repo)

    assert main(["config"]) == 0
    said = capsys.readouterr().out
    assert "llm           command:false  [WORKORDER_LLM]" in said
    assert f"jobs          3  [{repo / 'workorder.toml'}]" in said
    assert f"max-tokens    7  [{yours}]" in said
    assert "max-cost-usd  (the command's own)  [--max-cost-usd, WORKORDER_MAX_COST_USD]" in said
    # Nothing has been built in this repository: that is what status is told, of its place.
    assert main(["status"]) != 0
    assert str(state_of(repo) / "runs") in capsys.readouterr().err
    monkeypatch.setenv("WORKORDER_JOBS", "many")
    assert main(["build"]) == 2
    assert "error: WORKORDER_JOBS: `many` is no number" in capsys.readouterr().err
    monkeypatch.setenv("WORKORDER_JOBS", "2")
    assert main(["build"]) == 2
    assert "--plan" in capsys.readouterr().err


def test_a_help_tells_what_need_not_be_given_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    repo = make_repo(tmp_path / "100%" / "repo", {"workorder.toml": "[defaults]\njobs = 7\n"})
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("COLUMNS", "1000")
    monkeypatch.chdir(repo)

    assert main(["build", "--help"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("usage: workorder build --plan DIR [OPTION …]\n")
    assert f"the root of the git repository (default: {repo})" in said
    assert "how many work orders are executed at a time (default: 7)" in said
    assert main(["plan", "compile", "--help"]) == 0
    assert capsys.readouterr().out.startswith("usage: workorder plan compile --spec FILE [OPTION …]\n")
    # Nor does a file that can't be used keep anybody from it.
    (repo / "workorder.toml").write_text("?")
    assert main(["build", "--help"]) == 0
    assert capsys.readouterr().out.startswith("usage: workorder build --plan DIR --repo DIR --out DIR")


def test_plans_are_looked_at_in_the_current_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps(manifest(makes(1, "b.py", preconditions=[exists("a.txt")]))))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    # An option that may be repeated takes no default from there.
    monkeypatch.setenv("WORKORDER_LLM", "gpt-5.2")
    monkeypatch.chdir(make_repo(tmp_path / "repo", {"a.txt": ""}))

    assert main(["plan", "check", str(plan)]) == 0
    assert main(["plan", "show", str(plan)]) == 0
    assert "WO-01" in capsys.readouterr().out
    monkeypatch.chdir(tmp_path)
    assert main(["plan", "check", str(plan)]) == 2


def test_plans_are_made_and_looked_at_where_go_keeps_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    repo = make_repo(tmp_path / "repo", {"spec.md": "- It must say hello.\n"})
    plan = answered(order("WO-01", "scripts/verify.sh"), order("WO-02", "hello.py"))
    monkeypatch.setenv("WORKORDER_LLM", write_answers(tmp_path / "answers", plan, {}))
    monkeypatch.chdir(repo)
    assert main(["plan", "show"]) != 0
    assert "required: PLAN" in capsys.readouterr().err

    assert main(["plan", "compile", "--spec", "spec.md"]) == 0
    for words in (["show"], ["check"], ["trace", "--spec", "spec.md"], ["impact", "--spec", "spec.md"]):
        assert main(["plan", *words]) == 0
    capsys.readouterr()
    assert main(["plan", "show", "WO-02"]) == 0
    assert "hello.py" in (shown := capsys.readouterr().out) and "WO-01  " not in shown
    assert main(["plan", "diff"]) != 0
    assert main(["plan", "compile", "--spec", "spec.md"]) == 0
    assert main(["plan", "diff"]) == 0
    state = state_of(repo)
    assert plans(state) == (state / "plan-1", state / "plan-2")
    assert (state / "spec-2").read_text() == "- It must say hello.\n"
    assert main(["build", "--require-approval"]) == 2
    capsys.readouterr()
    assert main(["status"]) == 0
    assert "(workorder plan show), then: workorder plan approve\n" in capsys.readouterr().out
    assert main(["plan", "approve"]) == 0
    assert f"plan          {state / 'plan-2'}" in (main(["config"]), capsys.readouterr().out)[1]


def test_each_repository_has_a_place_of_its_own(tmp_path: Path) -> None:
    one, other = state_of(tmp_path / "a" / "repo"), state_of(tmp_path / "b" / "repo")
    assert one != other
    assert one == state_of(tmp_path / "a" / "repo")
    assert one.name.startswith("repo-")


def test_go_confines_generated_code_as_the_user_says_for_all(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "repo")
    shell = tmp_path / "bin" / "bash"
    shell.parent.mkdir()
    shell.write_text('#!/bin/sh\necho "$@"\n')
    shell.chmod(0o755)
    done = subprocess.run(
        [sys.executable, "-P", "-m", "workorder", "go", "spec.md", "--llm", "command:false"],
        cwd=repo,
        env={
            **os.environ,
            "HOME": str(tmp_path),
            "PATH": f"{shell.parent}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "WORKORDER_SANDBOX": "landlock",
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert " --sandbox landlock" in done.stdout, done.stderr


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

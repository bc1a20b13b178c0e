"""The CI jobs, run step by step on a real remote: what lands, what is kept and told, what is not obeyed."""

import json
import os
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from tests.support.answering_program import order
from tests.support.ci import (
    CALLER,
    HOSTILE,
    KEY,
    PARTS,
    WORK_BRANCH,
    Remote,
    Result,
    gitlab_job,
    on_github,
    on_github_by_itself,
    on_gitlab,
    read_json,
    shell,
)

LINES = "\n".join(HOSTILE)
services = pytest.mark.parametrize("service", [on_github, on_gitlab], ids=["github", "gitlab"])


@services
@pytest.mark.timeout(300)
def test_what_landed_is_pushed_and_told_however_it_ends_and_starting_again_goes_on(
    service: Any, tmp_path: Path
) -> None:
    remote = Remote(tmp_path)
    proposal = remote.answers / "WO-02.json"
    right = proposal.read_text()
    wrong = json.loads(right)
    wrong["writes"][0]["content"] = f"import hello\nprint({LINES!r})\nraise SystemExit(1)\n"
    proposal.write_text(json.dumps(wrong))

    first = service(remote, 1)

    assert first.exit_code == 1, first.output
    assert remote.landed() == ["WO-01"]
    assert first.runs() == ["WO-01 landed", "WO-02 failed"]
    assert read_json(first.file("failure_brief.json"))["stage"] == "acceptance_failed"
    assert failures(first) == ["0", "1"]
    assert first.file("report.html").exists()
    assert KEY not in first.output
    begun = remote.tip()

    proposal.write_text(right)
    # Nothing of this is paid again: the plan is on the branch, and what it says of WO-01 has landed.
    for paid in ("plan", "WO-01"):
        (remote.answers / f"{paid}.json").unlink()
    remote.inputs["jobs"] = "2"
    second = service(remote, 2)

    assert second.exit_code == 0, second.output
    assert remote.landed() == ["WO-01", "WO-02", "WO-03"]
    log = remote.git(remote.bare, "log", "--format=%s", "--reverse", f"main..{WORK_BRANCH}").splitlines()
    assert (log[0], len(log)) == ("Add the plan", 4)
    assert failures(second) == ["0", "0", "0"]
    assert read_json(second.file("plan.sarif"))["version"] == "2.1.0"
    if service is on_gitlab:
        options = (tmp_path / "push-options").read_text()
        assert "=merge_request.create\n" in options
        assert "=merge_request.target=main\n" in options
    else:
        told_on_github(remote, first, begun, second)
        stood_on_github(first, second)
        told_again_where_nothing_is_new(remote)


def told_on_github(remote: Remote, first: Result, begun: str, second: Result) -> None:
    """What only GitHub is told: outputs, annotations, summaries, the pull request."""
    told = [
        tuple(end.outputs[name] for name in ("verdict", "exit-code", "commit")) for end in (first, second)
    ]
    assert told == [("failed", "1", begun), ("passed", "0", remote.tip())]
    assert second.outputs["report"] == "workorder-runs-2"
    # What the plan cost is in the first price, and not in the second.
    assert float(first.outputs["price"]) > float(second.outputs["price"]) > 0
    assert "❌" in first.summary
    assert "## ✅ 3 of 3 work orders have landed" in second.summary
    assert "## ✅" in (remote.folder / "body").read_text()
    calls = (remote.folder / "gh").read_text().splitlines()
    assert [call.split()[1:3] for call in calls] == [
        ["list", f"--head={WORK_BRANCH}"],
        ["create", f"--head={WORK_BRANCH}"],
        ["list", f"--head={WORK_BRANCH}"],
        ["edit", "7"],
    ]
    # What models and commands printed is in the log, and does nothing there.
    assert all(line in first.output for line in HOSTILE)
    assert [(step, command) for step, command, _ in first.obeyed if command != "warning"] == [
        ("Report", "error")
    ]
    assert {command for _, command, _ in second.obeyed} <= {"warning"}


def stood_on_github(first: Result, second: Result) -> None:
    """Each work order is a step, and leaves an artifact; or all are one, with more jobs."""
    assert started(first) == {
        "Prepare the plan": "passed",
        "WO-01 Write scripts/verify.sh": "passed",
        "WO-02 Write more error owned github.token error b": "failed",
        "WO-03 Write last.py": "skipped",
        "no work order": "skipped",
        "Work orders beyond these steps": "skipped",
        "Report": "passed",
        "Bundle the work branch": "passed",
        "Hand over the work branch": "passed",
    }
    assert sorted(first.kept) == [
        "workorder-WO-01-1",
        "workorder-WO-02-1",
        "workorder-branch",
        "workorder-runs-1",
    ]
    for name, outcome in (("WO-01", "landed"), ("WO-02", "failed")):
        summary = read_json(first.kept[f"workorder-{name}-1"] / "run_summary.json")
        assert (summary["work_order"], summary["outcome"]) == (name, outcome)
    assert (first.kept["workorder-WO-02-1"] / "attempt_1" / "failure_brief.json").exists()
    assert started(second) == {
        "Prepare the plan": "passed",
        "no work order": "skipped",
        "Execute the work orders": "passed",
        "Report": "passed",
        "Bundle the work branch": "passed",
        "Hand over the work branch": "passed",
    }
    assert sorted(second.kept) == ["workorder-branch", "workorder-runs-2"]


def started(result: Result) -> dict[str, str]:
    """The steps after the checkout, in their order, and how they ended."""
    assert result.steps[0][0].startswith("actions/checkout@")
    return dict(result.steps[1:])


def told_again_where_nothing_is_new(remote: Remote) -> None:
    """The pull request has the report of the latest job, also of one that had nothing to push."""
    before = remote.tip()
    remote.inputs["jobs"] = "1"
    third = on_github(remote, 3)
    assert (third.exit_code, third.outputs["verdict"], third.outputs["price"]) == (0, "passed", "")
    assert remote.tip() == before
    assert (remote.folder / "gh").read_text().splitlines()[-1].startswith("pr edit 7 ")
    assert "Pushed to" not in third.summary


def failures(result: Result) -> list[str | None]:
    """How many cases of each suite of the kept JUnit file failed."""
    return [suite.get("failures") for suite in ElementTree.parse(result.file("report.xml")).getroot()]


@pytest.mark.timeout(300)
def test_more_work_orders_than_steps_are_executed_in_the_last(tmp_path: Path) -> None:
    remote = Remote(tmp_path)

    result = on_github(remote, slots=1)

    assert (result.exit_code, result.outputs["verdict"]) == (0, "passed"), result.output
    assert remote.landed() == ["WO-01", "WO-02", "WO-03"]
    last = "Work orders beyond these steps"
    assert [name for name, ending in result.steps if ending == "passed"][2:4] == [
        "WO-01 Write scripts/verify.sh",
        last,
    ]
    groups = [(step, message) for step, command, message in result.obeyed if command == "group"]
    assert groups == [("Execute", "WO-02"), ("Execute", "WO-03")]
    assert "workorder-WO-01-1" in result.kept
    assert "workorder-WO-02-1" not in result.kept


@pytest.mark.timeout(300)
@pytest.mark.parametrize("is_wrong", [False, True], ids=["right", "wrong"])
def test_the_action_by_itself_is_one_step(is_wrong: bool, tmp_path: Path) -> None:
    remote = Remote(tmp_path)
    plan = on_github(remote).kept["workorder-runs-1"] / "plan"
    shutil.copytree(plan, remote.seed / "plan")
    remote.git(remote.bare, "update-ref", "-d", f"refs/heads/{WORK_BRANCH}")
    remote.push("A plan")
    if is_wrong:
        (remote.answers / "WO-02.json").write_text("{}")

    result = on_github_by_itself(remote)

    verdict = ("failed", "1") if is_wrong else ("passed", "0")
    assert (result.outputs["verdict"], result.outputs["exit-code"]) == verdict, result.output
    assert result.exit_code == int(is_wrong)
    ended = ["WO-01 landed", "WO-02 failed"] if is_wrong else [f"WO-0{n} landed" for n in (1, 2, 3)]
    assert result.runs() == ended
    assert list(result.kept) == ["workorder-runs-1"]
    assert [message for _, command, message in result.obeyed if command == "group"] == [
        run.split()[0] for run in ended
    ]
    assert KEY not in result.output
    kept = [path for path in (remote.folder / "github" / "temporary").rglob("*") if path.is_file()]
    assert all(KEY.encode() not in path.read_bytes() for path in kept)


@services
def test_a_plan_with_errors_costs_nothing_and_is_told(service: Any, tmp_path: Path) -> None:
    remote = Remote(tmp_path)
    remote.inputs["spec"] = ""
    (remote.seed / "plan").mkdir()
    (remote.seed / "plan" / "WO-02.json").write_text(json.dumps(order("WO-02", "a.py")))
    remote.push("A plan without a beginning")

    result = service(remote)

    assert result.exit_code != 0
    assert "E001" in result.output
    assert result.runs() == []
    assert not remote.tip()
    assert int(ElementTree.parse(result.file("report.xml")).getroot()[0].get("failures") or 0) > 0
    results = read_json(result.file("plan.sarif"))["runs"][0]["results"]
    assert results[0]["ruleId"] == "E001"
    if service is on_github:
        assert (result.outputs["verdict"], result.outputs["exit-code"]) == ("no-plan", "2")
        assert result.outputs["commit"] == result.outputs["price"] == ""
        assert [command for _, command, _ in result.obeyed] == [found["level"] for found in results]
        assert "error[E001]" in result.summary


@services
def test_a_branch_of_an_older_base_is_left_alone(service: Any, tmp_path: Path) -> None:
    remote = Remote(tmp_path)
    remote.push("The base goes on")
    remote.git(remote.seed, "checkout", "--quiet", "HEAD~1")
    remote.push("Something landed", WORK_BRANCH)
    before = remote.tip()

    result = service(remote)

    assert result.exit_code != 0
    assert f"{WORK_BRANCH} was begun before this commit" in result.output
    assert remote.tip() == before
    if service is on_github:
        assert (result.outputs["verdict"], result.outputs["exit-code"]) == ("stopped", "2")
        assert "## ❌ Nothing was built" in result.summary


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ref", "$(touch owned)"),
        ("ref", "--output=owned"),
        ("ref", "main\nverdict=passed\n::set-output name=verdict::passed"),
        ("plan", "--outdir=owned"),
        ("spec", ":(top)spec.md"),
        ("spec", "no\n::add-mask::a"),
    ],
)
def test_hostile_inputs_are_names_that_are_not_there(name: str, value: str, tmp_path: Path) -> None:
    remote = Remote(tmp_path)
    remote.inputs[name] = value

    result = on_github(remote)

    assert (result.exit_code, result.outputs["verdict"], result.outputs["exit-code"]) == (1, "stopped", "2")
    assert [(step, command) for step, command, _ in result.obeyed] == [("Prepare the branch", "error")]
    assert not list(tmp_path.rglob("owned"))


def test_a_branch_tag_or_commit_is_built_on_that_is_not_checked_out(tmp_path: Path) -> None:
    remote = Remote(tmp_path)
    (remote.seed / "spec.md").unlink()
    remote.push("Other")
    remote.inputs["ref"] = remote.git(remote.seed, "rev-parse", "HEAD~1").strip()
    # The plan that this model writes is none: the specification was there, and was read.
    (remote.answers / "plan.json").write_text("{}")

    result = on_github(remote)

    assert (result.outputs["verdict"], result.outputs["exit-code"]) == ("no-plan", "2")
    assert result.file("compile_summary.json").exists()
    assert float(result.outputs["price"]) > 0


@pytest.mark.parametrize("service", ["github", "gitlab"])
def test_the_package_has_to_be_named(service: str, tmp_path: Path) -> None:
    result = Result()
    if service == "github":
        steps = yaml.safe_load(PARTS[0].read_text())["runs"]["steps"]
        script = next(step["run"] for step in steps if step.get("name") == "Install")
        package = yaml.safe_load(CALLER.read_text())["jobs"]["workorder"]["with"]["package"]
    else:
        script = "\n".join(gitlab_job("workorder")["before_script"])
        package = gitlab_job("workorder")["variables"]["WORKORDER_PACKAGE"]
    environment = {"PATH": os.environ["PATH"], "PACKAGE": package, "WORKORDER_PACKAGE": package}

    code = shell(script, tmp_path, environment, result)

    assert code == 1
    assert "set " in result.output

"""The CI jobs, looked at without running them: valid, sound shell, and careful with keys and tokens."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.ci import ACTION, CALLER, GITLAB, PARTS, WORKFLOW, gitlab_job
from workorder.cli import main

BIN = Path(sys.executable).parent


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository in which `workorder init` wrote the files for GitHub."""
    folder = tmp_path_factory.mktemp("project")
    assert main(["init", str(folder), "--ci", "github"]) == 0
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    return folder


def tool(name: str) -> str:
    """A checking program of the development environment, or else of the machine."""
    found = shutil.which(name, path=str(BIN)) or shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed: pip install 'workorder[dev]'")
    return found


def passes(*argv: str | Path, cwd: Path | None = None, given: str | None = None) -> None:
    done = subprocess.run(argv, cwd=cwd, input=given, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("schema", "template"),
    [
        *(("vendor.github-actions", action) for action in (ACTION, *PARTS)),
        ("vendor.github-workflows", WORKFLOW),
        ("vendor.github-workflows", CALLER),
        ("vendor.gitlab-ci", GITLAB),
    ],
    ids=lambda value: f"{value.parent.name}-{value.stem}" if isinstance(value, Path) else "",
)
def test_it_matches_the_schema_of_its_service(schema: str, template: Path) -> None:
    passes(tool("check-jsonschema"), "--builtin-schema", schema, template)


def test_github_s_workflows_have_no_mistake_that_its_linter_knows(project: Path) -> None:
    # It also holds that each caller gives what the called one knows.
    passes(tool("actionlint"), "-shellcheck=", "-pyflakes=", "-no-color", cwd=project)


def test_github_s_files_have_no_hole_that_an_auditor_knows(project: Path) -> None:
    passes(tool("zizmor"), "--offline", "--no-progress", "--no-config", "--quiet", ".", cwd=project)


def steps(template: Path) -> list[dict[str, Any]]:
    document = yaml.safe_load(template.read_text())
    jobs = [document["runs"]] if "runs" in document else list(document["jobs"].values())
    return [step for job in jobs for step in job["steps"]]


def shells() -> list[tuple[str, str]]:
    github = [
        (f"{template.parent.name}/{template.stem}: {step['name']}", step["run"])
        for template in (*PARTS, WORKFLOW)
        for step in steps(template)
        if "run" in step
    ]
    gitlab = [
        (f"gitlab {name}: {part}", "\n".join(gitlab_job(name)[part]))
        for name in ("workorder", "workorder-push")
        for part in ("before_script", "script", "after_script")
        if part in gitlab_job(name)
    ]
    return github + gitlab


@pytest.mark.parametrize(("name", "shell"), shells(), ids=[name for name, _ in shells()])
def test_its_shell_is_sound(name: str, shell: str) -> None:
    assert "${{" not in shell, "an expression in a script is pasted into it, whatever it holds"
    passes("bash", "-n", given=shell)
    # SC2016: git expands the variable in its credential helper, not this shell.
    passes(tool("shellcheck"), "--shell=bash", "--exclude=SC2016", "-", given=shell)


def test_a_key_reaches_only_the_steps_that_ask_a_model() -> None:
    asking = ["Compile the specification", "Execute"]
    parts = [step for part in PARTS for step in steps(part)]
    assert [step["name"] for step in parts if "api-key }}" in json.dumps(step)] == asking
    # What is given to an action as `env` is seen by all of its steps; an input only where it is named.
    for template, secret in ((ACTION, "inputs.api-key }}"), (WORKFLOW, "secrets.")):
        for step in steps(template):
            is_asking = re.search(r"/(prepare|execute)$", step.get("uses", "")) is not None
            assert (secret in json.dumps(step)) == (secret in str(step.get("with"))) == is_asking
    assert CALLER.read_text().count("${{ secrets.") == 1


@pytest.mark.parametrize(("arguments", "number"), [((), 100), (("--steps", "7"), 7)])
def test_each_work_order_has_its_step_and_the_rest_the_last(
    arguments: tuple[str, ...], number: int, tmp_path: Path
) -> None:
    assert main(["init", str(tmp_path), "--ci", "github", *arguments]) == 0
    workflow = tmp_path / ".github" / "workflows" / WORKFLOW.name
    executing = [step for step in steps(workflow) if step.get("uses", "").endswith("/execute")]
    assert len(executing) == number + 1
    text = yaml.safe_dump(executing[0])
    assert "[0]" in text
    assert [yaml.safe_dump(step) for step in executing[:-1]] == [
        text.replace("[0]", f"[{number}]") for number in range(len(executing) - 1)
    ]
    assert executing[-1]["with"]["after"] == str(len(executing) - 1)
    assert "if" not in executing[-1]


def test_generated_code_runs_without_a_token_that_writes() -> None:
    workflow = yaml.safe_load(WORKFLOW.read_text())
    build, publish = workflow["jobs"]["build"], workflow["jobs"]["publish"]
    assert workflow["permissions"] == yaml.safe_load(CALLER.read_text())["permissions"] == {}
    assert build["permissions"] == {"contents": "read"}
    assert all(
        "github.token" not in text for text in (json.dumps(build), *map(Path.read_text, (ACTION, *PARTS)))
    )
    assert publish["permissions"] == {"contents": "write", "pull-requests": "write"}
    assert all(
        step["with"]["persist-credentials"] is False for job in (build, publish) for step in job["steps"][:1]
    )
    assert "WORKORDER_PUSH_TOKEN" not in json.dumps(gitlab_job("workorder"))
    assert all(not re.search("factory|planner|uses: [$]", json.dumps(step)) for step in publish["steps"])


def test_every_job_ends_and_every_action_of_others_is_named_by_its_commit() -> None:
    for job in yaml.safe_load(WORKFLOW.read_text())["jobs"].values():
        assert job["timeout-minutes"]
    for step in (step for template in (ACTION, *PARTS, WORKFLOW) for step in steps(template)):
        if "uses" in step:
            assert re.fullmatch(r"\$/.*|actions/[a-z-]+@[0-9a-f]{40}", step["uses"])
    for name in ("workorder", "workorder-push"):
        assert gitlab_job(name)["timeout"]


def test_what_is_asked_for_is_handed_on_under_its_name() -> None:
    called = yaml.safe_load(WORKFLOW.read_text())[True]["workflow_call"]
    action, prepare = (yaml.safe_load(path.read_text()) for path in (ACTION, PARTS[0]))
    for template, given in ((WORKFLOW, called["inputs"]), (ACTION, action["inputs"])):
        (step,) = [step for step in steps(template) if step.get("uses", "").endswith("/prepare")]
        assert set(step["with"]) == set(prepare["inputs"])
        same = {name: f"${{{{ inputs.{name} }}}}" for name in given if name != "artifact"}
        assert same.items() <= step["with"].items()
    for name in set(called["inputs"]) & set(action["inputs"]):
        assert called["inputs"][name].get("default") == action["inputs"][name].get("default")

"""The CI jobs: valid, careful with secrets, and their shell, run against a real remote, does what they say.

The services are stood in for by a few lines each: they check out, set variables, run a job's shell and store
what it uploads. Installing packages, the only part that needs a network, is left out.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from tests.support.answering_program import manifest, order, write_answers

ROOT = Path(__file__).parents[2]
TEMPLATES = ROOT / "templates" / "ci"
GITHUB = TEMPLATES / "github-actions.yml"
GITLAB = TEMPLATES / "gitlab-ci.yml"

WORK_BRANCH = "workorder/main"


@pytest.mark.parametrize(
    ("schema", "template"),
    [("vendor.github-workflows", GITHUB), ("vendor.gitlab-ci", GITLAB)],
    ids=["github", "gitlab"],
)
def test_it_matches_the_schema_of_its_service(schema: str, template: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(template)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_github_s_workflow_has_no_mistake_that_its_linter_knows() -> None:
    linter = Path(sys.executable).parent / "actionlint"
    done = subprocess.run(
        [linter, "-shellcheck=", "-pyflakes=", "-no-color", GITHUB],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def github_job(name: str) -> dict[str, Any]:
    job = yaml.safe_load(GITHUB.read_text())["jobs"][name]
    assert isinstance(job, dict)
    return job


def gitlab_job(name: str) -> dict[str, Any]:
    job = yaml.safe_load(GITLAB.read_text())[name]
    assert isinstance(job, dict)
    return job


def shells() -> list[tuple[str, str]]:
    github = [
        (f"github {name}: {step['name']}", step["run"])
        for name in ("execute", "push")
        for step in github_job(name)["steps"]
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
    assert subprocess.run(["bash", "-n"], input=shell, text=True).returncode == 0
    if shutil.which("shellcheck"):
        # SC2016: git expands the variable in its credential helper, not this shell.
        done = subprocess.run(
            ["shellcheck", "--shell=bash", "--exclude=SC2016", "-"],
            input=shell,
            text=True,
            capture_output=True,
        )
        assert done.returncode == 0, done.stdout


def test_a_secret_reaches_only_the_step_that_asks_a_model() -> None:
    text = GITHUB.read_text()
    assert text.count("${{ secrets.") == 1
    (step,) = [step for step in github_job("execute")["steps"] if "OPENAI_API_KEY" in step.get("env", {})]
    assert step["name"] == "Execute the work orders"


def test_generated_code_runs_without_a_token_that_writes() -> None:
    workflow = yaml.safe_load(GITHUB.read_text())
    assert workflow["permissions"] == {}
    assert github_job("execute")["permissions"] == {"contents": "read"}
    assert github_job("execute")["steps"][0]["with"]["persist-credentials"] is False
    assert github_job("push")["permissions"] == {"contents": "write", "pull-requests": "write"}
    assert "WORKORDER_PUSH_TOKEN" not in json.dumps(gitlab_job("workorder"))
    assert all("factory" not in step.get("run", "") for step in github_job("push")["steps"])


def test_every_job_ends_and_every_action_has_a_version() -> None:
    for name in ("execute", "push"):
        assert github_job(name)["timeout-minutes"]
        for step in github_job(name)["steps"]:
            assert re.fullmatch(r"actions/[a-z-]+@v[0-9]+", step.get("uses", "actions/none@v1"))
    for name in ("workorder", "workorder-push"):
        assert gitlab_job(name)["timeout"]


@dataclass
class Result:
    """What is left when a pipeline has ended.

    Attributes:
        exit_code: of the job that executes work orders.
        kept: the uploaded artifacts, by name.
        output: what the jobs printed.
    """

    exit_code: int = 0
    kept: dict[str, Path] = field(default_factory=dict)
    output: str = ""

    def runs(self) -> list[str]:
        """How the runs ended whose artifacts were kept."""
        summaries = [path for kept in self.kept.values() for path in kept.rglob("run_summary.json")]
        return sorted(f"{run['work_order']} {run['outcome']}" for run in map(read_json, summaries))


class Remote:
    """A bare repository with a committed plan of two work orders, and a program in the model's place."""

    def __init__(self, folder: Path, *, second_works: bool, jobs: int = 2) -> None:
        self.folder = folder
        self.jobs = str(jobs)
        self.bare = folder / "server" / "group" / "project.git"
        self.environment = {
            "HOME": str(folder / "no-home"),
            "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "A User",
            "GIT_AUTHOR_EMAIL": "user@example.invalid",
            "GIT_COMMITTER_NAME": "A User",
            "GIT_COMMITTER_EMAIL": "user@example.invalid",
        }
        files = {
            "WO-01": {"scripts/verify.sh": "true\n", "hello.py": "A = 1\n"},
            "WO-02": {"more.py": "import hello\n"},
        }
        plan = manifest(
            order("WO-01", *files["WO-01"]),
            order("WO-02", "more.py", acceptance=("python more.py" if second_works else "false",)),
        )
        self.model = write_answers(folder / "answers", plan, files)
        for name in ("planner", "factory"):
            program = folder / "bin" / name
            program.parent.mkdir(exist_ok=True)
            program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m {name} "$@"\n')
            program.chmod(0o755)
        (folder / "bin" / "python").symlink_to(sys.executable)
        # In the place of GitHub's own program: what it is told, and whether there is a pull request.
        gh = folder / "bin" / "gh"
        gh.write_text(
            f'#!/bin/sh\necho "$*" >> {folder}/gh\n'
            f'if [ "$2" = list ]; then cat {folder}/number 2> /dev/null; else echo 7 > {folder}/number; fi\n'
            "true\n"
        )
        gh.chmod(0o755)
        (folder / "spec.md").write_text("# hello\n")
        self.git(folder, "init", "--quiet", "--bare", "--initial-branch=main", str(self.bare))
        seed = folder / "seed"
        self.git(folder, "clone", "--quiet", str(self.bare), str(seed))
        self.run(
            seed, "planner", "compile", "--spec", "../spec.md", "--outdir", "plan",
            "--artifacts-dir", "../compile", "--llm", self.model,
        )  # fmt: skip
        self.git(seed, "add", "plan")
        self.git(seed, "commit", "--quiet", "--message", "The plan")
        self.git(seed, "push", "--quiet", "origin", "HEAD:refs/heads/main")

    def run(self, cwd: Path, *argv: str) -> str:
        done = subprocess.run(argv, cwd=cwd, env=self.environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def git(self, cwd: Path, *arguments: str) -> str:
        return self.run(cwd, "git", *arguments)

    def landed(self) -> list[str]:
        """The work orders on the pushed work branch, oldest first."""
        listing = self.git(
            self.bare, "log", "--reverse", "--format=%(trailers:key=Work-Order,valueonly)", WORK_BRANCH
        )
        return listing.split()

    def has_work_branch(self) -> bool:
        return bool(self.git(self.bare, "branch", "--list", WORK_BRANCH))


def read_json(path: Path) -> dict[str, Any]:
    value = json.loads(path.read_text())
    assert isinstance(value, dict)
    return value


def shell(script: str, cwd: Path, environment: Mapping[str, str], result: Result) -> int:
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=cwd,
        env=dict(environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    result.output += done.stdout
    return done.returncode


def on_github(remote: Remote, tries: int = 1) -> Result:
    """Run the workflow as it would run there."""
    result = Result()
    work = remote.folder / f"github-{tries}"
    handed_over = False
    for name in ("execute", "push"):
        if name == "push" and not handed_over:
            break
        workspace, temporary = work / name / "workspace", work / name / "temporary"
        temporary.mkdir(parents=True)
        outputs = work / name / "output"
        values = {
            "always()": "true",
            "github.ref_name": "main",
            "github.run_attempt": str(tries),
            "inputs.plan || 'plan'": "plan",
            "inputs.llm || 'gpt-5.2'": remote.model,
            "inputs.max_attempts || '2'": "1",
            "inputs.jobs || '1'": remote.jobs,
            "github.token": "not-a-token",
            "runner.temp": str(temporary),
            "secrets.OPENAI_API_KEY": "sk-not-a-key",
            "vars.OPENAI_BASE_URL": "",
            "always() && steps.bundle.outputs.landed == 'true'": "",
        }

        def filled(text: str, values: Mapping[str, str] = values) -> str:
            return re.sub(r"\$\{\{ (.*?) \}\}", lambda match: values[match[1]], text)

        environment = remote.environment | {
            "GITHUB_WORKSPACE": str(workspace),
            "GITHUB_OUTPUT": str(outputs),
            "GITHUB_STEP_SUMMARY": str(work / name / "summary"),
            "RUNNER_TEMP": str(temporary),
        }
        for key, value in yaml.safe_load(GITHUB.read_text())["env"].items():
            environment[key] = filled(value)
        failed = 0
        for step in github_job(name)["steps"]:
            landed = outputs.exists() and "landed=true" in outputs.read_text()
            values["always() && steps.bundle.outputs.landed == 'true'"] = "true" if landed else ""
            if (failed and "if" not in step) or ("if" in step and not filled(step["if"])):
                continue
            settings = {key: filled(str(value)) for key, value in step.get("with", {}).items()}
            match step.get("uses", "").split("@")[0]:
                case "actions/checkout":
                    assert settings["fetch-depth"] == "0"
                    remote.git(work, "clone", "--quiet", str(remote.bare), str(workspace))
                case "actions/upload-artifact" if Path(settings["path"]).exists():
                    result.kept[settings["name"]] = Path(settings["path"])
                    handed_over = handed_over or settings["name"] == "workorder-branch"
                case "actions/download-artifact":
                    kept = result.kept[settings["name"]]
                    shutil.copytree(kept, settings["path"])
            if "run" in step and step["name"] != "Install":
                own = {key: filled(value) for key, value in step.get("env", {}).items()}
                failed = shell(step["run"], workspace, environment | own, result) or failed
        if name == "execute":
            result.exit_code = failed
        else:
            assert failed == 0, result.output
    return result


def on_gitlab(remote: Remote, tries: int = 1) -> Result:
    """Run the two jobs as they would run there."""
    result = Result()
    for name in ("workorder", "workorder-push"):
        job = gitlab_job(name)
        project = remote.folder / f"gitlab-{tries}" / name / "project"
        remote.git(remote.folder, "clone", "--quiet", str(remote.bare), str(project))
        remote.git(project, "checkout", "--quiet", "--detach", "origin/main")
        environment = remote.environment | {key: str(value) for key, value in job["variables"].items()}
        environment |= {
            "CI_PROJECT_DIR": str(project),
            "CI_COMMIT_BRANCH": "main",
            "CI_SERVER_URL": f"file://{remote.folder / 'server'}",
            "CI_PROJECT_PATH": "group/project",
            "GITLAB_USER_NAME": "A User",
            "GITLAB_USER_EMAIL": "user@example.invalid",
            "WORKORDER_PLAN": "plan",
            "WORKORDER_LLM": remote.model,
            "WORKORDER_MAX_ATTEMPTS": "1",
            "WORKORDER_JOBS": remote.jobs,
        }
        if name == "workorder-push":
            environment["WORKORDER_PUSH_TOKEN"] = "not-a-token"
            shutil.copytree(result.kept["workorder"], project / "workorder")
        code = shell("\n".join(job["script"]), project, environment, result)
        shell("\n".join(job.get("after_script", [])), project, environment, result)
        if name == "workorder":
            result.exit_code = code
            assert job["artifacts"]["when"] == "always"
            (path,) = job["artifacts"]["paths"]
            result.kept["workorder"] = project / path
        else:
            assert code == 0, result.output
    return result


services = pytest.mark.parametrize("service", [on_github, on_gitlab], ids=["github", "gitlab"])


@services
def test_all_work_orders_land_on_the_pushed_branch(service: Any, tmp_path: Path) -> None:
    remote = Remote(tmp_path, second_works=True)

    result = service(remote)

    assert result.exit_code == 0, result.output
    assert remote.landed() == ["WO-01", "WO-02"]
    assert result.runs() == ["WO-01 landed", "WO-02 landed"]
    (results,) = [path for kept in result.kept.values() for path in kept.rglob("report.xml")]
    assert [suite.get("failures") for suite in ElementTree.parse(results).getroot()] == ["0", "0"]
    assert (results.parent / "report.html").exists()
    if service is on_github:
        summary = (tmp_path / "github-1" / "execute" / "summary").read_text()
        assert "## ✅ 2 of 2 work orders have landed" in summary
        opened = (tmp_path / "gh").read_text().splitlines()
        assert [line.split()[:4] for line in opened] == [
            ["pr", "list", "--head", WORK_BRANCH],
            ["pr", "create", "--head", WORK_BRANCH],
        ]


@services
def test_what_landed_is_pushed_and_all_artifacts_are_kept_when_a_work_order_fails(
    service: Any, tmp_path: Path
) -> None:
    remote = Remote(tmp_path, second_works=False)

    result = service(remote)

    assert result.exit_code == 1, result.output
    assert remote.landed() == ["WO-01"]
    assert result.runs() == ["WO-01 landed", "WO-02 failed"]
    briefs = [path for kept in result.kept.values() for path in kept.rglob("attempt_1/failure_brief.json")]
    assert [read_json(brief)["stage"] for brief in briefs] == ["acceptance_failed"]
    (results,) = [path for kept in result.kept.values() for path in kept.rglob("report.xml")]
    assert [suite.get("failures") for suite in ElementTree.parse(results).getroot()] == ["0", "1"]


@services
def test_starting_again_continues_the_branch(service: Any, tmp_path: Path) -> None:
    remote = Remote(tmp_path, second_works=True, jobs=1)
    proposal = tmp_path / "answers" / "WO-02.json"
    right = proposal.read_text()
    proposal.write_text("no proposal at all")
    assert service(remote, 1).exit_code == 1
    proposal.write_text(right)
    (tmp_path / "answers" / "WO-01.json").unlink()

    result = service(remote, 2)

    assert result.exit_code == 0, result.output
    assert remote.landed() == ["WO-01", "WO-02"]
    # One by one, each is asked for; what has landed costs nothing.
    assert result.runs() == ["WO-01 already_landed", "WO-02 landed"]
    if service is on_github:
        assert (tmp_path / "gh").read_text().splitlines()[-1].startswith("pr edit 7 ")


@services
def test_a_plan_with_errors_costs_nothing(service: Any, tmp_path: Path) -> None:
    remote = Remote(tmp_path, second_works=True)
    seed = tmp_path / "seed"
    remote.git(seed, "rm", "--quiet", "plan/WORK_ORDERS_MANIFEST.json", "plan/WO-01.json")
    remote.git(seed, "commit", "--quiet", "--message", "Break the plan")
    remote.git(seed, "push", "--quiet", "origin", "HEAD:refs/heads/main")

    result = service(remote)

    assert result.exit_code == 2
    assert "E001" in result.output
    assert result.runs() == []
    assert not remote.has_work_branch()


@services
def test_a_branch_of_an_older_base_is_left_alone(service: Any, tmp_path: Path) -> None:
    remote = Remote(tmp_path, second_works=True)
    assert service(remote, 1).exit_code == 0
    before = remote.git(remote.bare, "rev-parse", WORK_BRANCH)
    seed = tmp_path / "seed"
    remote.git(seed, "commit", "--quiet", "--allow-empty", "--message", "The base goes on")
    remote.git(seed, "push", "--quiet", "origin", "HEAD:refs/heads/main")

    result = service(remote, 2)

    assert result.exit_code == 2
    assert f"{WORK_BRANCH} was begun before this commit" in result.output
    assert remote.git(remote.bare, "rev-parse", WORK_BRANCH) == before


@pytest.mark.parametrize(
    "shell_text",
    [
        next(step["run"] for step in github_job("execute")["steps"] if step.get("name") == "Install"),
        "\n".join(gitlab_job("workorder")["before_script"]),
    ],
    ids=["github", "gitlab"],
)
def test_the_package_has_to_be_named(shell_text: str, tmp_path: Path) -> None:
    result = Result()
    package = gitlab_job("workorder")["variables"]["WORKORDER_PACKAGE"]
    assert yaml.safe_load(GITHUB.read_text())["env"]["WORKORDER_PACKAGE"] == package

    code = shell(shell_text, tmp_path, {"PATH": os.environ["PATH"], "WORKORDER_PACKAGE": package}, result)

    assert code == 1
    assert "set WORKORDER_PACKAGE" in result.output

"""A repository on a server with a specification, and the two services that run the templates' jobs on it.

The services are stood in for by a few lines each: they check out, set variables, run a job's shell and store
what it uploads. Installing packages, the only part that needs a network, is left out.
"""

import functools
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.support import starts
from tests.support.actions_runner import Machine, filled
from tests.support.answering_program import manifest, order, write_answers
from workorder.cli import main

ROOT = Path(__file__).parents[2]
TEMPLATES = ROOT / "templates" / "ci"
ACTION = TEMPLATES / "action.yml"
PARTS = tuple(TEMPLATES / part / "action.yml" for part in ("prepare", "execute", "report"))
WORKFLOW = TEMPLATES / "workorder-build.yml"
CALLER = TEMPLATES / "workorder.yml"
GITLAB = TEMPLATES / "gitlab-ci.yml"
WORK_BRANCH = "workorder/main"
KEY = "sk-not-a-key"
HOSTILE = ("::set-output name=verdict::passed", "::add-mask::a", "::error::owned")
HOSTILE_TITLE = "Write more::error::owned ${{ github.token }} ##[error]<b>&"
# What a command of ours prints between the marks is not ours alone.
_PROGRAM = """#!/bin/sh
case $1 in
compile | run | build) echo '{hostile}'; printf '%s' '{unfinished}' >&2 ;;
esac
exec "{python}" -P -m {name} "$@"
"""


def gitlab_job(name: str) -> dict[str, Any]:
    """A job of the template for GitLab."""
    job = _gitlab_jobs()[name]
    assert isinstance(job, dict)
    return job


@functools.cache
def _gitlab_jobs() -> dict[str, Any]:
    jobs = yaml.safe_load(GITLAB.read_text())
    assert isinstance(jobs, dict)
    return jobs


@dataclass
class Result:
    """What is left when a pipeline has ended.

    Attributes:
        exit_code: of the job that executes work orders; on GitHub 0 or 1.
        kept: the uploaded artifacts, by name.
        output: what the jobs printed.
        outputs: what the workflow tells its caller.
        summary: what the jobs' summaries show.
        obeyed: the commands that the runner obeyed: step, command, message.
        steps: on GitHub the steps of the job that executes work orders, and how each ended.
    """

    exit_code: int = 0
    kept: dict[str, Path] = field(default_factory=dict)
    output: str = ""
    outputs: dict[str, str] = field(default_factory=dict)
    summary: str = ""
    obeyed: list[tuple[str, str, str]] = field(default_factory=list)
    steps: list[tuple[str, str]] = field(default_factory=list)

    def runs(self) -> list[str]:
        """How the runs ended whose artifacts were kept."""
        summaries = {path for kept in self.kept.values() for path in kept.rglob("run_summary.json")}
        return sorted(f"{run['work_order']} {run['outcome']}" for run in map(read_json, summaries))

    def file(self, name: str) -> Path:
        """The one kept file of this name."""
        (path,) = {path for kept in self.kept.values() for path in kept.rglob(name)}
        return path


class Remote:
    """A bare repository with a specification, and as the model a program that plans three work orders.

    Attributes:
        inputs: what the job is started with.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
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
            "WO-03": {"last.py": "B = 2\n"},
        }
        plan = manifest(
            order("WO-01", *files["WO-01"]),
            order("WO-02", "more.py", acceptance=("python more.py",)) | {"title": HOSTILE_TITLE},
            order("WO-03", "last.py"),
        )
        self.answers = folder / "answers"
        self.inputs = {
            "model": write_answers(self.answers, plan, files),
            "jobs": "1",
            "max-attempts": "1",
            "budget": "5",
            "model-price": "1,10",
            "plan": "plan",
            "spec": "spec.md",
        }
        self._install()
        self.git(folder, "init", "--quiet", "--bare", "--initial-branch=main", str(self.bare))
        self.git(self.bare, "config", "receive.advertisePushOptions", "true")
        hook = self.bare / "hooks" / "post-receive"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f'#!/bin/sh\nenv | grep ^GIT_PUSH_OPTION_ | sort > "{folder}/push-options"\n')
        hook.chmod(0o755)
        self.seed = folder / "seed"
        self.git(folder, "clone", "--quiet", str(self.bare), str(self.seed))
        (self.seed / "spec.md").write_text("# hello\n")
        self.push("Begin")

    def _install(self) -> None:
        """Put the programs where jobs find them."""
        self.descriptor = starts.forking_interpreter(self.folder / "interpreter")
        programs = {
            name: _PROGRAM.format(
                python=self.folder / "interpreter",
                name=name,
                hostile="\n".join(HOSTILE),
                unfinished=HOSTILE[0],
            )
            for name in ("planner", "factory")
        }
        # In the place of GitHub's own program: what it is told, and whether there is a pull request.
        programs["gh"] = (
            f'#!/bin/sh\necho "$*" >> {self.folder}/gh\n'
            f"if [ $2 = list ]; then cat {self.folder}/number 2> /dev/null; "
            f'else echo 7 > {self.folder}/number; eval "cp \\"\\$$#\\" {self.folder}/body"; fi\ntrue\n'
        )
        (self.folder / "bin").mkdir()
        for name, text in programs.items():
            (self.folder / "bin" / name).write_text(text)
            (self.folder / "bin" / name).chmod(0o755)
        (self.folder / "bin" / "python").symlink_to(sys.executable)

    def run(self, cwd: Path, *argv: str) -> str:
        """Run a command that must pass; what it printed."""
        done = subprocess.run(argv, cwd=cwd, env=self.environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def git(self, cwd: Path, *arguments: str) -> str:
        """Run git; what it printed."""
        return self.run(cwd, "git", *arguments)

    def push(self, message: str, branch: str = "main") -> None:
        """Commit everything in `seed`, and push it."""
        self.git(self.seed, "add", "--all")
        self.git(self.seed, "commit", "--quiet", "--allow-empty", "--message", message)
        self.git(self.seed, "push", "--quiet", "origin", f"HEAD:refs/heads/{branch}")

    def landed(self) -> list[str]:
        """The work orders on the pushed work branch, oldest first."""
        listing = self.git(
            self.bare, "log", "--reverse", "--format=%(trailers:key=Work-Order,valueonly)", WORK_BRANCH
        )
        return listing.split()

    def tip(self) -> str:
        """The newest commit of the pushed work branch; empty if there is none."""
        return self.git(
            self.bare, "for-each-ref", "--format=%(objectname)", f"refs/heads/{WORK_BRANCH}"
        ).strip()


def read_json(path: Path) -> dict[str, Any]:
    """A file with an object."""
    value = json.loads(path.read_text())
    assert isinstance(value, dict)
    return value


def written_workflow(folder: Path, steps: int) -> Path:
    """The workflow as `workorder init` writes it."""
    assert main(["init", str(folder), "--ci", "github", "--steps", str(steps)]) == 0
    return folder / ".github" / "workflows" / WORKFLOW.name


def on_github(remote: Remote, tries: int = 1, slots: int = 4) -> Result:
    """Run the workflow, and the parts of the action in it, as they would run there.

    Args:
        remote: where it runs.
        tries: which attempt at the workflow it is.
        slots: how many work orders have steps of their own.
    """
    workflow = yaml.safe_load(written_workflow(remote.folder / f"project-{tries}", slots).read_text())
    call = workflow[True]["workflow_call"]
    result = Result()
    values = _given_by_github(tries) | {"secrets.api-key": KEY}
    values |= {f"inputs.{name}": str(told.get("default", "")) for name, told in call["inputs"].items()}
    values |= {f"inputs.{name}": value for name, value in remote.inputs.items()}
    for name, job in workflow["jobs"].items():
        if name == "publish" and not filled(f"${{{{ {job['if'][4:-3]} }}}}", values):
            break
        machine = _machine(remote, remote.folder / f"github-{tries}" / name, result)
        env = {key: filled(value, values) for key, value in workflow["env"].items()}
        passed = machine.run(job["steps"], values, env)
        _end(machine, result)
        for output, text in job.get("outputs", {}).items():
            values[f"needs.{name}.outputs.{output}"] = filled(text, values)
            values[f"jobs.{name}.outputs.{output}"] = filled(text, values)
        if name == "build":
            result.exit_code = 0 if passed else 1
            result.steps = machine.shown
        else:
            assert passed, result.output
    result.outputs = {name: filled(output["value"], values) for name, output in call["outputs"].items()}
    return result


def on_github_by_itself(remote: Remote) -> Result:
    """Run the action alone, as the example in its first lines does, with another model and price."""
    example = ACTION.read_text().partition("By itself, as one step:\n#\n")[2].partition("\n#\n")[0]
    steps = yaml.safe_load("\n".join(line.removeprefix("#") for line in example.splitlines()))
    steps[1]["with"] |= {name: remote.inputs[name] for name in ("model", "model-price")}
    result = Result()
    values = _given_by_github(1) | {"secrets.OPENAI_API_KEY": KEY}
    machine = _machine(remote, remote.folder / "github", result)
    result.exit_code = 0 if machine.run(steps, values, {}) else 1
    _end(machine, result)
    prefix = "steps.workorder.outputs."
    result.outputs = {
        name.removeprefix(prefix): value for name, value in values.items() if name.startswith(prefix)
    }
    return result


def _given_by_github(tries: int) -> dict[str, str]:
    return {"github.ref_name": "main", "github.run_attempt": str(tries), "github.token": "not-a-token"}


def _machine(remote: Remote, folder: Path, result: Result) -> Machine:
    """A machine on which actions of others do what they do on this remote."""

    def act(action: str, given: dict[str, str]) -> None:
        match action:
            case "actions/checkout":
                assert (given["fetch-depth"], given["persist-credentials"]) == ("0", "False")
                remote.git(machine.folder, "clone", "--quiet", str(remote.bare), str(machine.workspace))
            case "actions/upload-artifact" if Path(given["path"]).exists():
                assert given["name"] not in result.kept
                result.kept[given["name"]] = Path(given["path"])
            case "actions/download-artifact":
                shutil.copytree(result.kept[given["name"]], given["path"])

    machine = Machine(
        folder, remote.environment, act, TEMPLATES, skipped=("Install",), descriptors=(remote.descriptor,)
    )
    return machine


def _end(machine: Machine, result: Result) -> None:
    """Take what a job leaves."""
    result.output += machine.output
    result.summary += machine.summary
    result.obeyed += machine.obeyed


def shell(
    script: str, cwd: Path, environment: dict[str, str], result: Result, descriptors: tuple[int, ...] = ()
) -> int:
    """Run a script as the services do, with these descriptors beside its streams; its exit code."""
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=cwd,
        env=environment,
        pass_fds=descriptors,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    result.output += done.stdout
    return done.returncode


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
            "CI_PIPELINE_URL": "https://gitlab.example.invalid/group/project/-/pipelines/1",
            "CI_SERVER_URL": f"file://{remote.folder / 'server'}",
            "CI_PROJECT_PATH": "group/project",
            "GITLAB_USER_NAME": "A User",
            "GITLAB_USER_EMAIL": "user@example.invalid",
            "WORKORDER_PLAN": remote.inputs["plan"],
            "WORKORDER_SPEC": remote.inputs["spec"],
            "WORKORDER_LLM": remote.inputs["model"],
            "WORKORDER_MAX_ATTEMPTS": remote.inputs["max-attempts"],
            "WORKORDER_JOBS": remote.inputs["jobs"],
            "WORKORDER_MAX_COST_USD": remote.inputs["budget"],
            "WORKORDER_PRICE": remote.inputs["model-price"],
        }
        if name == "workorder-push":
            environment["WORKORDER_PUSH_TOKEN"] = "not-a-token"
            shutil.copytree(result.kept["workorder"], project / "workorder")
        code = shell("\n".join(job["script"]), project, environment, result, (remote.descriptor,))
        shell("\n".join(job.get("after_script", [])), project, environment, result, (remote.descriptor,))
        if name == "workorder":
            result.exit_code = code
            assert job["artifacts"]["when"] == "always"
            (path,) = job["artifacts"]["paths"]
            result.kept["workorder"] = project / path
        else:
            assert code == 0, result.output
    return result

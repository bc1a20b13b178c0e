"""`workorder init`: a specification to start from, the configuration, and the files of a job for CI."""

from argparse import Namespace
from pathlib import Path
from typing import Final

from factory.attempt.exit_codes import ExitCode
from factory.contract.errors import WorkorderError
from factory.system.files.tree import write_atomic
from factory.system.templates import template_path
from factory.system.terminal.arguments import Commands, positive
from factory.system.terminal.console import Console

_SPEC: Final = "spec.md"
_CONFIGURATION: Final = "workorder.toml"
_BUILD: Final = ".github/workflows/workorder-build.yml"
_JOBS: Final = {
    "github": {
        ".github/workflows/workorder.yml": "ci/workorder.yml",
        _BUILD: "ci/workorder-build.yml",
        ".github/actions/workorder/action.yml": "ci/action.yml",
        ".github/actions/workorder/prepare/action.yml": "ci/prepare/action.yml",
        ".github/actions/workorder/execute/action.yml": "ci/execute/action.yml",
        ".github/actions/workorder/report/action.yml": "ci/report/action.yml",
    },
    "gitlab": {".gitlab-ci.yml": "ci/gitlab-ci.yml"},
}

_STEPS: Final = 100
_MOST_STEPS: Final = 450
"""Each leaves an artifact, and GitHub keeps 500 of a job."""


def add_options(commands: Commands) -> None:
    """Add the command and its options."""
    purpose = "write a specification to start from, and a configuration"
    command = commands.add_parser("init", help=purpose, description=f"{purpose[0].upper()}{purpose[1:]}.")
    command.add_argument(
        "directory",
        nargs="?",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="where they go, empty or not (default: here)",
    )
    command.add_argument("--ci", choices=sorted(_JOBS), help="also write the job that builds in CI")
    command.add_argument(
        "--steps",
        type=positive,
        metavar="N",
        help=f"with --ci github, how many work orders the job has steps for (default: {_STEPS})",
    )
    command.set_defaults(run=run)


def run(options: Namespace, console: Console) -> int:
    """Write the files; the exit code.

    Raises:
        WorkorderError: one of them is there already, or can't be written, or there are too many steps;
            then none is.
    """
    if options.steps is not None and (options.ci != "github" or options.steps > _MOST_STEPS):
        raise WorkorderError(
            f"--steps N goes with --ci github, and is {_MOST_STEPS} at most",
            hint="elsewhere a job has no steps for work orders, and GitHub keeps 500 artifacts of a job",
        )
    directory: Path = options.directory
    start = {_SPEC: "spec.md", _CONFIGURATION: "workorder.toml"}
    jobs = {} if options.ci is None else _JOBS[options.ci]
    there = [name for name in (*start, *jobs) if _is_there(directory / name)]
    # Who asks for the job may have begun the project before.
    kept = [name for name in there if jobs and name in start]
    there = [name for name in there if name not in kept]
    files = {name: template for name, template in (start | jobs).items() if name not in kept}
    if there:
        raise WorkorderError(
            "is there already, and nothing is written over it",
            where=str(directory / there[0]),
            hint="name another directory, or move it away",
        )
    for name in kept:
        console.progress(f"kept as it is: {directory / name}")
    for name, template in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = template_path(template).read_text(encoding="utf-8")
        if name == _BUILD:
            text = _with_steps(text, options.steps or _STEPS)
        write_atomic(path, text.encode())
        console.result(f"written: {path}")
    spec = directory / _SPEC
    console.progress(f"next: say in {spec} what is to be built, commit, then `workorder go {spec}`")
    return ExitCode.PASS


def _with_steps(workflow: str, steps: int) -> str:
    """The workflow with as many steps as are asked for, in the place of its one for the first work order."""
    start = workflow.index("      - name: ${{ fromJSON(steps.plan.outputs.names)[0]")
    end = workflow.index("\n\n", start) + 1
    step = workflow[start:end]
    repeated = "".join(step.replace("[0]", f"[{number}]") for number in range(steps))
    return workflow[:start] + repeated + workflow[end:].replace('after: "1"', f'after: "{steps}"', 1)


def _is_there(path: Path) -> bool:
    return path.is_symlink() or path.exists()

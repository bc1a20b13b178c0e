"""`planner compile`: writes a plan for a specification."""

from argparse import Namespace
from pathlib import Path

from factory.contract.errors import WorkorderError
from factory.system.terminal.arguments import Commands
from factory.system.terminal.console import Console
from planner.commands.options import add_asking, add_command, add_project


def add_options(commands: Commands) -> None:
    """Add the command and its options."""
    command = add_command(commands, "compile", "write a plan for a specification", run)
    made_for = command.section("what the plan is made for")
    made_for.add_argument(
        "--spec",
        type=Path,
        required=True,
        metavar="FILE",
        help="the specification: UTF-8 text, or data if the name ends in .yaml, .yml or .json",
    )
    made_for.add_argument(
        "--repo",
        type=Path,
        metavar="DIR",
        help="the git repository that the plan starts from (default: a new one)",
    )
    add_project(made_for)
    add_asking(command)


def run(options: Namespace, console: Console) -> int:
    """Compile as the options say; the exit code.

    Raises:
        WorkorderError: an input can't be used, or a file can't be written.
    """
    from factory.plans.states.locks import files_to_come
    from planner.commands.ask import execute
    from planner.commands.inputs import read_spec
    from planner.commands.job import job_of
    from planner.repository.sources import present_sources, sources_of_one

    if options.project is not None and options.repo is None:
        raise WorkorderError("has a meaning only with --repo", where="--project", hint="name the repository")
    spec = read_spec(options.spec)
    sources = sources_of_one(present_sources(options.repo), options.project)
    files = sources.files | files_to_come(sources)
    return execute(job_of(options, spec, files, sources), options, console)

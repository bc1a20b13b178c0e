"""`planner sync`: after the manifest was edited by hand, the rest of the plan's directory follows."""

from argparse import Namespace
from pathlib import Path

from factory.system.terminal.arguments import Commands
from factory.system.terminal.console import Console
from planner.commands.options import add_built_in, add_command, refuse_lone_branch
from planner.compile.exit_codes import ExitCode


def add_options(commands: Commands) -> None:
    """Add the command and its options."""
    command = add_command(
        commands, "sync", "write WO-*.json and the computed fields anew from an edited manifest", run
    )
    command.add_argument("plan", type=Path, metavar="PLAN", help="the directory of a plan")
    add_built_in(command)
    command.add_argument(
        "--overwrite", action="store_true", help="replace work orders that somebody may have edited, too"
    )


def run(options: Namespace, console: Console) -> int:
    """Bring a plan's directory up to date as the options say; the exit code.

    Raises:
        WorkorderError: there is no plan, or it can't be written without losing something.
    """
    from factory.plans.diagnostics.render import OutputFormat, render, summary
    from factory.plans.states.sources import NO_SOURCES
    from planner.check.on_disk import check_built_plan
    from planner.compile.sync import manifest_in, sync

    refuse_lone_branch(options)
    manifest = manifest_in(options.plan)
    checked, standing = check_built_plan(manifest, options.repo, options.branch, project=options.project)
    if checked.diagnostics:
        console.result(render(checked.diagnostics, OutputFormat.FULL))
    if checked.plan is None or not checked.ok:
        console.error(f"{manifest}: {summary(checked.diagnostics)}; nothing was written")
        return ExitCode.INVALID
    changed = sync(
        checked.plan,
        options.plan,
        standing.files if standing is not None else frozenset(),
        standing.sources if standing is not None else NO_SOURCES,
        overwrite=options.overwrite,
    )
    said = f"{', '.join(changed)} written anew" if changed else "every work order said so already"
    console.progress(f"{options.plan}: {said}; {summary(checked.diagnostics)}")
    return ExitCode.DONE

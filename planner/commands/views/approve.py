"""`planner approve`: a person has read a plan, and wants it built."""

from argparse import Namespace
from pathlib import Path

from factory.contract.errors import WorkorderError
from factory.system.terminal.arguments import Commands
from factory.system.terminal.console import Console, one_line
from planner.commands.options import add_command, add_plan, add_project
from planner.compile.exit_codes import ExitCode


def add_options(commands: Commands) -> None:
    """Add the command and its options."""
    command = add_command(
        commands, "approve", "write down that you have read a plan and want it built, as a tag in git", run
    )
    add_plan(command)
    command.add_argument(
        "--repo",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="the git repository that the plan is for (default: the current directory)",
    )
    add_project(command)


def run(options: Namespace, console: Console) -> int:
    """Make the tag; the exit code.

    Raises:
        WorkorderError: there is no sound plan, or the tag can't be made.
    """
    from factory.people.approvals import approve
    from factory.plans.diagnostics.render import OutputFormat, render, summary
    from factory.system.git.client import Git, user_identity
    from planner.check.on_disk import check_built_plan
    from planner.commands.inputs import refuse_missing

    checked, _ = check_built_plan(options.plan, options.repo, None, project=options.project)
    if checked.plan is None:
        return refuse_missing(checked.diagnostics, options.plan, "approve", console)
    if not checked.ok:
        console.progress(render(checked.diagnostics, OutputFormat.FULL))
        raise WorkorderError(
            f"{summary(checked.diagnostics)}; no such plan is built",
            where=str(options.plan),
            hint="revise it: planner revise",
        )
    git = Git.open(options.repo)
    approval = approve(git, checked.plan.in_project(options.project))
    for order in approval.orders:
        console.result(f"{order.id}  {one_line(order.title)}")
    if approval.tag:
        console.result(f"approved by {one_line(user_identity(options.repo))} as the tag {approval.tag}")
        remotes = git.text("remote").split()
        if remotes:
            remote = "origin" if "origin" in remotes else remotes[0]
            console.progress(f"next: git push {remote} {approval.tag}, where others or CI build it")
    else:
        console.result("all of it is approved already")
    return ExitCode.DONE

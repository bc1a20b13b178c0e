"""`planner revise`: revises a plan after a failure, for a changed specification or as the user says."""

from argparse import Namespace
from pathlib import Path

from factory.system.terminal.arguments import Commands
from factory.system.terminal.console import Console
from planner.commands.options import add_asking, add_built_in, add_command, add_old_spec, add_present_plan


def add_options(commands: Commands) -> None:
    """Add the command and its options."""
    purpose = "revise a plan after a failure, for a changed specification or as the user says"
    command = add_command(commands, "revise", purpose, run)
    revised = command.section("what is revised, and why")
    add_present_plan(revised)
    reason = revised.add_mutually_exclusive_group()
    reason.add_argument(
        "--failure", type=Path, metavar="FILE", help="the repair_request.json that the factory left"
    )
    reason.add_argument("--feedback", metavar="TEXT", help="what shall be otherwise, in your words")
    revised.add_argument(
        "--spec",
        type=Path,
        metavar="FILE",
        help="the specification; if it has changed, a reason by itself",
    )
    add_old_spec(revised)
    add_built_in(revised)
    add_asking(command)


def run(options: Namespace, console: Console) -> int:
    """Revise as the options say; the exit code.

    Raises:
        WorkorderError: an input can't be used, or a file can't be written.
    """
    from planner.check.on_disk import check_plan
    from planner.commands.ask import execute
    from planner.commands.inputs import refuse_missing
    from planner.commands.reasons.revision import refuse_impossible, revision_job

    refuse_impossible(options)
    checked = check_plan(options.plan, frozenset(), project=options.project)
    if checked.plan is None:
        return refuse_missing(checked.diagnostics, options.plan, "revise", console)
    return execute(revision_job(options, checked.plan, console), options, console)

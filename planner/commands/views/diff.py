"""`planner diff`: what one plan does otherwise than another."""

from argparse import Namespace
from pathlib import Path

from factory.system.terminal.arguments import Commands
from factory.system.terminal.console import Console
from planner.commands.options import add_command, add_plan
from planner.commands.views.show import FORMATS
from planner.compile.exit_codes import ExitCode


def add_options(commands: Commands) -> None:
    """Add the command and its options."""
    command = add_command(commands, "diff", "show what one plan does otherwise than another", run)
    add_plan(command)
    command.add_argument("other", type=Path, metavar="PLAN2", help="the plan after, such as a revision")
    command.add_argument(
        "--format", choices=FORMATS, default="text", help="how it is written (default: %(default)s)"
    )


def run(options: Namespace, console: Console) -> int:
    """Compare as the options say; the exit code.

    Raises:
        WorkorderError: a plan can't be read.
    """
    from planner.check.on_disk import check_plan
    from planner.commands.inputs import refuse_missing
    from planner.report.diff import counts, differences
    from planner.report.page import PageFormat, write_page

    plans = []
    for place in (options.plan, options.other):
        checked = check_plan(place, frozenset())
        if checked.plan is None:
            return refuse_missing(checked.diagnostics, place, "compare", console)
        plans.append(checked.plan)
    old, new = plans
    sections = differences(old, new)
    if sections:
        console.paged(write_page(counts(old, new), sections, PageFormat(options.format)))
    else:
        console.progress("the plans do the same")
    return ExitCode.DONE

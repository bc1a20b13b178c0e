"""`planner impact`: shows what a changed specification touches."""

from argparse import Namespace
from pathlib import Path

from factory.system.terminal.arguments import Commands
from factory.system.terminal.console import Console
from planner.commands.options import (
    add_built_in,
    add_command,
    add_old_spec,
    add_present_plan,
    refuse_lone_branch,
)
from planner.compile.exit_codes import ExitCode


def add_options(commands: Commands) -> None:
    """Add the command and its options."""
    command = add_command(
        commands, "impact", "show what a changed specification touches; no model is asked", run
    )
    add_present_plan(command)
    command.add_argument("--spec", type=Path, required=True, metavar="FILE", help="the changed specification")
    add_old_spec(command)
    add_built_in(command)
    command.add_argument(
        "--output-format",
        choices=("text", "json"),
        default="text",
        help="how the impact is shown (default: %(default)s)",
    )
    command.add_argument(
        "--exit-code",
        action="store_true",
        help="return 2 if the specification touches something: the plan does not fit it",
    )


def run(options: Namespace, console: Console) -> int:
    """Show the impact as the options say; the exit code, which tells whether there is one if that is asked.

    Raises:
        WorkorderError: an input can't be used.
    """
    from planner.check.on_disk import check_plan
    from planner.commands.inputs import read_old_spec, read_spec, refuse_missing
    from planner.commands.reasons.comparison import COMPARE, impact_of, is_made_for
    from planner.report.impact import ImpactFormat, counts, write_impact

    refuse_lone_branch(options)
    spec = read_spec(options.spec)
    checked = check_plan(options.plan, frozenset(), project=options.project)
    if checked.plan is None:
        return refuse_missing(checked.diagnostics, options.plan, "compare", console)
    old_spec = read_old_spec(options.old_spec, options.plan, checked.plan)
    standing = None
    if options.repo is not None:
        from planner.repository.landed import landed_plan

        standing = landed_plan(options.repo, checked.plan, options.branch, options.project)
    impact = impact_of(checked.plan, standing, spec, old_spec)
    landed = None if standing is None else standing.commits
    console.result(write_impact(impact, checked.plan, landed, ImpactFormat(options.output_format)))
    console.progress(f"{options.plan}: {counts(impact)}")
    if old_spec is None and not is_made_for(checked.plan, spec):
        console.progress(COMPARE)
    return ExitCode.INVALID if options.exit_code and not impact.is_empty else ExitCode.DONE

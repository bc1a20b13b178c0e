"""`planner check`: checks a plan that exists."""

from argparse import Namespace
from pathlib import Path

from factory.system.terminal.arguments import Commands
from factory.system.terminal.console import Console
from planner.commands.options import (
    add_allowed_packages,
    add_built_in,
    add_command,
    add_output_format,
    add_plan,
    refuse_lone_branch,
)
from planner.compile.exit_codes import ExitCode


def add_options(commands: Commands) -> None:
    """Add the command and its options."""
    command = add_command(commands, "check", "check a plan that exists; no model is asked", run)
    add_plan(command)
    add_built_in(command)
    command.add_argument(
        "--spec", type=Path, metavar="FILE", help="the specification that the plan is for, to compare the two"
    )
    add_allowed_packages(command)
    add_output_format(command)
    command.add_argument(
        "--all", action="store_true", help="show each of many findings with one cause, not only the first"
    )
    command.add_argument(
        "--strict",
        action="store_true",
        help="end with exit code 2 at warnings that the plan does not accept, too",
    )


def run(options: Namespace, console: Console) -> int:
    """Check as the options say; the exit code.

    Raises:
        WorkorderError: an input can't be used.
    """
    from factory.plans.diagnostics.render import OutputFormat, render, summary
    from planner.check.on_disk import check_built_plan
    from planner.commands.inputs import plan_files, read_spec

    refuse_lone_branch(options)
    spec = None if options.spec is None else read_spec(options.spec)
    checked, standing = check_built_plan(
        options.plan, options.repo, options.branch, spec, options.allow_packages, options.project
    )
    output_format = OutputFormat(options.output_format)
    text = render(checked.diagnostics, output_format, plan_files(options.plan), folds=not options.all)
    if text:
        console.result(text)
    report = summary(checked.diagnostics)
    if standing is not None and checked.plan is not None and standing.commits:
        report += (
            f"; {len(standing.commits)} of {len(checked.plan.work_orders)} have landed and are not judged"
        )
    console.progress(f"{options.plan}: {report}")
    passes = checked.ok and not (options.strict and checked.warnings)
    return ExitCode.DONE if passes else ExitCode.INVALID

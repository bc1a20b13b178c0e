"""`planner trace`: follows each line of a specification to the commits that fulfil it."""

from argparse import Namespace
from pathlib import Path

from factory.system.terminal.arguments import Commands
from factory.system.terminal.console import Console
from planner.commands.options import add_built_in, add_command, add_plan, refuse_lone_branch
from planner.compile.exit_codes import ExitCode


def add_options(commands: Commands) -> None:
    """Add the command and its options."""
    command = add_command(
        commands, "trace", "follow each line of a specification to the commits that fulfil it", run
    )
    add_plan(command)
    command.add_argument(
        "--spec", type=Path, required=True, metavar="FILE", help="the specification that the plan is for"
    )
    add_built_in(command)
    command.add_argument(
        "--output-format",
        choices=("text", "json", "markdown"),
        default="text",
        help="how the matrix is shown (default: %(default)s)",
    )


def run(options: Namespace, console: Console) -> int:
    """Show the trace as the options say; the exit code.

    The plan is judged by the rules on requirements alone: the others depend on the files that it started
    from, which a repository that it was built in no longer shows.

    Raises:
        WorkorderError: an input can't be used.
    """
    from factory.plans.diagnostics.diagnostic import Severity
    from factory.plans.diagnostics.render import OutputFormat, render
    from planner.check.on_disk import check_plan
    from planner.commands.inputs import read_spec, refuse_missing
    from planner.plan.trace import trace
    from planner.report.trace import TraceFormat, counts, write_trace

    refuse_lone_branch(options)
    spec = read_spec(options.spec)
    checked = check_plan(options.plan, frozenset(), spec, project=options.project)
    if checked.plan is None:
        return refuse_missing(checked.diagnostics, options.plan, "trace", console)
    landed, skipped = None, {}
    if options.repo is not None:
        from planner.repository.landed import landings, left_out
        from planner.repository.sources import present_sources, sources_of_one

        # A project that is not there is told before anything is compared.
        sources_of_one(present_sources(options.repo), options.project)
        landed = landings(options.repo, checked.plan, options.branch)
        skipped = left_out(options.repo, checked.plan)
    traced = trace(checked.plan, spec, landed, skipped)
    console.result(write_trace(traced, TraceFormat(options.output_format), str(options.spec)))
    errors = tuple(
        diagnostic
        for diagnostic in checked.diagnostics
        if diagnostic.severity is Severity.ERROR and diagnostic.code.startswith("E2")
    )
    if errors:
        console.progress(render(errors, OutputFormat.FULL))
    console.progress(f"{options.plan}: {counts(traced)}")
    return ExitCode.INVALID if errors else ExitCode.DONE

"""`planner graph`: draws which work orders depend on which."""

from argparse import Namespace

from factory.system.terminal.arguments import Commands
from factory.system.terminal.console import Console
from planner.commands.options import add_built_in, add_command, add_plan, refuse_lone_branch
from planner.compile.exit_codes import ExitCode


def add_options(commands: Commands) -> None:
    """Add the command and its options."""
    command = add_command(commands, "graph", "draw which work orders depend on which", run)
    add_plan(command)
    add_built_in(command)
    command.add_argument(
        "--format",
        choices=("mermaid", "dot", "json"),
        default="mermaid",
        help="the language of the drawing (default: %(default)s)",
    )


def run(options: Namespace, console: Console) -> int:
    """Draw as the options say; the exit code.

    Raises:
        WorkorderError: an input can't be used.
    """
    from factory.plans.states.dependencies import depends_on
    from factory.plans.states.sources import NO_SOURCES
    from planner.check.on_disk import check_built_plan
    from planner.commands.inputs import refuse_missing
    from planner.report.diagram import GraphFormat, draw

    refuse_lone_branch(options)
    checked, standing = check_built_plan(options.plan, options.repo, options.branch, project=options.project)
    if checked.plan is None:
        return refuse_missing(checked.diagnostics, options.plan, "draw", console)
    files = frozenset[str]() if standing is None else standing.files
    sources = NO_SOURCES if standing is None else standing.sources
    dependencies = depends_on(checked.plan, files, sources)
    console.result(draw(checked.plan, dependencies, GraphFormat(options.format)))
    return ExitCode.DONE

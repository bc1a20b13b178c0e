"""`planner trace`, put together: plan, specification and repository are read, the matrix is shown."""

from argparse import Namespace
from collections.abc import Iterable
from typing import Final

from factory.system.terminal.console import Console
from planner.check.on_disk import check_plan
from planner.commands.inputs import read_spec
from planner.commands.options import refuse_lone_branch
from planner.diagnostics.diagnostic import Diagnostic, Severity
from planner.diagnostics.render import OutputFormat, render
from planner.plan.trace import trace
from planner.report.trace import TraceFormat, counts, write_trace

_VALIDATION_FAILED: Final = 2


def run(options: Namespace, console: Console) -> int:
    """Show the trace as the options say; the exit code.

    The plan is judged by the rules on requirements alone: the others depend on the files that it started
    from, which a repository that it was built in no longer shows.

    Raises:
        WorkorderError: an input can't be used.
    """
    refuse_lone_branch(options)
    spec = read_spec(options.spec)
    checked = check_plan(options.plan, frozenset(), spec)
    if checked.plan is None:
        console.progress(render(checked.diagnostics, OutputFormat.FULL))
        console.error(f"{options.plan}: there is no plan to trace")
        return _VALIDATION_FAILED
    commits = None
    if options.repo is not None:
        from planner.repository.landed import landed_commits

        commits = landed_commits(options.repo, checked.plan, options.branch)
    traced = trace(checked.plan, spec, commits)
    console.result(write_trace(traced, TraceFormat(options.output_format), str(options.spec)))
    errors = tuple(_errors_of_requirements(checked.diagnostics))
    if errors:
        console.progress(render(errors, OutputFormat.FULL))
    console.progress(f"{options.plan}: {counts(traced)}")
    return _VALIDATION_FAILED if errors else 0


def _errors_of_requirements(diagnostics: Iterable[Diagnostic]) -> Iterable[Diagnostic]:
    return (one for one in diagnostics if one.severity is Severity.ERROR and one.code.startswith("E2"))

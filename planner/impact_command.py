"""`planner impact`, put together: plan, specifications and repository are read, the impact is shown."""

from argparse import Namespace
from typing import Final

from factory.contract.errors import WorkorderError
from factory.contract.work_order import Plan
from factory.system.console import Console
from planner.check_plan import check_plan
from planner.dependencies import depends_on
from planner.impact import Impact, impact
from planner.impact_text import ImpactFormat, counts, write_impact
from planner.inputs import read_spec
from planner.render import OutputFormat, render
from planner.spec import Spec

_VALIDATION_FAILED: Final = 2


def run(options: Namespace, console: Console) -> int:
    """Show the impact as the options say; the exit code.

    Raises:
        WorkorderError: an input can't be used.
    """
    if options.branch is not None and options.repo is None:
        raise WorkorderError("has a meaning only with --repo", where="--branch", hint="name the repository")
    spec = read_spec(options.spec)
    old_spec = None if options.old_spec is None else read_spec(options.old_spec)
    checked = check_plan(options.plan, frozenset())
    if checked.plan is None:
        console.progress(render(checked.diagnostics, OutputFormat.FULL))
        console.error(f"{options.plan}: there is no plan to compare")
        return _VALIDATION_FAILED
    landed = None
    files: frozenset[str] = frozenset()
    if options.repo is not None:
        from planner.landed import landed_commits, starting_point

        landed = landed_commits(options.repo, checked.plan, options.branch)
        files = starting_point(options.repo, tuple(landed.values()), options.branch).files
    found = impact_of(checked.plan, files, spec, old_spec)
    console.result(write_impact(found, checked.plan, landed, ImpactFormat(options.output_format)))
    console.progress(f"{options.plan}: {counts(found)}")
    return 0


def impact_of(plan: Plan, repo_files: frozenset[str], spec: Spec, old_spec: Spec | None) -> Impact:
    """The impact on a plan, whose dependencies are computed if it does not tell all of them.

    If the plan says that it was made for the same specification, that is the one before.

    Args:
        plan: the plan.
        repo_files: the files that it started from.
        spec: the changed specification.
        old_spec: the one before, if it is known.
    """
    told = [order.depends_on for order in plan.work_orders if order.depends_on is not None]
    dependencies = tuple(told) if len(told) == len(plan.work_orders) else depends_on(plan, repo_files)
    provenance = plan.work_orders[0].provenance
    if old_spec is None and provenance is not None and provenance.spec_hash == spec.sha256:
        old_spec = spec
    return impact(plan, dependencies, spec, old_spec)

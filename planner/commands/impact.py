"""`planner impact`, put together: plan, specifications and repository are read, the impact is shown."""

from argparse import Namespace
from typing import TYPE_CHECKING, Final

from factory.contract.work_order import Plan
from factory.system.terminal.console import Console
from planner.check.on_disk import check_plan
from planner.commands.inputs import read_spec
from planner.commands.options import refuse_lone_branch
from planner.diagnostics.render import OutputFormat, render
from planner.plan.dependencies import depends_on
from planner.report.impact import ImpactFormat, counts, write_impact
from planner.repository.sources import NO_SOURCES
from planner.revision.impact import Impact, impact
from planner.specification.spec import Spec

if TYPE_CHECKING:
    from planner.repository.landed import Built

COMPARE: Final = (
    "--old-spec FILE, the specification that the plan was made for, shows more: lines that grew around a"
    " quote, and what is no longer asked for"
)
"""What a user hears who gives the changed specification alone."""

_VALIDATION_FAILED: Final = 2


def run(options: Namespace, console: Console) -> int:
    """Show the impact as the options say; the exit code, which tells whether there is one if that is asked.

    Raises:
        WorkorderError: an input can't be used.
    """
    refuse_lone_branch(options)
    spec = read_spec(options.spec)
    old_spec = None if options.old_spec is None else read_spec(options.old_spec)
    checked = check_plan(options.plan, frozenset())
    if checked.plan is None:
        console.progress(render(checked.diagnostics, OutputFormat.FULL))
        console.error(f"{options.plan}: there is no plan to compare")
        return _VALIDATION_FAILED
    standing = None
    if options.repo is not None:
        from planner.repository.landed import built

        standing = built(options.repo, checked.plan, options.branch)
    found = impact_of(checked.plan, standing, spec, old_spec)
    landed = None if standing is None else standing.commits
    console.result(write_impact(found, checked.plan, landed, ImpactFormat(options.output_format)))
    console.progress(f"{options.plan}: {counts(found)}")
    if old_spec is None and not is_made_for(checked.plan, spec):
        console.progress(COMPARE)
    return _VALIDATION_FAILED if options.exit_code and not found.is_empty else 0


def impact_of(plan: Plan, standing: "Built | None", spec: Spec, old_spec: Spec | None) -> Impact:
    """The impact on a plan, whose dependencies are computed if it does not tell all of them.

    If the plan says that it was made for the same specification, that is the one before.

    Args:
        plan: the plan.
        standing: what a repository holds of it; None if nobody looked.
        spec: the changed specification.
        old_spec: the one before, if it is known.
    """
    told = [order.depends_on for order in plan.work_orders if order.depends_on is not None]
    files = frozenset[str]() if standing is None else standing.files
    sources = NO_SOURCES if standing is None else standing.sources
    is_told = len(told) == len(plan.work_orders)
    dependencies = tuple(told) if is_told else depends_on(plan, files, sources)
    if old_spec is None and is_made_for(plan, spec):
        old_spec = spec
    return impact(
        plan, dependencies, spec, old_spec, writes=None if standing is None else standing.writes(plan)
    )


def is_made_for(plan: Plan, spec: Spec) -> bool:
    """Whether a plan says that it was made for this very specification."""
    provenance = plan.work_orders[0].provenance
    return provenance is not None and provenance.spec_hash == spec.sha256

"""A plan beside a changed specification: the impact, and whether the plan was made for that very one."""

from typing import TYPE_CHECKING, Final

from factory.contract.work_order import Plan
from factory.plans.states.dependencies import depends_on
from factory.plans.states.sources import NO_SOURCES
from planner.revision.impact import Impact, impact
from planner.specification.spec import Spec

if TYPE_CHECKING:
    from planner.repository.landed import LandedPlan

COMPARE: Final = (
    "--old-spec FILE, the specification that the plan was made for, shows more: lines that grew around a"
    " quote, and what is no longer asked for"
)
"""What a user hears who gives the changed specification alone."""


def impact_of(plan: Plan, standing: "LandedPlan | None", spec: Spec, old_spec: Spec | None) -> Impact:
    """The impact on a plan, whose dependencies are computed if it does not tell all of them.

    If the plan says that it was made for the same specification, that is the one before.

    Args:
        plan: the plan.
        standing: what a repository holds of it; None if nobody looked.
        spec: the changed specification.
        old_spec: the one before, if it is known.
    """
    given = [order.depends_on for order in plan.work_orders if order.depends_on is not None]
    files = frozenset[str]() if standing is None else standing.files
    sources = NO_SOURCES if standing is None else standing.sources
    is_given = len(given) == len(plan.work_orders)
    dependencies = tuple(given) if is_given else depends_on(plan, files, sources)
    if old_spec is None and is_made_for(plan, spec):
        old_spec = spec
    return impact(
        plan, dependencies, spec, old_spec, writes=None if standing is None else standing.writes(plan)
    )


def is_made_for(plan: Plan, spec: Spec) -> bool:
    """Whether a plan says that it was made for this very specification."""
    provenance = plan.work_orders[0].provenance
    return provenance is not None and provenance.spec_hash == spec.sha256

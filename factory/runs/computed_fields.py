"""What follows from a plan and the files that it is executed on, computed anew: nobody is believed there."""

from collections.abc import Collection

from factory.contract.work_order import Plan
from factory.plans.states.dependencies import depends_on
from factory.plans.states.file_state import verify_exempt
from factory.plans.states.sources import Sources


def with_computed_fields(
    plan: Plan, files: frozenset[str], sources: Sources, landed: Collection[str] = ()
) -> Plan:
    """A plan with `verify_exempt` and `depends_on`, whatever it said about them before.

    What a work order without provenance says of its dependencies stays: a person wrote it, who may know of
    more than follows from files.

    Args:
        plan: the plan.
        files: the tracked files that it starts from.
        sources: the repository as it is now, with what has landed.
        landed: the ids of the work orders that have landed, in whatever order.
    """
    dependencies_of = depends_on(plan, files, sources, landed)
    computed = zip(plan.work_orders, verify_exempt(plan, files), dependencies_of, strict=True)
    orders = tuple(
        order.model_copy(
            update={
                "verify_exempt": exempt,
                "depends_on": order.depends_on if order.provenance is None else dependencies,
            }
        )
        for order, exempt, dependencies in computed
    )
    return plan.model_copy(update={"work_orders": orders})

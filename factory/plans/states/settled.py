"""Which parts of a plan can't be mended any more: work orders that have landed."""

from collections.abc import Collection

from factory.contract.work_order import Plan


def settled(plan: Plan, landed: Collection[str]) -> frozenset[str]:
    """The pointers of the work orders that have landed: nothing in there can be mended any more."""
    return frozenset(
        f"/work_orders/{index}" for index, order in enumerate(plan.work_orders) if order.id in landed
    )

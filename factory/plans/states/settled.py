"""Which parts of a plan can't be mended any more: work orders that have landed at their places."""

from collections.abc import Collection

from factory.contract.work_order import Plan, work_order_id


def settled(plan: Plan, landed: Collection[str]) -> frozenset[str]:
    """The pointers of the work orders that have landed and stand at their places.

    Nothing in there can be mended any more.
    """
    ids = [order.id for order in plan.work_orders]
    return frozenset(
        f"/work_orders/{index}"
        for index, name in enumerate(ids)
        if name in landed and name == work_order_id(index + 1)
    )

"""Which work orders may start, which may land next, and which are given up after a failure. Pure.

The result of a work order depends on its base alone, and its base on its transitive dependencies alone. So
every schedule, with any number of workers, gives the same results.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from factory.contract.work_order import Plan, WorkOrder


@dataclass(frozen=True)
class Dependencies:
    """Who depends on whom, directly and transitively.

    Attributes:
        order: the ids in the plan's order.
        direct: those that each depends on directly, each after those that it depends on itself.
        transitive: the same of all that it depends on.
    """

    order: tuple[str, ...]
    direct: Mapping[str, tuple[str, ...]]
    transitive: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, plan: Plan) -> "Dependencies":
        """The dependencies that the planner computed; without them, each work order needs all before it."""
        ids = tuple(order.id for order in plan.work_orders)
        named = {order.id: _named(order, ids, index) for index, order in enumerate(plan.work_orders)}
        position = {order_id: index for index, order_id in enumerate(_ranked(named))}
        direct: dict[str, tuple[str, ...]] = {}
        transitive: dict[str, tuple[str, ...]] = {}
        for order_id in position:
            here = position[order_id]
            before = [other for other in named[order_id] if position.get(other, here) < here]
            direct[order_id] = tuple(sorted(before, key=position.__getitem__))
            reached = set(before).union(*(transitive[dependency] for dependency in before))
            transitive[order_id] = tuple(sorted(reached, key=position.__getitem__))
        return cls(ids, direct, transitive)

    def dependents(self, order_id: str) -> tuple[str, ...]:
        """All that depend on it, directly or not."""
        return tuple(other for other in self.order if order_id in self.transitive[other])


def startable(
    dependencies: Dependencies, waiting: Collection[str], passed: Collection[str]
) -> tuple[str, ...]:
    """The work orders that may start now, in the plan's order.

    Args:
        dependencies: of the plan.
        waiting: those that have not started and are not given up.
        passed: those whose gates have passed, landed or not.
    """
    could, done = frozenset(waiting), frozenset(passed)
    return tuple(
        order_id
        for order_id in dependencies.order
        if order_id in could and done.issuperset(dependencies.direct[order_id])
    )


def turns(dependencies: Dependencies, settled: Collection[str]) -> Iterator[str]:
    """The work orders in the order in which they may land: in the plan's order, those that are not settled.

    Args:
        dependencies: of the plan.
        settled: those that have landed, failed or are given up.
    """
    return (order_id for order_id in dependencies.order if order_id not in settled)


@dataclass(frozen=True)
class GivenUp:
    """The work orders that are not executed because of failures.

    Attributes:
        blocked: those that depend on a failed one.
        unreached: those that merely come after one, when the first failure ends the build.
    """

    blocked: frozenset[str]
    unreached: frozenset[str]

    def __contains__(self, order_id: object) -> bool:
        return order_id in self.blocked or order_id in self.unreached

    def __bool__(self) -> bool:
        return bool(self.blocked or self.unreached)


def given_up(dependencies: Dependencies, failed: Collection[str], *, keep_going: bool) -> GivenUp:
    """What a sequential build would not reach.

    Args:
        dependencies: of the plan.
        failed: those that failed.
        keep_going: whether what does not depend on a failure goes on.
    """
    if not failed:
        return GivenUp(frozenset(), frozenset())
    first = min(failed, key=dependencies.order.index)
    # A sequential build that ends at the first failure knows of no other.
    counted = failed if keep_going else (first,)
    blocked = {other for order_id in counted for other in dependencies.dependents(order_id)} - set(counted)
    later = () if keep_going else dependencies.order[dependencies.order.index(first) + 1 :]
    return GivenUp(frozenset(blocked), frozenset(later) - blocked)


def _named(order: WorkOrder, ids: Sequence[str], index: int) -> tuple[str, ...]:
    if order.depends_on is None:
        return tuple(ids[:index])
    return tuple(dependency for dependency in order.depends_on if dependency != order.id)


def _ranked(named: Mapping[str, Collection[str]]) -> tuple[str, ...]:
    """The plan's order, but each work order after those that it depends on, as of what has landed."""
    ranked: dict[str, None] = {}
    for order_id in named:
        waiting = [order_id]
        while waiting:
            following = [
                other
                for other in named[waiting[-1]]
                if other in named and other not in ranked and other not in waiting
            ]
            if following:
                waiting.append(following[0])
            else:
                ranked[waiting.pop()] = None
    return tuple(ranked)

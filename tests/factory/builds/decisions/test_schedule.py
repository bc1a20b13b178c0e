"""Any order of starting and ending gives the plan's order of landing, and never what is not ready."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from factory.builds.decisions.schedule import Dependencies, given_up, startable, turns
from tests.support.imagined_builds import needs, plan_of


def test_without_depends_on_each_needs_all_before_it() -> None:
    dependencies = Dependencies.of(plan_of([None, None, None]))

    assert dependencies.direct["WO-03"] == ("WO-01", "WO-02")
    assert startable(dependencies, dependencies.order, ()) == ("WO-01",)


@given(needs())
def test_transitive_dependencies_are_closed_and_in_the_plans_order(named: list[list[int]]) -> None:
    dependencies = Dependencies.of(plan_of(named))

    for order_id in dependencies.order:
        reached = dependencies.transitive[order_id]
        assert list(reached) == [other for other in dependencies.order if other in reached]
        assert set(dependencies.direct[order_id]) <= set(reached)
        for other in reached:
            assert set(dependencies.transitive[other]) <= set(reached)
            assert order_id in dependencies.dependents(other)
        assert order_id not in reached


@given(needs(), st.randoms(use_true_random=False))
def test_every_schedule_starts_all_and_each_after_what_it_needs(
    named: list[list[int]], chance: Random
) -> None:
    dependencies = Dependencies.of(plan_of(named))
    passed: list[str] = []
    landed: list[str] = []
    while len(passed) < len(dependencies.order):
        ready = startable(
            dependencies, [order_id for order_id in dependencies.order if order_id not in passed], passed
        )
        assert ready
        assert all(set(dependencies.transitive[order_id]) <= set(passed) for order_id in ready)
        passed.append(chance.choice(ready))
        while (turn := next(turns(dependencies, landed), None)) in passed:
            assert turn is not None
            landed.append(turn)

    assert tuple(landed) == dependencies.order
    assert list(turns(dependencies, landed)) == []


@given(needs(), st.data())
def test_what_is_given_up_is_what_a_sequential_build_would_not_reach(
    named: list[list[int]], data: st.DataObject
) -> None:
    dependencies = Dependencies.of(plan_of(named))
    failed = data.draw(st.sets(st.sampled_from(dependencies.order), min_size=1))
    first = min(dependencies.order.index(order_id) for order_id in failed)

    going_on = given_up(dependencies, failed, keep_going=True)
    ending = given_up(dependencies, failed, keep_going=False)

    assert going_on.unreached == frozenset()
    for place, order_id in enumerate(dependencies.order):
        hit = order_id not in failed and bool(failed & set(dependencies.transitive[order_id]))
        assert (order_id in going_on) == (order_id in going_on.blocked) == hit
        assert (order_id in ending) == (place > first)
        assert (order_id in ending.blocked) == (
            dependencies.order[first] in dependencies.transitive[order_id]
        )
    assert not ending.blocked & ending.unreached
    assert not given_up(dependencies, (), keep_going=False).blocked

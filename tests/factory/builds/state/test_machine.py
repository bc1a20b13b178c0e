"""The tables of states are closed: nothing is missing, out of reach, or let through."""

import itertools
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import pytest

from factory.builds.state.machine import (
    BUILD_TRANSITIONS,
    ORDER_TRANSITIONS,
    BuildPhase,
    IllegalTransition,
    OrderPhase,
    next_build_phase,
    next_order_phase,
)

TABLES: list[Any] = [
    pytest.param(BuildPhase, BUILD_TRANSITIONS, next_build_phase, BuildPhase.INIT, id="build"),
    pytest.param(OrderPhase, ORDER_TRANSITIONS, next_order_phase, OrderPhase.PENDING, id="work order"),
]


@pytest.mark.parametrize(("states", "table", "following", "first"), TABLES)
class TestTables:
    def test_every_state_has_its_line_and_a_way_out(
        self, states: type[StrEnum], table: Mapping[Any, Any], following: Any, first: Any
    ) -> None:
        assert set(table) == set(states)
        assert set().union(*table.values()) <= set(states)
        # Every ended build, and every ended work order, can be taken up again.
        assert all(table.values())

    def test_every_state_can_be_reached(
        self, states: type[StrEnum], table: Mapping[Any, Any], following: Any, first: Any
    ) -> None:
        reached = {first}
        for _ in states:
            reached |= set().union(*(table[state] for state in reached))

        assert reached == set(states)

    def test_what_is_not_in_the_table_raises(
        self, states: type[StrEnum], table: Mapping[Any, Any], following: Any, first: Any
    ) -> None:
        for before, after in itertools.product(states, states):
            if after in table[before]:
                assert following(before, after) is after
            else:
                with pytest.raises(IllegalTransition, match=f"{before} → {after}"):
                    following(before, after)


def test_nothing_lands_without_gates_but_what_is_on_the_branch_already() -> None:
    before_landed = {state for state, after in ORDER_TRANSITIONS.items() if OrderPhase.LANDED in after}

    assert before_landed == {OrderPhase.TESTING, OrderPhase.PENDING}


@pytest.mark.parametrize("ended", [OrderPhase.LANDED, OrderPhase.FAILED, OrderPhase.BLOCKED])
def test_an_ended_work_order_only_goes_back_to_the_beginning(ended: OrderPhase) -> None:
    assert ORDER_TRANSITIONS[ended] == {OrderPhase.PENDING}

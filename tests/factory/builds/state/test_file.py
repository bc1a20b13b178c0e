"""`state.json` is the whole state, however little of it changed."""

from pathlib import Path

import pytest

from factory.builds.state.file import STATE_FILE, StateFile, load_state, save_state
from factory.builds.state.machine import OrderPhase
from factory.builds.state.model import BuildState
from factory.builds.state.records import Records
from factory.contract.canonical import dump, readable_json
from factory.contract.work_order import Plan
from factory.system.clock import SystemClock
from tests.support.repositories import a_work_order


def a_state(*titles: str, branch: str = "main") -> BuildState:
    orders = [a_work_order(id=f"WO-{n:02d}", title=title) for n, title in enumerate(titles, start=1)]
    plan = Plan.model_validate({"work_orders": orders})
    return BuildState.of(plan, repository="/r/.git", branch=branch, base="0" * 40, now="2026-01-01")


@pytest.mark.parametrize("titles", [("One",), ("One", 'Two\n  "orders": []', "Three")])
def test_each_change_leaves_the_file_that_telling_all_of_it_would(
    titles: tuple[str, ...], tmp_path: Path
) -> None:
    file, state = StateFile(tmp_path), a_state(*titles, branch='a\n  "orders": []')
    file.save(state)

    for order in (state.orders[-1], state.orders[0], state.orders[-1]):
        changed = order.model_copy(update={"state": OrderPhase.TESTING, "attempt": order.attempt + 1})
        state = state.with_order(changed)
        file.save(state)

        assert (tmp_path / STATE_FILE).read_bytes() == readable_json(dump(state))
    assert load_state(tmp_path) == state


def test_what_can_wait_is_told_with_the_next_change_or_when_there_is_time(tmp_path: Path) -> None:
    state = a_state("One", "Two")
    records = Records(state, tmp_path, SystemClock(), lambda _event: None)

    def told() -> list[OrderPhase]:
        return [order.state for order in load_state(tmp_path).orders]

    records.order("WO-01", OrderPhase.GENERATING)
    records.order("WO-01", OrderPhase.TESTING, at_once=False)
    assert told() == [OrderPhase.GENERATING, OrderPhase.PENDING]
    records.write()
    assert told() == [OrderPhase.TESTING, OrderPhase.PENDING]
    records.order("WO-01", OrderPhase.PATCHING, at_once=False)
    records.order("WO-02", OrderPhase.GENERATING)
    assert told() == [OrderPhase.PATCHING, OrderPhase.GENERATING]


def test_a_build_of_nothing_is_told_as_well(tmp_path: Path) -> None:
    state = a_state("One").model_copy(update={"orders": ()})

    save_state(tmp_path, state)

    assert (tmp_path / STATE_FILE).read_bytes() == readable_json(dump(state))

"""The state of a build as a document: what it adds up, keeps and tells."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from factory.attempt.failure import Failure, FailureClass, Stage
from factory.builds.state.attempts import AttemptRecord, LastFailure, RunEntry, Spending
from factory.builds.state.machine import OrderPhase
from factory.builds.state.model import BuildState, plan_difference
from factory.builds.state.order import OrderState
from factory.contract.canonical import dump
from factory.contract.work_order import Plan
from tests.support.repositories import a_work_order

NOW = "2026-01-01T00:00:00.000Z"

ATTEMPTS = st.builds(
    AttemptRecord,
    attempt=st.integers(1, 9),
    passed=st.booleans(),
    input_tokens=st.integers(0, 1_000_000),
    output_tokens=st.integers(0, 1_000_000),
    cost_usd=st.one_of(st.none(), st.decimals(0, 100, places=6).map(float)),
)
RUNS = st.lists(
    st.builds(RunEntry, run_id=st.sampled_from("abcde"), attempts=st.lists(ATTEMPTS, max_size=3).map(tuple)),
    max_size=6,
)


def plan_of(*titles: str) -> Plan:
    orders = [a_work_order(id=f"WO-{n:02d}", title=title) for n, title in enumerate(titles, start=1)]
    return Plan.model_validate({"work_orders": orders})


def state_of(plan: Plan) -> BuildState:
    return BuildState.of(plan, repository="/r/.git", branch="main", base="0" * 40, now=NOW)


def tried(runs: Sequence[RunEntry]) -> OrderState:
    order = state_of(plan_of("One")).orders[0]
    for run in runs:
        order = order.with_run(run)
    return order


@given(RUNS)
def test_a_run_counts_once_and_as_it_was_told_last(runs: list[RunEntry]) -> None:
    order = tried(runs)

    assert {run.run_id: run for run in order.runs} == {run.run_id: run for run in runs}
    assert len(order.runs) == len({run.run_id for run in runs})


@given(RUNS, st.sampled_from("abcdef"))
def test_what_is_not_wasted_is_the_passed_attempts_of_the_run_that_landed(
    runs: list[RunEntry], landed: str
) -> None:
    order = tried(runs).model_copy(update={"commit": "c", "landed_run": landed})
    useful = [
        attempt for run in order.runs if run.run_id == landed for attempt in run.attempts if attempt.passed
    ]

    spent, wasted, used = order.spent, Spending.on(order.wasted_attempts), Spending.on(useful)

    assert list(order.useful_attempts) == useful
    assert spent.input_tokens == wasted.input_tokens + used.input_tokens
    assert spent.output_tokens == wasted.output_tokens + used.output_tokens
    costs = [part.cost_usd or 0.0 for part in (wasted, used)]
    assert abs((spent.cost_usd or 0.0) - sum(costs)) < 1e-5


@given(st.lists(ATTEMPTS, max_size=3))
def test_a_price_that_is_not_known_is_not_zero(attempts: list[AttemptRecord]) -> None:
    unpriced = [attempt.model_copy(update={"cost_usd": None}) for attempt in attempts]

    assert Spending.on(unpriced).cost_usd is None


def test_a_state_survives_the_way_to_the_disk_and_back() -> None:
    state = state_of(plan_of("One", "Two"))
    changed = state.with_order(state.order("WO-02").model_copy(update={"state": OrderPhase.FAILED}))

    assert BuildState.model_validate(dump(changed)) == changed
    assert [order.state for order in changed.orders] == [OrderPhase.PENDING, OrderPhase.FAILED]


def test_a_build_is_named_by_its_plan_its_branch_and_its_base() -> None:
    plan = plan_of("One")
    states = [
        state_of(plan),
        state_of(plan_of("Another")),
        BuildState.of(plan, repository="/r/.git", branch="side", base="0" * 40, now=NOW),
        BuildState.of(plan, repository="/r/.git", branch="main", base="1" * 40, now=NOW),
    ]

    assert len({state.build_id for state in states}) == 4
    later = BuildState.of(plan, repository="/s/.git", branch="main", base="0" * 40, now="later")
    assert later.build_id == states[0].build_id


def test_the_difference_of_two_plans_is_named_work_order_by_work_order() -> None:
    before = state_of(plan_of("One", "Two", "Three"))

    assert plan_difference(before, plan_of("One", "Two", "Three")) == ()
    assert plan_difference(before, plan_of("One", "Other")) == (
        "WO-03 is gone",
        "WO-02 has another contract",
    )
    assert plan_difference(before, plan_of("One", "Two", "Three", "Four")) == ("WO-04 is new",)
    overview = plan_of("One", "Two", "Three").model_copy(update={"system_overview": ("Something else.",)})
    assert plan_difference(before, overview) == ("its requirements, its overview or its verification differ",)


def test_a_failures_short_form_keeps_the_end_of_the_output_and_no_bytes_that_no_text_can_hold() -> None:
    failure = Failure(
        stage=Stage.ACCEPTANCE_FAILED,
        failure_class=FailureClass.MODEL_DEFECT,
        message="bad \udcff name",
        where="a.py",
        excerpt="x" * 600 + "the end",
    )

    short = LastFailure.of(failure)

    assert short.excerpt.endswith("the end")
    assert len(short.excerpt) == 500
    short.message.encode("utf-8")

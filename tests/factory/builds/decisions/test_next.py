"""Whatever order messages come in, a build keeps what it promises. Only the decisions are real here."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from factory.attempt.failure import Failure
from factory.builds.decisions.messages import DeadlineCame
from factory.builds.decisions.schedule import Dependencies
from factory.builds.decisions.standing import EXAMINED, Attempting, Failed, Landed, Passed, Withdrawn
from factory.builds.state.machine import OrderPhase
from tests.support.imagined_builds import MAX_ATTEMPTS, ImaginedBuild, Nature, needs, plan_of

NATURES = st.builds(Nature, seed=st.integers(0, 10_000), fails=st.integers(0, 6), clashes=st.integers(0, 6))


def walk(build: ImaginedBuild, data: st.DataObject) -> None:
    """Receive what workers send, in any order, until it is over."""
    build.begin()
    while not build.standing.over:
        assert build.sent, "it waits for nothing"
        build.receive(data.draw(st.sampled_from(sorted(build.sent))))
        expect_sound(build)


def expect_sound(build: ImaginedBuild) -> None:
    standing = build.standing
    assert standing.tasks == len(build.sent) <= standing.jobs
    assert set(build.sent) == {
        order_id
        for order_id, position in standing.positions.items()
        if isinstance(position, Attempting | Withdrawn)
        or (isinstance(position, Passed) and position.step in EXAMINED)
    }
    assert [order_id for order_id, _ in build.landed] == [
        order_id for order_id in standing.dependencies.order if order_id in dict(build.landed)
    ]
    for order_id, turn in standing.waiting_to_land.items():
        assert isinstance(standing.positions[order_id], Passed)
        assert turn in ("", standing.turn) and turn != order_id
    for order_id, position in standing.positions.items():
        assert isinstance(position, Landed) == (order_id in dict(build.landed))
        assert isinstance(position, Landed) == (standing.phases[order_id] is OrderPhase.LANDED)
        assert isinstance(position, Failed) == (standing.phases[order_id] is OrderPhase.FAILED)
        assert (standing.phases[order_id] is OrderPhase.BLOCKED) == (
            order_id in standing.given_up.blocked and not isinstance(position, Landed)
        )


@given(needs(), NATURES, st.integers(1, 8), st.booleans(), st.data())
@settings(max_examples=200)
def test_every_order_of_messages_ends_as_a_sequential_build(
    named: list[list[int]], nature: Nature, jobs: int, keep_going: bool, data: st.DataObject
) -> None:
    plan = plan_of(named)
    build = ImaginedBuild.of(plan, nature, jobs=jobs, keep_going=keep_going)

    walk(build, data)

    assert (build.landed, build.phases) == sequential(Dependencies.of(plan), nature, keep_going=keep_going)
    alone = ImaginedBuild.of(plan, nature, jobs=1, keep_going=keep_going)
    walk(alone, data)
    assert build.end == alone.end
    assert build.sent == {}


@given(needs(), st.data(), st.integers(1, 4), st.booleans())
@settings(max_examples=100)
def test_what_is_left_out_blocks_only_what_depends_on_it(
    named: list[list[int]], data: st.DataObject, jobs: int, keep_going: bool
) -> None:
    plan = plan_of(named)
    dependencies = Dependencies.of(plan)
    skipped = data.draw(st.sets(st.sampled_from(sorted(dependencies.order))))
    build = ImaginedBuild.of(plan, Nature(0, 0, 0), jobs=jobs, keep_going=keep_going, skipped=skipped)

    build.begin()
    while not build.standing.over:
        build.receive(data.draw(st.sampled_from(sorted(build.sent))))

    assert build.standing.end is None
    for order_id, phase in build.standing.phases.items():
        behind = skipped & set(dependencies.transitive[order_id])
        expected = OrderPhase.BLOCKED if behind else OrderPhase.LANDED
        assert phase is (OrderPhase.SKIPPED if order_id in skipped else expected)


def sequential(
    dependencies: Dependencies, nature: Nature, *, keep_going: bool
) -> tuple[list[tuple[str, str]], dict[str, OrderPhase]]:
    """The same build, one work order after the other, as one would write it down without any schedule."""
    landed: dict[str, str] = {}
    phases = dict.fromkeys(dependencies.order, OrderPhase.PENDING)
    for order_id in dependencies.order:
        if any(phases[needed] is OrderPhase.FAILED for needed in dependencies.transitive[order_id]):
            phases[order_id] = OrderPhase.BLOCKED
        elif keep_going or OrderPhase.FAILED not in phases.values():
            tree = landable(order_id, dependencies.transitive[order_id], landed, nature)
            phases[order_id] = OrderPhase.FAILED if tree is None else OrderPhase.LANDED
            if tree is not None:
                landed[order_id] = tree
    return list(landed.items()), phases


def landable(order_id: str, on: Sequence[str], landed: dict[str, str], nature: Nature) -> str | None:
    """The tree that lands; None if its attempts are spent, or the plan is wrong."""
    base, number, tip = content(on, landed), 1, content(landed, landed)
    while number <= MAX_ATTEMPTS:
        number, made = nature.attempts(order_id, base, number)
        if isinstance(made, Failure):
            return None
        if base == tip or not (nature.collides(made, tip) or nature.gates(made, tip)):
            return made
        base, number = tip, number + 1
    return None


def content(order_ids: Sequence[str] | dict[str, str], trees: dict[str, str]) -> str:
    return "".join(f"[{trees[order_id]}]" for order_id in order_ids)


@given(
    needs(),
    st.builds(Nature, seed=st.integers(0, 10_000), breaks=st.integers(0, 2)),
    st.integers(1, 8),
    st.booleans(),
    st.integers(0, 40),
    st.sampled_from(["", "WO-01", "WO-02", "WO-03"]),
    st.data(),
)
@settings(max_examples=200)
def test_whatever_stops_a_build_nothing_starts_after_it_and_all_of_it_ends(
    named: list[list[int]],
    nature: Nature,
    jobs: int,
    keep_going: bool,
    deadline: int,
    refused: str,
    data: st.DataObject,
) -> None:
    build = ImaginedBuild.of(plan_of(named), nature, jobs=jobs, keep_going=keep_going)
    build.refuses_landing_of = refused
    build.begin()
    for number in range(10_000):
        if build.standing.over:
            break
        halted, under_way = build.standing.halt is not None, set(build.sent)
        if number == deadline and not build.standing.cut:
            build.heed(DeadlineCame())
        else:
            build.receive(data.draw(st.sampled_from(sorted(build.sent))))
        expect_sound(build)
        if halted:
            # Only the gates of what had passed before.
            new = set(build.sent) - under_way
            assert all(isinstance(build.standing.positions[order_id], Passed) for order_id in new)

    assert build.standing.over
    assert build.sent == {}
    assert set(build.phases.values()) <= {
        OrderPhase.LANDED,
        OrderPhase.FAILED,
        OrderPhase.BLOCKED,
        OrderPhase.PENDING,
    }
    if build.standing.end is None:
        assert set(build.phases.values()) == {OrderPhase.LANDED}


def test_a_failure_after_an_earlier_one_is_as_if_it_had_never_begun() -> None:
    build = ImaginedBuild.of(plan_of([[], [], [2]]), Nature(seed=0, fails=10), jobs=2, keep_going=False)
    build.begin()

    for order_id in ("WO-02", "WO-01"):
        while order_id in build.sent:
            build.receive(order_id)

    assert list(build.phases.values()) == [OrderPhase.FAILED, OrderPhase.PENDING, OrderPhase.PENDING]
    assert build.standing.over

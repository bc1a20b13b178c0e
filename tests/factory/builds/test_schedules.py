"""However many work orders are executed beside each other, what lands is what a sequential build lands.

A few whole builds, for the trees and the prompts; every order of messages is walked in `decisions/test_next`.
`SCHEDULES=20 python -m pytest tests/factory/builds/test_schedules.py` tries more plans.
"""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from factory.builds.state.machine import ORDER_TRANSITIONS, OrderPhase
from factory.builds.state.model import BuildState
from factory.llm.port import ProviderError, Request
from tests.support.answers import a_proposal
from tests.support.builds import BuildScene, writes
from tests.support.generated_plans import Mood, Shape, orders_of, reply_to, shapes
from tests.support.repositories import git, make_repo


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_repo(tmp_path_factory.mktemp("template") / "repo")


@contextmanager
def new_scene(
    template: Path, plan: tuple[Shape, ...], *, declared: bool, slowly: bool
) -> Iterator[BuildScene]:
    with tempfile.TemporaryDirectory() as folder:
        repo = Path(folder).resolve() / "scene" / "repo"
        shutil.copytree(template, repo)
        yield BuildScene(repo, orders_of(plan, declared=declared), reply_to(plan, slowly=slowly))


# The second fails on the tip beside the slow first one, after the third was given up on its first result.
GIVEN_UP_TOO_EARLY = (
    Shape(delay=0.6),
    Shape(clashes_with=0),
    Shape(depends_on=(1,), reads=(1,), mood=Mood.PICKY),
    Shape(depends_on=(2,), reads=(2,)),
)

# The second fails before the first does, which a sequential build would not know.
LATER_FAILS_FIRST = (Shape(mood=Mood.NEVER, delay=0.6), Shape(mood=Mood.NEVER), Shape(depends_on=(1,)))

# While the first is slow all others pass, so they are tested at once; the third fails beside the second.
CANDIDATES_AT_ONCE = (Shape(delay=0.6), Shape(), Shape(clashes_with=1), Shape(clashes_with=0), Shape())


@settings(
    max_examples=int(os.environ.get("SCHEDULES", "2")),
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(plan=shapes(), declared=st.sampled_from([True, True, False]), keep_going=st.booleans())
@example(plan=GIVEN_UP_TOO_EARLY, declared=True, keep_going=False)
@example(plan=GIVEN_UP_TOO_EARLY, declared=True, keep_going=True)
@example(plan=LATER_FAILS_FIRST, declared=True, keep_going=False)
@example(plan=CANDIDATES_AT_ONCE, declared=True, keep_going=False)
@pytest.mark.timeout(600)
def test_eight_jobs_end_as_one(
    template: Path, plan: tuple[Shape, ...], declared: bool, keep_going: bool
) -> None:
    ends = []
    for jobs in (1, 8):
        with new_scene(template, plan, declared=declared, slowly=jobs > 1) as scene:
            built = scene.build(jobs=jobs, keep_going=keep_going)
            assert built.state is not None
            assert git(scene.repo, "status", "--porcelain") == ""
            assert {(event["before"], event["after"]) for event in scene.events if "work_order" in event} <= {
                (before.value, after.value) for before, row in ORDER_TRANSITIONS.items() for after in row
            }
            ends.append(
                {
                    "ended": built.ended,
                    "trees": scene.trees(),
                    "landed": scene.landed(),
                    "messages": messages(scene),
                    "states": {order.id: order.state.value for order in built.state.orders},
                    "failures": {
                        order.id: order.last_failure
                        for order in built.state.orders
                        if order.state is OrderPhase.FAILED
                    },
                    "prompts": prompts(scene, built.state),
                }
            )

    assert ends[1] == ends[0]


def messages(scene: BuildScene) -> list[str]:
    """What the commits say, but for the names of runs, of which some started from a commit with a date."""
    said = git(scene.repo, "log", "--reverse", "--format=%B")
    return [line for line in said.splitlines() if not line.startswith("Run-Id: ")]


def prompts(scene: BuildScene, state: BuildState) -> dict[str, list[str]]:
    """What was asked, attempt by attempt, for the result of each work order that landed."""
    return {
        order.id: [path.read_text() for path in sorted(scene.out.glob(f"{order.landed_run}/*/se_prompt.txt"))]
        for order in state.orders
        if order.state is OrderPhase.LANDED
    }


def test_what_waits_for_its_turn_when_the_build_halts_is_pending_again(
    template: Path, tmp_path: Path
) -> None:
    shutil.copytree(template, tmp_path / "repo")
    orders = [writes("WO-01.txt", depends_on=[]), writes("WO-02.txt", depends_on=[])]

    def reply(order_id: str, _attempt: int, _request: Request) -> str:
        if order_id == "WO-01":
            while not any('"passed"' in path.read_text() for path in scene.out.glob("*/run_summary.json")):
                time.sleep(0.01)
            raise ProviderError("the service is down")
        return a_proposal({f"{order_id}.txt": ""})

    scene = BuildScene(tmp_path / "repo", orders, reply)

    built = scene.build(jobs=2)

    assert built.ended.exit_code == 3
    assert built.state is not None
    assert [order.state.value for order in built.state.orders] == ["pending", "pending"]


def test_a_state_that_is_derived_again_tells_the_same_about_what_landed(
    template: Path, tmp_path: Path
) -> None:
    """Also of an attempt that failed only on the tip."""
    shutil.copytree(template, tmp_path / "repo")
    plan = (Shape(), Shape(clashes_with=0))
    scene = BuildScene(tmp_path / "repo", orders_of(plan, declared=True), reply_to(plan, slowly=False))
    before = scene.build().state
    assert before is not None
    (scene.out / "state.json").unlink()

    after = scene.build().state

    assert after is not None
    assert [order.attempt for order in after.orders] == [1, 2]
    since = {order.id: order.since for order in before.orders}
    orders = [order.model_copy(update={"since": since[order.id]}) for order in after.orders]
    assert orders == list(before.orders)

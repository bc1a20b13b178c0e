"""A build that is killed, at any moment and again and again, ends as one that nothing disturbs.

All moments: `FAULT_POINTS=all python -m pytest tests/factory/builds/test_crashes.py`. With
`FAULT_POINTS=distinct` those that a later start can't tell from another are left out, see
`tests.support.crashes.distinct`; without it, every tenth of these is tried, and two of the four series of
kills at random times.
"""

import os
import random
import shutil
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from factory.builds.state.machine import BuildPhase
from factory.builds.state.model import BuildState
from tests.support.crashes import FIVE_ORDERS, ORDERS, Point, Scene, Trials, distinct, trials
from tests.support.environments import bare
from tests.support.repositories import git, write_files

PARTS = 4
# Asked before a test begins, in whose environment nothing of this stands.
WANTED = os.environ.get("FAULT_POINTS")
SERIES = (1, 2) if WANTED is None else (0, 1, 2, 3)


@pytest.fixture(scope="module")
def ending() -> Iterator[ExitStack]:
    """What is open until the last test of this module."""
    with ExitStack() as ending:
        yield ending


@pytest.fixture(scope="module")
def first_programs() -> list[Trials]:
    """The program of this module, once there is one."""
    return []


@pytest.fixture
def program(hostile_environment: Path, first_programs: list[Trials], ending: ExitStack) -> Trials:
    """Started by the first test that needs it, in the environment of a test; each build is a child of it."""
    if not first_programs:
        first_programs.append(ending.enter_context(trials()))
    return first_programs[0]


@dataclass(frozen=True)
class Undisturbed:
    """What a build that nothing disturbs starts from, ends as, and all the points on its way."""

    new: Scene
    whole: Scene
    points: list[Point]


@pytest.fixture(scope="module")
def first_builds() -> dict[str, Undisturbed]:
    """The build of this module that nothing disturbs, once there is one."""
    return {}


@pytest.fixture
def undisturbed(
    first_builds: dict[str, Undisturbed], program: Trials, tmp_path_factory: pytest.TempPathFactory
) -> Undisturbed:
    """Built by the first test that needs it, in the environment of a test."""
    if not first_builds:
        # What all tests share is made once, so no point of it would be met again.
        bare()
        root = tmp_path_factory.mktemp("undisturbed")
        new = Scene.make(root / "new", ORDERS)
        whole = new.copy(root / "whole")
        first_builds["two orders"] = Undisturbed(new, whole, program.points(whole))
        assert len(whole.calls) == 3
        assert whole.left_behind() == []
    return first_builds["two orders"]


@pytest.fixture(scope="module")
def first_builds_by_four() -> list[tuple[Scene, Scene, float]]:
    """The build of this module by four jobs that nothing disturbs, once there is one."""
    return []


@pytest.fixture
def undisturbed_by_four(
    first_builds_by_four: list[tuple[Scene, Scene, float]],
    program: Trials,
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Scene, Scene, float]:
    """What it starts from and ends as, and how many seconds it takes."""
    if not first_builds_by_four:
        root = tmp_path_factory.mktemp("undisturbed")
        new = Scene.make(root / "new", FIVE_ORDERS)
        whole = new.copy(root / "whole")
        started = time.monotonic()
        assert program.build(whole, jobs=4) == 0
        first_builds_by_four.append((new, whole, time.monotonic() - started))
    return first_builds_by_four[0]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("part", range(PARTS))
def test_a_kill_at_any_fault_point_costs_nothing(
    part: int, undisturbed: Undisturbed, program: Trials, tmp_path: Path
) -> None:
    new, whole, points = undisturbed.new, undisturbed.whole, undisturbed.points
    between = _answered_and_not_stored(points)
    match WANTED:
        case "all":
            chosen = points
        case "distinct":
            chosen = distinct(points)
        case _:
            chosen = distinct(points)[::10]
    for number, point in enumerate(chosen[part::PARTS]):
        scene = new.copy(tmp_path / f"killed-{number}")

        assert program.build(scene, kill=point) == -signal.SIGKILL, point

        lost = _lost(scene)
        if point.worker:
            assert lost.total() == (point.number in between), point
        else:
            # The worker may be anywhere.
            assert lost.total() <= 1, point
        _expect_prefix(scene, whole, point)
        assert program.build(scene) == 0, point
        _expect_same_end(scene, whole, point)
        assert len(scene.calls) == len(whole.calls) + lost.total(), point


def _answered_and_not_stored(points: list[Point]) -> set[int]:
    """The worker's points at which an answer has been given and is in memory only."""
    numbers, inside = set(), False
    for point in points:
        if point.worker:
            if inside:
                numbers.add(point.number)
            if point.what == "write calls":
                inside = True
            elif point.what.startswith("os.rename out/ledger/") and ".pending." not in point.what:
                inside = False
    assert len(numbers) == 2 * 3
    return numbers


def _lost(scene: Scene) -> Counter[str]:
    """The answers that were given and are not in the ledger: a kill came between, which is nobody's fault."""
    return Counter(scene.calls) - Counter(scene.stored)


def _expect_prefix(scene: Scene, whole: Scene, point: object) -> None:
    commits = scene.commits()
    assert commits == whole.commits()[: len(commits)], point


def _expect_same_end(scene: Scene, whole: Scene, point: object) -> None:
    assert scene.commits() == whole.commits(), point
    assert set(scene.calls) == set(scene.stored) == set(whole.calls), point
    assert _facts(scene.state) == _facts(whole.state), point
    assert git(scene.repo, "status", "--porcelain") == "", point
    assert git(scene.repo, "fsck", "--strict", "--no-dangling") == "", point
    assert scene.left_behind() == [], point


def _facts(state: BuildState) -> object:
    """What does not depend on the time: dates are part of a commit's name, and of the names of runs on it."""
    assert state.state is BuildPhase.COMPLETE
    return [
        (order.id, order.contract, order.state, order.attempt, order.last_failure, order.spent)
        for order in state.orders
    ]


# At a landing, the first `read-tree` only tries, and the second comes after `update-ref`.
TRY, FOLLOW = "read-tree -m -u -n", "read-tree -m -u [0-9a-f]"


@pytest.mark.parametrize(
    "points",
    [
        ("read-tree --reset", "add -f", "commit-tree", TRY, FOLLOW, "update-ref"),
        ("update-ref", FOLLOW),
    ],
)
def test_a_git_that_outlives_its_killed_build_is_waited_for(
    points: tuple[str, ...], undisturbed: Undisturbed, program: Trials, tmp_path: Path
) -> None:
    """Its build is killed as soon as this git was started; git works on while the next build starts."""
    whole = undisturbed.whole
    scene = undisturbed.new.copy(tmp_path / "killed")
    for number, words in enumerate(points):
        write_slow_git(scene.root / "bin" / f"{number}", words)

        path = f"{scene.root / 'bin' / f'{number}'}:{os.environ['PATH']}"
        assert program.build(scene, PATH=path) == -signal.SIGKILL, (number, words)

        _expect_prefix(scene, whole, (number, words))
    assert program.build(scene) == 0

    _expect_same_end(scene, whole, points)


def write_slow_git(folder: Path, words: str) -> None:
    """A git in a folder of its own that kills the build at the first of its calls with these words."""
    write_files(folder, {"git": SLOW_GIT.format(words=words.replace(" ", "\\ "), git=shutil.which("git"))})
    (folder / "git").chmod(0o755)


SLOW_GIT = """\
#!/bin/sh
case " $* " in
*\\ {words}*)
    if [ ! -e "$0.calls" ]; then
        echo >> "$0.calls"
        kill -9 $PPID
        sleep 0.5
    fi ;;
esac
exec {git} "$@"
"""


@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", SERIES)
def test_kills_at_random_times_cost_nothing(
    seed: int, undisturbed_by_four: tuple[Scene, Scene, float], program: Trials, tmp_path: Path
) -> None:
    new, whole, seconds = undisturbed_by_four
    chance = random.Random(seed)
    scene = new.copy(tmp_path / "killed")
    for _ in range(1 + seed % 3):
        if program.build(scene, jobs=4, after=chance.uniform(0.0, seconds)) == 0:
            # It was faster than the kill.
            break
        _expect_prefix(scene, whole, seed)
        assert _lost(scene).total() <= 4 * (1 + seed % 3)
    lost, paid = _lost(scene), Counter(scene.calls)
    paid_for_good = {key: paid[key] for key in scene.stored}

    assert program.build(scene, jobs=4) == 0

    _expect_same_end(scene, whole, seed)
    after = Counter(scene.calls)
    assert {key: after[key] for key in paid_for_good} == paid_for_good
    assert after.total() == len(whole.calls) + lost.total()

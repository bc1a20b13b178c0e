"""How the landing queue uses the jobs that there are: on an imagined clock, message by message."""

from dataclasses import dataclass

import pytest

from factory.attempt.failure import Failure, FailureClass
from factory.builds.decisions.acts import Act, Land, StartAttempts
from factory.builds.decisions.messages import AttemptsEnded, ExaminationEnded, Message
from factory.builds.decisions.standing import Attempting, Passed, Step
from tests.support.imagined_builds import ImaginedBuild, Nature, failure, plan_of

ATTEMPT_SECONDS = 6
GATES_SECONDS = 5
SOUND = Nature(seed=0, fails=0, clashes=0)


@dataclass
class Timed:
    """A build whose tasks take their time, and what its clock says."""

    build: ImaginedBuild
    now: int = 0

    def run(self) -> int:
        """The seconds until it is over."""
        ends: dict[str, int] = {}
        self.build.begin()
        while not self.build.standing.over:
            for order_id in self.build.sent.keys() - ends.keys():
                ends[order_id] = self.now + self._seconds(order_id)
            order_id = min(ends, key=lambda name: (ends[name], name))
            self.now = ends.pop(order_id)
            end(self.build, order_id)
        return self.now

    def _seconds(self, order_id: str) -> int:
        position = self.build.standing.positions[order_id]
        return GATES_SECONDS if isinstance(position, Passed) else ATTEMPT_SECONDS


def seconds(count: int, jobs: int, nature: Nature = SOUND) -> tuple[int, ImaginedBuild]:
    build = ImaginedBuild.of(plan_of([[]] * count), nature, jobs=jobs, keep_going=True)
    return Timed(build).run(), build


@pytest.mark.parametrize("jobs", [1, 2, 8, 16, 63])
def test_no_job_waits_while_a_candidate_can_be_tested(jobs: int) -> None:
    took, build = seconds(64, jobs)

    # The first has been tested on the tip already.
    work = 64 * ATTEMPT_SECONDS + 63 * GATES_SECONDS
    assert len(build.landed) == 64
    assert work / jobs <= took <= work / jobs + ATTEMPT_SECONDS + GATES_SECONDS


def test_with_a_job_for_each_a_build_takes_as_long_as_one_work_order() -> None:
    assert seconds(64, 64)[0] == ATTEMPT_SECONDS + GATES_SECONDS


def test_one_job_tests_one_candidate_at_a_time_before_anything_else_is_attempted() -> None:
    build = ImaginedBuild.of(plan_of([[], [], []]), SOUND, jobs=1, keep_going=False)
    build.begin()
    done = []
    while not build.standing.over:
        (order_id,) = build.sent
        done.append((order_id, type(end(build, order_id))))

    assert done == [
        ("WO-01", AttemptsEnded),
        ("WO-02", AttemptsEnded),
        ("WO-02", ExaminationEnded),
        ("WO-03", AttemptsEnded),
        ("WO-03", ExaminationEnded),
    ]


def test_the_head_comes_before_attempts_and_attempts_before_the_candidates_behind_it() -> None:
    build = ImaginedBuild.of(plan_of([[]] * 6), SOUND, jobs=3, keep_going=False)
    build.begin()

    for order_id in ("WO-03", "WO-02", "WO-01"):
        end(build, order_id)
    assert under_way(build) == {"WO-02": Step.EXAMINING, "WO-04": None, "WO-05": None}
    end(build, "WO-04")
    end(build, "WO-05")
    assert under_way(build) == {"WO-02": Step.EXAMINING, "WO-03": Step.EXAMINING, "WO-06": None}
    end(build, "WO-06")

    assert under_way(build) == {f"WO-0{number}": Step.EXAMINING for number in (2, 3, 4)}


def test_who_is_free_starts_before_the_branch_moves_if_others_work() -> None:
    for jobs, expected in ((3, [StartAttempts, Land]), (1, [Land, StartAttempts])):
        build = ImaginedBuild.of(plan_of([[]] * 6), SOUND, jobs=jobs, keep_going=False)
        build.begin()
        while len(build.landed) < 2:
            done: list[type[Act]] = []
            build.watch = lambda act, done=done: done.append(type(act))
            end(build, min(build.sent))

        assert [kind for kind in done if kind in (StartAttempts, Land)] == expected


def test_the_longest_prefix_that_passed_lands_at_once() -> None:
    build = with_candidates(SOUND)

    for order_id in ("WO-05", "WO-03", "WO-04"):
        end(build, order_id)
        assert [name for name, _ in build.landed] == ["WO-01"]
        assert build.standing.waiting_to_land[order_id] == "WO-02"
    end(build, "WO-02")

    assert [name for name, _ in build.landed] == ["WO-01", "WO-02", "WO-03", "WO-04", "WO-05"]


@dataclass(frozen=True)
class Refusing(Nature):
    """Gates that refuse one work order beside others."""

    refused: str = ""

    def collides(self, tree: str, tip: str) -> bool:
        return False

    def gates(self, tree: str, tip: str) -> Failure | None:
        return failure(FailureClass.MODEL_DEFECT) if f"+{self.refused}.1" in tree else None


def test_a_candidate_that_fails_takes_back_those_behind_it_and_counts_when_its_turn_comes() -> None:
    build = with_candidates(Refusing(0, 0, 0, refused="WO-03"))

    end(build, "WO-03")
    assert steps(build) == {
        "WO-02": Step.EXAMINING,
        "WO-03": Step.REFUSED,
        "WO-04": Step.OUTDATED,
        "WO-05": Step.OUTDATED,
    }
    end(build, "WO-04")
    assert steps(build)["WO-04"] is Step.QUEUED
    end(build, "WO-02")

    assert [name for name, _ in build.landed] == ["WO-01", "WO-02"]
    retried = build.standing.positions["WO-03"]
    assert isinstance(retried, Attempting)
    end(build, "WO-03")
    # One attempt more, on the tip, so there is nothing to test.
    assert [name for name, _ in build.landed] == ["WO-01", "WO-02", "WO-03"]
    assert steps(build) == {"WO-04": Step.EXAMINING, "WO-05": Step.OUTDATED}
    end(build, "WO-05")
    assert steps(build) == {"WO-04": Step.EXAMINING, "WO-05": Step.EXAMINING}


def test_nothing_is_made_on_a_candidate_that_does_not_count_any_more() -> None:
    build = with_candidates(Refusing(0, 0, 0, refused="WO-03"))
    for order_id in ("WO-03", "WO-05", "WO-02", "WO-03"):
        end(build, order_id)

    assert steps(build) == {"WO-04": Step.OUTDATED, "WO-05": Step.QUEUED}
    end(build, "WO-04")
    assert steps(build) == {"WO-04": Step.EXAMINING, "WO-05": Step.EXAMINING}


def test_a_verdict_on_a_candidate_whose_predecessor_failed_is_not_believed() -> None:
    build = with_candidates(Refusing(0, 0, 0, refused="WO-02"))
    end(build, "WO-03")
    assert steps(build)["WO-03"] is Step.PROVEN

    end(build, "WO-02")

    assert steps(build) == {
        "WO-03": Step.QUEUED,
        "WO-04": Step.OUTDATED,
        "WO-05": Step.OUTDATED,
    }


def with_candidates(nature: Nature) -> ImaginedBuild:
    """A build in which the first of five independent work orders has landed, and all others are tested."""
    build = ImaginedBuild.of(plan_of([[]] * 5), nature, jobs=5, keep_going=True)
    build.begin()
    for number in range(1, 6):
        end(build, f"WO-{number:02d}")
    assert list(under_way(build).values()) == [Step.EXAMINING] * 4
    return build


def end(build: ImaginedBuild, order_id: str) -> Message:
    """Let the task of a work order come to its end; its last message."""
    last = build.sent[order_id][-1]
    for _ in range(len(build.sent[order_id])):
        build.receive(order_id)
    return last


def steps(build: ImaginedBuild) -> dict[str, Step]:
    """Where the work orders in the landing queue stand."""
    return {
        name: position.step
        for name, position in build.standing.positions.items()
        if isinstance(position, Passed)
    }


def under_way(build: ImaginedBuild) -> dict[str, Step | None]:
    """The work orders with a task: how far they have come in the landing queue, None before it."""
    return {name: steps(build).get(name) for name in sorted(build.sent)}

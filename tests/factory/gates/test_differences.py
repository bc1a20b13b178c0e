"""Which difference changes a result is decided by few passes, whose fault it is by the command's text."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from factory.attempt.failure import Failure, FailureClass, Stage
from factory.gates.differences import (
    DIFFERENCES,
    OTHER_USER,
    Change,
    Difference,
    changed_environment,
    compare,
)

SEED, ZONE, _, PLACE, _ = DIFFERENCES
FAILED = Failure.model_defect(Stage.ACCEPTANCE_FAILED, "the command returned 1", where="pytest -q tests")


def fails_where(condition: Callable[[set[Difference], bool], bool]) -> tuple[Change | None, int]:
    """What is made of commands that fail under a condition, and how many passes it took."""
    passes = 0

    def failure(differences: Sequence[Difference], prepared: bool) -> Failure | None:
        nonlocal passes
        passes += 1
        return FAILED if condition({*differences}, prepared) else None

    return compare(failure), passes


def test_what_passes_again_is_stable_after_one_pass() -> None:
    assert fails_where(lambda _differences, _prepared: False) == (None, 1)


@pytest.mark.parametrize("by", [{SEED}, {ZONE, PLACE}])
def test_each_difference_that_changes_the_result_alone_is_named(by: set[Difference]) -> None:
    change, passes = fails_where(lambda differences, _prepared: bool(differences & by))

    assert change is not None
    assert {*change.by} == by
    assert passes == 2 + len(DIFFERENCES)
    assert all(difference.name in change.verdict.message for difference in by)
    assert change.verdict.hint == "; ".join(difference.advice for difference in change.by)
    assert change.verdict.failure_class is FailureClass.MODEL_DEFECT


def test_several_differences_together_are_told_as_such() -> None:
    change, _ = fails_where(lambda differences, _prepared: {SEED, ZONE} <= differences)

    assert change is not None
    assert change.by == ()
    assert "hash seed, time zone" in change.verdict.message


def test_what_needs_the_verification_is_compared_after_it() -> None:
    assert fails_where(lambda _differences, prepared: not prepared) == (None, 4)

    change, _ = fails_where(lambda differences, prepared: not prepared or SEED in differences)

    assert change is not None
    assert change.by == (SEED,)


def test_what_fails_although_nothing_differs_is_told_so() -> None:
    change, passes = fails_where(lambda _differences, _prepared: True)

    assert (change, passes) == (Change(FAILED, differs=False), 3)
    assert change is not None
    assert "where nothing was different" in change.verdict.message


def test_a_machine_that_fails_is_no_changed_result() -> None:
    broken = Failure.environment(Stage.ACCEPTANCE_FAILED, "no room")

    change = compare(lambda _differences, _prepared: broken)

    assert change is not None
    assert change.verdict == broken


def test_a_command_whose_own_text_varies_is_the_plans_fault() -> None:
    command = 'python -c "import time, app; assert app.f() == time.time()"'

    verdict = Change(FAILED.model_copy(update={"where": command}), (ZONE,)).verdict

    assert verdict.failure_class is FailureClass.PLAN_DEFECT
    assert "the time" in verdict.hint


def test_only_the_differences_that_are_asked_for_change_the_environment(tmp_path: Path) -> None:
    before = {"TZ": "UTC", "TMPDIR": "/tmp", "PATH": "/bin"}

    assert changed_environment(before, [], tmp_path) == before
    assert changed_environment(before, [PLACE], tmp_path) == {**before, "TMPDIR": str(tmp_path)}
    assert changed_environment(before, [ZONE], tmp_path) == {**before, **dict(ZONE.variables)}


def test_what_can_differ_here_is_all_that_is_tried_and_named() -> None:
    tried: list[tuple[Difference, ...]] = []

    def failure(differences: Sequence[Difference], _prepared: bool) -> Failure | None:
        tried.append(tuple(differences))
        return FAILED if OTHER_USER in differences else None

    change = compare(failure, (SEED, OTHER_USER))

    assert change is not None
    assert tried == [(SEED, OTHER_USER), (), (SEED,), (OTHER_USER,)]
    assert change.by == (OTHER_USER,)
    assert "with another user's number" in change.verdict.message
    assert compare(failure, (SEED,)) is None

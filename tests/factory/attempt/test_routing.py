"""What happens next: every class of failure has one answer."""

import pytest

from factory.attempt.exit_codes import ExitCode
from factory.attempt.failure import Failure, FailureClass, Stage
from factory.attempt.routing import after_finalize, after_work, exit_code, spends_attempt


def failure(whose: FailureClass) -> Failure:
    return Failure(stage=Stage.EXCEPTION, failure_class=whose, message="m")


@pytest.mark.parametrize(
    ("whose", "spends", "code"),
    [
        (FailureClass.MODEL_DEFECT, True, ExitCode.FAIL),
        (FailureClass.PLAN_DEFECT, False, ExitCode.PLAN_DEFECT),
        (FailureClass.PROVIDER, False, ExitCode.PROVIDER),
        (FailureClass.ENVIRONMENT, False, ExitCode.ENVIRONMENT),
    ],
)
def test_only_what_the_model_could_do_better_spends_an_attempt(
    whose: FailureClass, spends: bool, code: ExitCode
) -> None:
    assert spends_attempt(failure(whose)) is spends
    assert exit_code(failure(whose)) is code


def test_every_class_of_failure_is_answered() -> None:
    assert {exit_code(failure(whose)) for whose in FailureClass} == {1, 3, 4, 5, 8}


def test_work_goes_on_until_something_failed() -> None:
    assert after_work({"attempt": 1}) == "continue"
    assert after_work({"attempt": 1, "failure": None}) == "continue"
    assert after_work({"attempt": 1, "failure": failure(FailureClass.PROVIDER)}) == "finalize"


def test_a_run_is_over_when_there_is_a_verdict() -> None:
    assert after_finalize({"attempt": 2}) == "retry"
    assert after_finalize({"attempt": 2, "verdict": None}) == "retry"
    assert after_finalize({"verdict": "failed"}) == "end"

"""What a user is told at the end of a run."""

import pytest

from factory.attempt.failure import Failure, Stage
from factory.attempt.summary import AttemptSummary
from factory.runs.record.endings import failed


@pytest.mark.parametrize("advice", ["", "only a person can add a package"])
def test_what_a_person_may_do_about_the_last_failure_comes_first(advice: str) -> None:
    failure = Failure.model_defect(Stage.VERIFY_FAILED, "`a.py` imports `b`", hint=advice)

    ending = failed("WO-01", failure, (AttemptSummary(attempt=1, passed=False, failure=failure),))

    before, _, _ = ending.hint.partition("read the failure briefs")
    assert before == (f"{advice}; else " if advice else "")

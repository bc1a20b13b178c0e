"""The graph's state: what comes out of the graph is what the nodes may write, and nothing else."""

import pytest
from pydantic import ValidationError

from factory.attempt.failure import Failure, FailureClass, Stage
from factory.attempt.state import RunState, final_state
from factory.attempt.summary import AttemptSummary
from factory.contract.canonical import EMPTY_SHA256
from factory.contract.proposal import Write, WriteProposal
from factory.contract.repo_path import RepoPath

FAILURE = Failure(stage=Stage.VERIFY_FAILED, failure_class=FailureClass.MODEL_DEFECT, message="m")
WRITE = Write(path=RepoPath.parse("a.py"), base_sha256=EMPTY_SHA256, content="x")
COMPLETE: RunState = {
    "attempt": 2,
    "proposal": WriteProposal(summary="s", writes=(WRITE,)),
    "tree": "t",
    "failure": None,
    "previous_proposal": None,
    "previous_failure": FAILURE,
    "attempts": (AttemptSummary(attempt=1, passed=False, failure=FAILURE),),
    "verdict": "landed",
    "commit": "c",
}


def test_what_the_nodes_write_passes_as_the_values_that_it_is() -> None:
    assert final_state(dict(COMPLETE))["previous_failure"] is FAILURE
    assert final_state(dict(COMPLETE)) == COMPLETE
    assert final_state({"attempt": 1, "attempts": ()}) == {"attempt": 1, "attempts": ()}


@pytest.mark.parametrize(
    "wrong",
    [
        {"atempt": 2},
        {"verdict": "won"},
        {"attempts": None},
        {"failure": "it failed"},
        {"attempt": "two"},
        {"proposal": {"summary": "s", "writes": [{"path": "a.py"}]}},
    ],
)
def test_what_they_may_not_write_is_a_bug(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        final_state({**COMPLETE, **wrong})

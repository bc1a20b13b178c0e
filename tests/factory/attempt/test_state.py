"""The graph's state: what comes out of the graph is what the nodes may write, and nothing else."""

import pytest
from pydantic import ValidationError

from factory.attempt.state import RunState, final_state

COMPLETE: RunState = {
    "attempt": 2,
    "proposal": {"summary": "s"},
    "tree": "t",
    "failure": None,
    "previous_proposal": None,
    "previous_failure": {"message": "m"},
    "attempts": [{"attempt": 1}],
    "verdict": "landed",
    "commit": "c",
}


def test_what_the_nodes_write_passes() -> None:
    assert final_state(dict(COMPLETE)) == COMPLETE
    assert final_state({"attempt": 1, "attempts": []}) == {"attempt": 1, "attempts": []}


@pytest.mark.parametrize(
    "wrong",
    [{"atempt": 2}, {"verdict": "won"}, {"attempts": None}, {"failure": "it failed"}, {"attempt": "two"}],
)
def test_what_they_may_not_write_is_a_bug(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        final_state({**COMPLETE, **wrong})

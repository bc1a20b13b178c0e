"""What an agent's changes are: a proposal, or the model's defect."""

from factory.attempt.agents.changes import proposal_of
from factory.attempt.failure import Failure, FailureClass, Stage
from factory.contract.canonical import EMPTY_SHA256
from factory.contract.proposal import Write
from factory.contract.repo_path import RepoPath
from factory.llm.agents.answer import AgentAnswer, Refused
from factory.llm.port import FinishReason

A_WRITE = Write(path=RepoPath("a.py"), base_sha256=EMPTY_SHA256, content="A = 1\n")
A_REFUSAL = Refused(path="tests/test_b.py", why="was changed, and is not allowed", hint="leave it as it was")


def failure_of(changed: AgentAnswer, finish_reason: FinishReason = FinishReason.STOP) -> Failure:
    failure = proposal_of(changed, finish_reason)
    assert isinstance(failure, Failure)
    assert failure.failure_class is FailureClass.MODEL_DEFECT
    return failure


def test_changes_of_allowed_files_are_the_proposal() -> None:
    proposal = proposal_of(AgentAnswer(summary="Done.", writes=(A_WRITE,)), FinishReason.STOP)

    assert not isinstance(proposal, Failure)
    assert (proposal.summary, proposal.writes) == ("Done.", (A_WRITE,))


def test_a_change_elsewhere_is_a_scope_violation_with_its_diff() -> None:
    failure = failure_of(
        AgentAnswer(summary="", writes=(A_WRITE,), refused=(A_REFUSAL,) * 12, diff="-a\n+b\n")
    )

    assert failure.stage is Stage.WRITE_SCOPE_VIOLATION
    assert (failure.where, failure.excerpt) == ("tests/test_b.py", "-a\n+b\n")
    assert failure.message.endswith("; and 2 more")


def test_no_change_and_no_regular_end_are_the_models_defect() -> None:
    assert "its last words: I can't" in failure_of(AgentAnswer(summary="I can't", writes=())).message
    refused = failure_of(AgentAnswer(summary="", writes=(A_WRITE,)), FinishReason.REFUSAL)
    assert "refused before it was done" in refused.message
    assert "limit" in failure_of(AgentAnswer(summary="", writes=(A_WRITE,)), FinishReason.LENGTH).message


def test_an_answer_is_the_same_after_the_ledger() -> None:
    answer = AgentAnswer(summary="s", writes=(A_WRITE,), refused=(A_REFUSAL,), diff="d", transcript="t\x1b")

    assert AgentAnswer.of(answer.text()) == answer

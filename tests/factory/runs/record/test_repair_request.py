"""What a failed work order leaves for the planner, as values, and as the planner reads it."""

from pathlib import Path

import pytest

from factory.attempt.failure import Failure, FailureClass, Stage
from factory.attempt.summary import AttemptSummary
from factory.contract.canonical import EMPTY_SHA256, dump, readable_json
from factory.contract.identity import contract_hash
from factory.contract.limits import EXCERPT_CHARS, MAX_SUMMARIES, MAX_WRITE_BYTES
from factory.contract.proposal import Write, WriteProposal
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import WorkOrder
from factory.runs.record.repair_request import RepairRequest, repair_request
from planner.commands.reasons.repair_request import read_repair_request
from tests.support.answering_program import order

ORDER = WorkOrder.model_validate(order("WO-01", "hello.py"))


def failure(whose: FailureClass) -> Failure:
    return Failure(stage=Stage.ACCEPTANCE_FAILED, failure_class=whose, message="it returned 1")


def request(
    count: int = 2,
    summary: str | None = "Did it.",
    content: str = "",
    whose: FailureClass = FailureClass.MODEL_DEFECT,
) -> RepairRequest:
    failed = failure(whose)
    attempts = [
        AttemptSummary(attempt=number, passed=False, failure=failed, summary=summary)
        for number in range(1, count + 1)
    ]
    written = Write(path=RepoPath.parse("hello.py"), base_sha256=EMPTY_SHA256, content=content)
    proposal = WriteProposal(summary="", writes=(written,))
    document = repair_request(ORDER, contract_hash(ORDER), failed, attempts, proposal)
    assert document is not None
    return document


@pytest.mark.parametrize(
    ("whose", "at_fault"),
    [(FailureClass.PLAN_DEFECT, "plan"), (FailureClass.MODEL_DEFECT, "plan or code")],
)
def test_no_more_is_claimed_than_is_known(whose: FailureClass, at_fault: str) -> None:
    document = request(whose=whose)
    assert document.at_fault == at_fault
    assert whose not in str(dump(document))


@pytest.mark.parametrize(
    "summary", ["x" * EXCERPT_CHARS, "\x1b" * EXCERPT_CHARS, "</failure>", "\U0010ffff\n"]
)
@pytest.mark.parametrize("count", [2, 20])
def test_the_planner_reads_what_the_factory_leaves(tmp_path: Path, summary: str, count: int) -> None:
    document = request(count, summary, "x\n" * (MAX_WRITE_BYTES // 2))
    path = tmp_path / "repair_request.json"
    path.write_bytes(readable_json(dump(document)))

    read = read_repair_request(path)

    assert read.text == readable_json(dump(document)).decode()
    assert (document.evidence.code, document.evidence.left_out) == (None, ("code",))
    last = range(count - min(count, MAX_SUMMARIES) + 1, count + 1)
    assert [(said.attempt, said.summary) for said in document.evidence.summaries] == [
        (number, summary) for number in last
    ]


def test_an_attempt_without_a_proposal_said_nothing() -> None:
    assert request(summary=None).evidence.summaries == ()

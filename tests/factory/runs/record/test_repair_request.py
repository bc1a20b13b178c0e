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
from factory.runs.record.repair_request import FailingTest, RepairRequest, repair_request
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


def attempts(*failures: Failure) -> list[AttemptSummary]:
    return [
        AttemptSummary(attempt=number, passed=False, failure=failed, summary="Did it.")
        for number, failed in enumerate(failures, start=1)
    ]


def verification(message: str = "it returned 1") -> Failure:
    return Failure.model_defect(Stage.VERIFY_FAILED, message)


OWN = FailingTest(test="tests/test_hello.py::test_it", work_order="WO-01")
EARLIER = FailingTest(test="tests/test_base.py::test_it", work_order="WO-00")
USERS = FailingTest(test="tests/test_user.py::test_it", work_order=None)


@pytest.mark.parametrize(
    ("failures", "failing", "at_fault", "reason"),
    [
        ((verification(), verification()), (), "plan or code", "same reason"),
        ((verification(), verification("other")), (), "code", "different ways"),
        ((verification(), verification()), (OWN,), "code", "the same proposal wrote"),
        ((verification(),), (OWN, EARLIER), "plan or code", "is a test of WO-00"),
        ((verification(),), (USERS,), "plan or code", "is a test of the repository itself"),
    ],
)
def test_it_says_who_may_be_at_fault_and_why(
    failures: tuple[Failure, ...], failing: tuple[FailingTest, ...], at_fault: str, reason: str
) -> None:
    document = repair_request(ORDER, contract_hash(ORDER), failures[-1], attempts(*failures), None, failing)
    assert document is not None
    assert (document.at_fault, document.failing_tests) == (at_fault, failing)
    assert reason in document.reason


@pytest.mark.parametrize("failure", [None, verification(), failure(FailureClass.ENVIRONMENT)])
def test_where_nothing_can_be_told_there_is_none(failure: Failure | None) -> None:
    tried = attempts(failure) if failure is not None else []
    assert repair_request(ORDER, contract_hash(ORDER), failure, tried, None, ()) is None


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

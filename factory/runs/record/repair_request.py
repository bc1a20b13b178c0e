"""What a failed work order leaves for the planner: a request to repair the plan, with the evidence. Pure.

It says who may be at fault and why: the plan, where what failed is the plan's own; plan or code, after
attempts that all failed at the same place for the same reason, or where a test of another work order fails;
the code otherwise. It claims no more than is known.
"""

from collections.abc import Sequence
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from factory.attempt.failure import Failure, FailureClass, Stage
from factory.attempt.summary import AttemptSummary
from factory.contract.canonical import dump, readable_json
from factory.contract.limits import MAX_CONTEXT_BYTES, MAX_SUMMARIES
from factory.contract.proposal import Write, WriteProposal
from factory.contract.work_order import WorkOrder

SCHEMA_VERSION: Final = 1
MOST_TESTS: Final = 20
"""How many failing tests are named."""

AtFault = Literal["plan", "code", "plan or code"]

_SEVERAL: Final = 2


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Reason(_Part):
    """A failure without its class: that decides what a run does next, and would claim more than is known."""

    stage: Stage
    message: str
    where: str
    hint: str
    exit_code: int | None
    excerpt: str


class Words(_Part):
    """What the model said of its proposal in one attempt, and what it remarked."""

    attempt: int
    summary: str
    remarks: tuple[str, ...] = Field(default=(), exclude_if=lambda value: not value)


class Evidence(_Part):
    """What shows that the plan may be wrong.

    Attributes:
        command: the acceptance command that failed; None if it was something else.
        output: what it printed, shortened.
        code: what was proposed last; None if nothing was, or if it is too large.
        summaries: of the last attempts.
        left_out: the names of what is too large.
    """

    command: str | None
    output: str
    code: tuple[Write, ...] | None
    summaries: tuple[Words, ...]
    left_out: tuple[str, ...] = Field(default=(), exclude_if=lambda value: not value)


class FailingTest(_Part):
    """A test that fails with the last proposal, and whose it is.

    Attributes:
        test: its id.
        work_order: who wrote its file last; None if no work order did.
    """

    test: str
    work_order: str | None


class RepairRequest(_Part):
    """The document, which the planner reads and shows to a model, small enough for that.

    Attributes:
        work_order: the work order's id.
        contract: its contract hash.
        stage: where it failed.
        at_fault: what is known of the cause.
        reason: why no more, or no less, is known.
        failing_tests: the tests that fail, each with the work order that owns it.
        failure: why it failed.
        attempts: how many there were.
        evidence: what there is to see.
    """

    schema_version: int = SCHEMA_VERSION
    work_order: str
    contract: str
    stage: Stage
    at_fault: AtFault
    reason: str = ""
    failing_tests: tuple[FailingTest, ...] = ()
    failure: Reason
    attempts: int
    evidence: Evidence


def repair_request(
    order: WorkOrder,
    contract: str,
    failure: Failure | None,
    attempts: Sequence[AttemptSummary],
    proposal: WriteProposal | None,
    failing: Sequence[FailingTest] = (),
) -> RepairRequest | None:
    """The request, or None if nothing can be told: it passed, or failed once and without a cause.

    Args:
        order: the work order.
        contract: its contract hash.
        failure: what it ended with; None if it passed.
        attempts: its attempts.
        proposal: what the last attempt proposed.
        failing: the tests that fail with it.
    """
    cause = None if failure is None else _cause(order, failure, attempts, failing)
    if failure is None or cause is None:
        return None
    at_fault, reason = cause
    evidence = Evidence(
        command=failure.where if failure.where in order.acceptance_commands else None,
        output=failure.excerpt,
        code=proposal.writes if proposal is not None else None,
        summaries=_summaries(attempts),
    )
    request = RepairRequest(
        work_order=order.id,
        contract=contract,
        stage=failure.stage,
        at_fault=at_fault,
        reason=reason,
        failing_tests=tuple(failing[:MOST_TESTS]),
        failure=Reason.model_validate(failure.model_dump(exclude={"failure_class", "test"})),
        attempts=len(attempts),
        evidence=evidence,
    )
    if len(readable_json(dump(request))) > MAX_CONTEXT_BYTES:
        smaller = evidence.model_copy(update={"code": None, "left_out": ("code",)})
        return request.model_copy(update={"evidence": smaller})
    return request


def _cause(
    order: WorkOrder, failure: Failure, attempts: Sequence[AttemptSummary], failing: Sequence[FailingTest]
) -> tuple[AtFault, str] | None:
    """Who may be at fault, and why nothing else can be said; None if nothing can."""
    if failure.failure_class is FailureClass.PLAN_DEFECT:
        return "plan", "what failed is what the work order itself says, and no code can mend that"
    if failure.failure_class is not FailureClass.MODEL_DEFECT:
        return None
    others = [test for test in failing if test.work_order != order.id]
    if others:
        owner = others[0].work_order or "the repository itself"
        return "plan or code", (
            f"`{others[0].test}` is a test of {owner}, and fails with what {order.id} writes: the code breaks"
            " it, or the two ask for what can't both hold"
        )
    if len(attempts) < _SEVERAL:
        return None
    if failing and failure.stage is Stage.VERIFY_FAILED:
        return "code", "only tests fail that the same proposal wrote"
    if _is_always_the_same(attempts):
        return "plan or code", "every attempt failed at the same place for the same reason"
    return "code", "the attempts failed in different ways"


def _summaries(attempts: Sequence[AttemptSummary]) -> tuple[Words, ...]:
    said = [
        Words(attempt=attempt.attempt, summary=attempt.summary, remarks=attempt.remarks)
        for attempt in attempts
        if attempt.summary is not None
    ]
    return tuple(said[-MAX_SUMMARIES:])


def _is_always_the_same(attempts: Sequence[AttemptSummary]) -> bool:
    reasons = {_reason(attempt.failure) for attempt in attempts}
    return len(reasons) == 1 and None not in reasons


def _reason(failure: Failure | None) -> tuple[str, ...] | None:
    if failure is None or failure.failure_class is not FailureClass.MODEL_DEFECT:
        return None
    return failure.stage, failure.where, failure.message

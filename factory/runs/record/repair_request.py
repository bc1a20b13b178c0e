"""What a failed work order leaves for the planner: a request to repair the plan, with the evidence. Pure.

Only where the plan may be the cause: a defect of it, or attempts that all failed at the same place for the
same reason. After those it is open whether code or plan is wrong, and the request says no more than that.
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
    """What the model said of its proposal in one attempt."""

    attempt: int
    summary: str


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


class RepairRequest(_Part):
    """The document, which the planner reads and shows to a model, small enough for that.

    Attributes:
        work_order: the work order's id.
        contract: its contract hash.
        stage: where it failed.
        at_fault: what is known of the cause.
        failure: why it failed.
        attempts: how many there were.
        evidence: what there is to see.
    """

    schema_version: int = SCHEMA_VERSION
    work_order: str
    contract: str
    stage: Stage
    at_fault: Literal["plan", "plan or code"]
    failure: Reason
    attempts: int
    evidence: Evidence


def repair_request(
    order: WorkOrder,
    contract: str,
    failure: Failure | None,
    attempts: Sequence[AttemptSummary],
    proposal: WriteProposal | None,
) -> RepairRequest | None:
    """The request, or None if the plan is not to blame as far as anybody can tell.

    Args:
        order: the work order.
        contract: its contract hash.
        failure: what it ended with; None if it passed.
        attempts: its attempts.
        proposal: what the last attempt proposed.
    """
    if failure is None or not (_is_defect(failure) or _is_always_the_same(attempts)):
        return None
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
        at_fault="plan" if _is_defect(failure) else "plan or code",
        failure=Reason.model_validate(failure.model_dump(exclude={"failure_class"})),
        attempts=len(attempts),
        evidence=evidence,
    )
    if len(readable_json(dump(request))) > MAX_CONTEXT_BYTES:
        smaller = evidence.model_copy(update={"code": None, "left_out": ("code",)})
        return request.model_copy(update={"evidence": smaller})
    return request


def _summaries(attempts: Sequence[AttemptSummary]) -> tuple[Words, ...]:
    said = [
        Words(attempt=attempt.attempt, summary=attempt.summary)
        for attempt in attempts
        if attempt.summary is not None
    ]
    return tuple(said[-MAX_SUMMARIES:])


def _is_defect(failure: Failure) -> bool:
    return failure.failure_class is FailureClass.PLAN_DEFECT


def _is_always_the_same(attempts: Sequence[AttemptSummary]) -> bool:
    reasons = {_reason(attempt.failure) for attempt in attempts}
    return len(attempts) > 1 and len(reasons) == 1 and None not in reasons


def _reason(failure: Failure | None) -> tuple[str, ...] | None:
    if failure is None or failure.failure_class is not FailureClass.MODEL_DEFECT:
        return None
    return failure.stage, failure.where, failure.message

"""What a failed work order leaves for the planner: a request to repair the plan, with the evidence. Pure.

Only where the plan may be the cause: a defect of it, or attempts that all failed at the same place for the
same reason. After those it is open whether code or plan is wrong, and the request says no more than that.
"""

from collections.abc import Sequence
from typing import Final

from factory.attempt.failure import Failure, FailureClass
from factory.attempt.summary import AttemptSummary
from factory.contract.canonical import dump, readable_json
from factory.contract.limits import MAX_CONTEXT_BYTES, MAX_SUMMARIES
from factory.contract.proposal import WriteProposal
from factory.contract.strict_json import JsonObject, JsonValue
from factory.contract.work_order import WorkOrder

SCHEMA_VERSION: Final = 1


def repair_request(
    order: WorkOrder,
    contract: str,
    failure: Failure | None,
    attempts: Sequence[AttemptSummary],
    proposal: WriteProposal | None,
) -> JsonObject | None:
    """The request, or None if the plan is not to blame as far as anybody can tell.

    Args:
        order: the work order.
        contract: its contract hash.
        failure: what it ended with; None if it passed.
        attempts: its attempts.
        proposal: what the last attempt proposed.

    Returns:
        The document, which the planner reads and shows to a model, small enough for that. `at_fault` says
        what is known: `plan`, or `plan or code`. Its `evidence` holds the acceptance `command` that failed
        or None, its `output`, the `code` that was proposed or None, and `summaries`, a list of `attempt` and
        `summary`: what the model said of its proposals, the last ones. Code that is too large is left out,
        and named in `left_out`.
    """
    if failure is None or not (_is_defect(failure) or _is_always_the_same(attempts)):
        return None
    # A class of failure decides what a run does next; to a planner it would claim more than is known.
    brief: JsonValue = failure.model_dump(mode="json", exclude={"failure_class"})
    code: list[JsonValue] | None = [dump(write) for write in proposal.writes] if proposal else None
    evidence: JsonObject = {
        "command": failure.where if failure.where in order.acceptance_commands else None,
        "output": failure.excerpt,
        "code": code,
        "summaries": _summaries(attempts),
    }
    request: JsonObject = {
        "schema_version": SCHEMA_VERSION,
        "work_order": order.id,
        "contract": contract,
        "stage": failure.stage,
        "at_fault": "plan" if _is_defect(failure) else "plan or code",
        "failure": brief,
        "attempts": len(attempts),
        "evidence": evidence,
    }
    if len(readable_json(request)) > MAX_CONTEXT_BYTES:
        request["evidence"] = {**evidence, "code": None, "left_out": ["code"]}
    return request


def _summaries(attempts: Sequence[AttemptSummary]) -> list[JsonValue]:
    told: list[JsonValue] = [
        {"attempt": attempt.attempt, "summary": attempt.summary}
        for attempt in attempts
        if attempt.summary is not None
    ]
    return told[-MAX_SUMMARIES:]


def _is_defect(failure: Failure) -> bool:
    return failure.failure_class is FailureClass.PLAN_DEFECT


def _is_always_the_same(attempts: Sequence[AttemptSummary]) -> bool:
    reasons = {_reason(attempt.failure) for attempt in attempts}
    return len(attempts) > 1 and len(reasons) == 1 and None not in reasons


def _reason(failure: Failure | None) -> tuple[str, ...] | None:
    if failure is None or failure.failure_class is not FailureClass.MODEL_DEFECT:
        return None
    return failure.stage, failure.where, failure.message

"""What a failed work order leaves for the planner: a request to repair the plan, with the evidence. Pure.

Only where the plan is the likely cause: a defect of it, or attempts that all failed at the same place for the
same reason.
"""

from collections.abc import Sequence
from typing import Final

from factory.contract.canonical import dump
from factory.contract.strict_json import JsonObject, JsonValue
from factory.contract.work_order import WorkOrder
from factory.failure import Failure, FailureClass

SCHEMA_VERSION: Final = 1


def repair_request(
    order: WorkOrder,
    contract: str,
    failure: Failure | None,
    attempts: Sequence[JsonObject],
    proposal: JsonObject | None,
) -> JsonObject | None:
    """The request, or None if the plan is not to blame as far as anybody can tell.

    Args:
        order: the work order.
        contract: its contract hash.
        failure: what it ended with; None if it passed.
        attempts: the records of its attempts.
        proposal: what the last attempt proposed.
    """
    if failure is None or not (_is_defect(failure) or _is_always_the_same(attempts)):
        return None
    writes: JsonValue = proposal.get("writes") if proposal is not None else None
    return {
        "schema_version": SCHEMA_VERSION,
        "work_order": order.id,
        "contract": contract,
        "stage": failure.stage,
        "failure": dump(failure),
        "attempts": len(attempts),
        "evidence": {
            "command": failure.where if failure.where in order.acceptance_commands else None,
            "output": failure.excerpt,
            "code": writes,
        },
    }


def _is_defect(failure: Failure) -> bool:
    return failure.failure_class is FailureClass.PLAN_DEFECT


def _is_always_the_same(attempts: Sequence[JsonObject]) -> bool:
    reasons = {_reason(attempt.get("failure")) for attempt in attempts}
    return len(attempts) > 1 and len(reasons) == 1 and None not in reasons


def _reason(failure: JsonValue) -> tuple[str, ...] | None:
    if not isinstance(failure, dict) or failure.get("failure_class") != FailureClass.MODEL_DEFECT:
        return None
    return tuple(str(failure.get(key)) for key in ("stage", "where", "message"))

"""Reads what the factory leaves when it says that a plan is wrong: `repair_request.json`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from factory.contract.canonical import readable_json
from factory.contract.documents import BadDocument, schema_problems
from factory.contract.errors import WorkorderError
from factory.contract.identity import contract_hash
from factory.contract.limits import EXCERPT_CHARS, MAX_CONTEXT_BYTES, MAX_SUMMARIES
from factory.contract.strict_json import JsonValue, read_json
from factory.contract.work_order import Plan, WorkOrderId
from factory.system.files.tree import read_bounded

_PLAN_DEFECT: Final = "plan_defect"


class _FactoryDocument(BaseModel):
    # What else the factory tells is for the model alone.
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


class _Failure(_FactoryDocument):
    message: str


class _Summary(_FactoryDocument):
    attempt: Annotated[int, Field(ge=1)]
    summary: Annotated[str, Field(max_length=EXCERPT_CHARS)]


class _Evidence(_FactoryDocument):
    summaries: Annotated[list[_Summary], Field(max_length=MAX_SUMMARIES)] = []


class _Request(_FactoryDocument):
    work_order: WorkOrderId
    contract: str
    stage: str
    at_fault: Literal["plan", "code", "plan or code"] | None = None
    failure: _Failure
    evidence: _Evidence = _Evidence()


@dataclass(frozen=True)
class RepairRequest:
    """Why a work order can't be done as it is planned.

    Attributes:
        work_order: its id.
        contract: the hash of its contract.
        stage: where it failed.
        message: what failed.
        text: the document as a model is shown it.
    """

    work_order: str
    contract: str
    stage: str
    message: str
    text: str


def read_repair_request(path: Path) -> RepairRequest:
    """Read the document.

    Raises:
        FileProblem: it can't be read or is too large.
        BadJson: it is not strict JSON.
        BadDocument: it is not such a document.
    """
    value = read_json(read_bounded(path, max_bytes=MAX_CONTEXT_BYTES), str(path))
    problems = schema_problems(_Request, value)
    if problems:
        raise BadDocument(str(path), problems, "name the repair_request.json that the factory left")
    request = _Request.model_validate(value)
    return RepairRequest(
        request.work_order,
        request.contract,
        request.stage,
        request.failure.message,
        readable_json(_without_guess(value)).decode("utf-8"),
    )


def _without_guess(value: JsonValue) -> JsonValue:
    """The document without the class that older ones give a failure, if it blames anything but the plan.

    After attempts that all failed alike they say that the model is at fault, which nobody knows.
    """
    if not isinstance(value, dict) or not isinstance(failure := value["failure"], dict):
        return value
    if failure.get("failure_class") == _PLAN_DEFECT:
        return value
    return {**value, "failure": {key: detail for key, detail in failure.items() if key != "failure_class"}}


def require_of_plan(request: RepairRequest, plan: Plan, landed: frozenset[str], where: str) -> None:
    """Refuse a failure that says nothing about the plan.

    Raises:
        WorkorderError: the plan has no such work order, it has another contract, or it has landed.
    """
    order = next((candidate for candidate in plan.work_orders if candidate.id == request.work_order), None)
    if order is None:
        raise WorkorderError(
            f"the plan has no {request.work_order}", where=where, hint="name the plan that was built"
        )
    if contract_hash(order) != request.contract:
        raise WorkorderError(
            f"it is about another contract of {request.work_order} than the plan has",
            where=where,
            hint="name the plan that was built; if it was revised since, build that revision",
        )
    if request.work_order in landed:
        raise WorkorderError(
            f"{request.work_order} has landed since", where=where, hint="go on with `factory build`"
        )

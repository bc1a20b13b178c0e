"""The hashes by which contracts, plans and runs are known: in commits, stored answers, names of folders."""

from collections.abc import Collection

from factory.contract.canonical import canonical_json, dump, sha256_hex
from factory.contract.repo_path import Prose
from factory.contract.strict_json import JsonObject, JsonValue
from factory.contract.work_order import COMPUTED_FIELDS, NOT_BINDING_FIELDS, Plan, WorkOrder


def contract_hash(order: WorkOrder) -> str:
    """The identity of what a work order says: SHA-256 of its canonical JSON without computed fields.

    Fields at their default are left out, so a field added later does not change the hash of a work order
    that does not use it.
    """
    return sha256_hex(canonical_json(_contract(order)))


def contract_trailers(order: WorkOrder) -> tuple[str, str]:
    """The values of the trailer `Contract` by which a commit says that it fulfils a work order.

    Returns:
        First the one that is written: `2:` and the SHA-256 of what binds, which is all but the title, the
        notes, accepted warnings and computed fields, so that a better wording of what has landed is no other
        work order. Then that of commits from before there was a version: `contract_hash`.
    """
    bound: JsonValue = _without(order, NOT_BINDING_FIELDS)
    return f"2:{sha256_hex(canonical_json(bound))}", contract_hash(order)


def plan_hash(plan: Plan) -> str:
    """The identity of a plan: SHA-256 of its canonical JSON without the computed fields of its work orders.

    Which plan it revises is a part of it; at their defaults, newer fields are left out.
    """
    overview: list[JsonValue] = list(plan.system_overview)
    verify: JsonValue = dump(plan.verify_contract) if plan.verify_contract else None
    orders: list[JsonValue] = [_contract(order) for order in plan.work_orders]
    whole: JsonObject = {"system_overview": overview, "verify_contract": verify, "work_orders": orders}
    if plan.requirements:
        # Left out without any, so that plans from before there were requirements keep their hash.
        whole["requirements"] = [
            requirement.model_dump(mode="json", exclude_defaults=True) for requirement in plan.requirements
        ]
    if plan.remarks:
        whole["remarks"] = [dump(remark) for remark in plan.remarks]
    if plan.services:
        whole["services"] = [
            service.model_dump(mode="json", exclude_defaults=True) for service in plan.services
        ]
    if plan.accepted_warnings:
        whole["accepted_warnings"] = [dump(accepted) for accepted in plan.accepted_warnings]
    if plan.environment is not None:
        whole["environment"] = plan.environment.model_dump(mode="json", exclude_defaults=True)
    if plan.allowed_packages:
        whole["allowed_packages"] = list(plan.allowed_packages)
    if plan.revision != 1:
        whole["revision"] = plan.revision
    if plan.parent is not None:
        whole["parent"] = plan.parent
    if plan.spec_text_hash is not None:
        whole["spec_text_hash"] = plan.spec_text_hash
    return sha256_hex(canonical_json(whole))


def run_id(order: WorkOrder, baseline: str, work: str = "") -> str:
    """The name of a run: first 16 hex digits of SHA-256 over the canonical work order and its baseline.

    Args:
        order: the work order, computed fields included.
        baseline: the full commit id the run starts from.
        work: the name of what a person did for it; empty where nobody has done anything yet.
    """
    return sha256_hex(canonical_json(_hashed(order)) + (baseline + work).encode("ascii"))[:16]


def _contract(order: WorkOrder) -> JsonObject:
    return _without(order, COMPUTED_FIELDS)


def _without(order: WorkOrder, fields: Collection[str]) -> JsonObject:
    return {name: value for name, value in _hashed(order).items() if name not in fields}


def _hashed(order: WorkOrder) -> JsonObject:
    value: JsonObject = order.model_dump(mode="json", exclude_defaults=True)
    if order.forbidden:
        value["forbidden"] = [
            entry.hashed if isinstance(entry, Prose) else str(entry) for entry in order.forbidden
        ]
    return value

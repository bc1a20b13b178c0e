"""The schema for models stays in the strict subset and agrees with the contract."""

import json
from collections.abc import Iterator

import pytest

from factory.contract.canonical import dump
from factory.contract.documents import schema_problems
from factory.contract.strict_json import JsonObject, JsonValue
from factory.contract.work_order import (
    COMPUTED_FIELDS,
    COMPUTED_PLAN_FIELDS,
    COMPUTED_REQUIREMENT_FIELDS,
    GIVEN_FIELDS,
    AcceptedWarning,
    Plan,
    RedExempt,
    Requirement,
    VerifyContract,
    WorkOrder,
)
from planner.compile.manifest_schema import SCHEMA_NAME, manifest_schema, revision_schema

ALLOWED_KEYWORDS = {
    "type", "properties", "required", "additionalProperties", "items", "anyOf", "enum", "description",
    "pattern", "minItems", "maxItems",
}  # fmt: skip


def schemas(schema: JsonValue) -> Iterator[JsonObject]:
    """Every schema inside `schema`, itself included."""
    assert isinstance(schema, dict)
    yield schema
    properties = schema.get("properties", {})
    assert isinstance(properties, dict)
    alternatives = schema.get("anyOf", [])
    assert isinstance(alternatives, list)
    for inner in (*properties.values(), *alternatives, *([schema["items"]] if "items" in schema else [])):
        yield from schemas(inner)


def properties_of(schema: JsonValue, *path: str) -> set[str]:
    for name in path:
        assert isinstance(schema, dict)
        schema = schema[name] if name in schema else schema["properties"][name]  # type: ignore[call-overload, index]
    assert isinstance(schema, dict)
    assert isinstance(schema["properties"], dict)
    return set(schema["properties"])


@pytest.mark.parametrize(
    "whole",
    [manifest_schema(), revision_schema(), manifest_schema(projects=["a"])],
    ids=["plan", "revision", "projects"],
)
def test_it_keeps_to_the_strict_subset(whole: JsonObject) -> None:
    for schema in schemas(whole):
        assert set(schema) <= ALLOWED_KEYWORDS
        if schema.get("type") == "object":
            assert schema["additionalProperties"] is False
            assert list(schema["required"]) == list(schema["properties"])  # type: ignore[arg-type]


def test_the_root_is_an_object() -> None:
    assert manifest_schema()["type"] == "object"
    assert SCHEMA_NAME.isidentifier()


def test_it_is_the_same_bytes_every_time_and_a_new_value() -> None:
    assert json.dumps(manifest_schema()) == json.dumps(manifest_schema())
    manifest_schema().clear()
    assert manifest_schema()


def test_it_agrees_with_the_contract() -> None:
    schema = manifest_schema()
    order = ("work_orders", "items")
    # These are declared by people; a model names what a work order requires.
    assert properties_of(schema) == set(Plan.model_fields) - COMPUTED_PLAN_FIELDS - {"environment"}
    requirement = properties_of(schema, "requirements", "items")
    assert requirement == set(Requirement.model_fields) - COMPUTED_REQUIREMENT_FIELDS
    asked = (
        set(WorkOrder.model_fields)
        - COMPUTED_FIELDS
        - GIVEN_FIELDS
        - {"project", "preconditions", "postconditions"}
    )
    assert properties_of(schema, *order) == asked
    assert properties_of(schema, *order, "red_exempt", "items") == set(RedExempt.model_fields)
    assert properties_of(schema, *order, "accepted_warnings", "items") == set(AcceptedWarning.model_fields)
    contract = schema["properties"]["verify_contract"]["anyOf"][0]  # type: ignore[call-overload, index]
    assert properties_of(contract) == set(VerifyContract.model_fields)


@pytest.mark.parametrize("verify_contract", [None, {"command": "true", "requires": []}])
def test_what_it_describes_is_a_plan(verify_contract: JsonValue) -> None:
    order: JsonObject = {
        "id": "WO-01",
        "title": "t",
        "requirements": ["REQ-01"],
        "intent": "i",
        "preconditions": [{"kind": "file_absent", "path": "a.py"}],
        "postconditions": [{"kind": "file_exists", "path": "a.py"}],
        "allowed_files": ["a.py"],
        "forbidden": [],
        "acceptance_commands": ["true"],
        "context_files": [],
        "notes": None,
        "provides": ["a:f() -> int"],
        "consumes": [],
        "red_exempt": [{"command": "true", "reason": "r"}],
        "accepted_warnings": [{"code": "W401", "reason": "r"}],
    }
    document: JsonObject = {
        "system_overview": ["x"],
        "verify_contract": verify_contract,
        "requirements": [{"id": "REQ-01", "text": "t", "quotes": ["q"]}],
        "work_orders": [order],
        "accepted_warnings": [{"code": "W204", "reason": "r"}],
    }
    assert schema_problems(Plan, document) == ()
    assert dump(Plan.model_validate(document))

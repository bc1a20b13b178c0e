"""The documents that both stages agree on: what they accept, what they refuse, and how it is told."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from factory.contract.documents import BadDocument, read_document, schema_problems
from factory.contract.strict_json import BadJson
from factory.contract.work_order import Condition, Plan, WorkOrder, work_order_id

BASIC: dict[str, Any] = {
    "id": "WO-01",
    "title": "Greet",
    "intent": "Print a greeting.",
    "allowed_files": ["hello.py"],
    "forbidden": ["docs/"],
    "acceptance_commands": ["python hello.py"],
    "context_files": [],
    "notes": None,
}


def test_the_eight_basic_fields_are_a_work_order() -> None:
    order = WorkOrder.model_validate(BASIC)
    assert order.forbidden == ("docs",)
    assert (order.verify_exempt, order.depends_on, order.provenance) == (False, None, None)
    assert not order.declares_conditions


def test_a_condition_on_either_side_is_declared() -> None:
    condition = [{"kind": "file_exists", "path": "a.py"}]
    assert WorkOrder.model_validate({**BASIC, "preconditions": condition}).declares_conditions
    assert WorkOrder.model_validate({**BASIC, "postconditions": condition}).declares_conditions


def test_a_work_order_does_not_change() -> None:
    order = WorkOrder.model_validate(BASIC)
    with pytest.raises(ValidationError):
        order.title = "Other"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("change", "pointer", "kind"),
    [
        ({"id": "WO-1"}, "/id", "value_error"),
        ({"id": "WO-001"}, "/id", "value_error"),
        ({"title": ""}, "/title", "value_error"),
        ({"title": 1}, "/title", "string_type"),
        ({"allowed_files": []}, "/allowed_files", "too_short"),
        ({"allowed_files": "a.py"}, "/allowed_files", "tuple_type"),
        ({"allowed_files": [".git/config"]}, "/allowed_files/0", "unsafe_path"),
        ({"acceptance_commands": []}, "/acceptance_commands", "too_short"),
        ({"acceptance_commands": [1]}, "/acceptance_commands/0", "string_type"),
        (
            {"postconditions": [{"kind": "file_absent", "path": "a"}]},
            "/postconditions/0/kind",
            "literal_error",
        ),
        ({"preconditions": [{"kind": "file_exists"}]}, "/preconditions/0/path", "missing"),
        ({"unknown/~": 1}, "/unknown~1~0", "extra_forbidden"),
        ({"fixed_files": [{"path": "b", "text": ""}]}, "", "value_error"),
        ({"fixed_files": [{"path": "a", "text": ""}] * 2}, "", "value_error"),
        ({"fixed_files": [{"path": "a", "text": "x" * 200_001}]}, "/fixed_files/0/text", "value_error"),
    ],
)
def test_what_breaks_the_schema_is_told_with_its_place(
    change: dict[str, Any], pointer: str, kind: str
) -> None:
    (problem,) = schema_problems(WorkOrder, {**BASIC, **change})
    assert (problem.pointer, problem.kind) == (pointer, kind)
    assert problem.message


def test_all_problems_are_told_at_once() -> None:
    problems = schema_problems(WorkOrder, {"id": 1, "more": 2})
    assert {problem.pointer for problem in problems} == {
        "/id",
        "/title",
        "/intent",
        "/allowed_files",
        "/acceptance_commands",
        "/more",
    }


def test_a_plan_needs_a_work_order() -> None:
    assert schema_problems(Plan, {"work_orders": [BASIC]}) == ()
    assert [problem.message for problem in schema_problems(Plan, {"work_orders": []})] == [
        "must not be empty"
    ]


def test_a_document_is_read_from_strict_json_or_refused_with_its_source() -> None:
    assert read_document(WorkOrder, json.dumps(BASIC), "WO-01.json").id == "WO-01"
    with pytest.raises(BadDocument, match=r"WO-01\.json: /title: is missing") as raised:
        read_document(
            WorkOrder, json.dumps({**BASIC, "title": 0} | {}).replace('"title": 0, ', ""), "WO-01.json"
        )
    assert [problem.kind for problem in raised.value.problems] == ["missing"]
    with pytest.raises(BadJson, match="stands twice"):
        read_document(WorkOrder, '{"id": 1, "id": 2}', "x")


def test_ids_are_counted_from_one_with_at_least_two_digits() -> None:
    assert [work_order_id(number) for number in (1, 12, 100)] == ["WO-01", "WO-12", "WO-100"]


@pytest.mark.parametrize(
    ("kind", "exists", "holds"),
    [
        ("file_exists", True, True),
        ("file_exists", False, False),
        ("file_absent", True, False),
        ("file_absent", False, True),
    ],
)
def test_a_condition_holds_or_not(kind: str, exists: bool, holds: bool) -> None:
    assert Condition.model_validate({"kind": kind, "path": "a.py"}).holds(exists) is holds

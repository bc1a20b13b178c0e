"""How a model may answer, and the schema that a provider is sent for it."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from factory.contract.answer import AnsweredWrite, Edit, WriteAnswer, answer_schema
from factory.contract.canonical import EMPTY_SHA256
from factory.contract.documents import schema_problems

SCHEMA = answer_schema()
WRITE = {"path": "a.py", "base_sha256": EMPTY_SHA256, "content": "x\n", "edits": None}
EDIT = {"old": "a", "new": "b"}

STRICT_KEYWORDS = {
    "type", "properties", "required", "additionalProperties", "items", "enum", "const", "description",
    "anyOf", "$ref", "$defs", "pattern", "format", "minimum", "maximum", "multipleOf", "minItems", "maxItems",
}  # fmt: skip


def answered(**write: Any) -> dict[str, Any]:
    return {"summary": "Done.", "writes": [{**WRITE, **write}], "keep": [], "remarks": []}


@pytest.mark.parametrize(
    "value",
    [
        answered(content=""),
        answered(edits=[]),
        answered(content=None, edits=[EDIT]),
        answered(content=None, edits=[{"old": "a", "new": ""}]),
        answered(base_sha256=EMPTY_SHA256[:16]),
        {"summary": "", "writes": [], "keep": ["a.py"]},
        {"summary": "", "writes": [{"path": "a.py", "base_sha256": EMPTY_SHA256, "content": "x"}]},
        {"summary": "", "writes": [{"path": "a.py", "base_sha256": EMPTY_SHA256, "edits": [EDIT]}]},
    ],
)
def test_a_file_is_written_whole_or_edited(value: Any) -> None:
    assert schema_problems(WriteAnswer, value) == ()


@pytest.mark.parametrize(
    ("value", "pointer"),
    [
        (answered(path="../a"), "/writes/0/path"),
        (answered(base_sha256="A" * 64), "/writes/0/base_sha256"),
        (answered(content=1), "/writes/0/content"),
        (answered(content=None), "/writes/0"),
        (answered(edits=[EDIT]), "/writes/0"),
        (answered(content=None, edits=[]), "/writes/0"),
        (answered(content=None, edits=[EDIT] * 201), "/writes/0/edits"),
        (answered(content=None, edits=[{"old": "", "new": "b"}]), "/writes/0/edits/0/old"),
        (answered(content=None, edits=[{"old": "a"}]), "/writes/0/edits/0/new"),
        (answered(content=None, edits=[{**EDIT, "line": 1}]), "/writes/0/edits/0/line"),
        (answered(mode=0o755), "/writes/0/mode"),
        (answered(base_sha256="1" * 15), "/writes/0/base_sha256"),
        ({"summary": "x", "writes": []}, ""),
        ({"summary": "x", "writes": [], "keep": ["../a"]}, "/keep/0"),
        ({"summary": "x", "writes": [WRITE], "remarks": [1]}, "/remarks/0"),
    ],
)
def test_what_is_neither_is_refused_with_its_place(value: Any, pointer: str) -> None:
    assert [problem.pointer for problem in schema_problems(WriteAnswer, value)] == [pointer]


class TestSchema:
    def test_it_keeps_to_what_strict_structured_outputs_accept(self) -> None:
        walked = list(_walk(SCHEMA))
        assert len(walked) == 15
        for schema in walked:
            assert set(schema) <= STRICT_KEYWORDS
            if schema["type"] == "object":
                assert schema["additionalProperties"] is False
                assert schema["required"] == list(schema["properties"])
        assert SCHEMA["type"] == "object"

    def test_its_properties_are_those_of_the_document(self) -> None:
        properties: Any = SCHEMA["properties"]
        assert list(properties) == list(WriteAnswer.model_fields)
        write = properties["writes"]["items"]
        assert list(write["properties"]) == list(AnsweredWrite.model_fields)
        assert list(write["properties"]["edits"]["items"]["properties"]) == list(Edit.model_fields)

    @pytest.mark.parametrize(
        ("value", "valid"),
        [
            (answered(), True),
            (answered(more=1), False),
            (answered(content=None, edits=[EDIT]), True),
            (answered(content=None, edits=[{"old": "a"}]), False),
            ({"summary": "x", "writes": []}, False),
            ({"summary": "x", "writes": [], "keep": ["a.py"], "remarks": ["b"]}, True),
        ],
    )
    def test_what_it_accepts_the_document_accepts(self, value: Any, valid: bool) -> None:
        assert Draft202012Validator(SCHEMA).is_valid(value) is valid
        assert not valid or schema_problems(WriteAnswer, value) == ()


def _walk(schema: Any) -> Any:
    yield schema
    for inner in schema.get("properties", {}).values():
        yield from _walk(inner)
    if "items" in schema:
        yield from _walk(schema["items"])

"""What a model may propose, and the schema that a provider is sent for it."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from factory.contract.canonical import EMPTY_SHA256, canonical_json
from factory.contract.documents import schema_problems
from factory.contract.proposal import WriteProposal, proposal_schema

SCHEMA = proposal_schema(["a.py", "b.py", "a.py"], [EMPTY_SHA256, "1" * 64, EMPTY_SHA256])
WRITE = {"path": "a.py", "base_sha256": EMPTY_SHA256, "content": "x\n"}

STRICT_KEYWORDS = {
    "type", "properties", "required", "additionalProperties", "items", "enum", "const", "description",
    "anyOf", "$ref", "$defs", "pattern", "format", "minimum", "maximum", "multipleOf", "minItems", "maxItems",
}  # fmt: skip


def proposal(**write: Any) -> dict[str, Any]:
    return {"summary": "Done.", "writes": [{**WRITE, **write}]}


class TestProposal:
    def test_an_ordinary_proposal_is_accepted(self) -> None:
        read = WriteProposal.model_validate(proposal(content=""))
        assert read.writes[0].path == "a.py"

    @pytest.mark.parametrize(
        ("value", "pointer"),
        [
            (proposal(path="../a"), "/writes/0/path"),
            (proposal(path=".git/config"), "/writes/0/path"),
            (proposal(base_sha256="A" * 64), "/writes/0/base_sha256"),
            (proposal(base_sha256="a" * 63), "/writes/0/base_sha256"),
            (proposal(base_sha256=None), "/writes/0/base_sha256"),
            (proposal(content=None), "/writes/0/content"),
            (proposal(content="é" * 100_001), "/writes/0/content"),
            (proposal(mode=0o755), "/writes/0/mode"),
            ({"summary": "x", "writes": []}, "/writes"),
            ({"summary": 1, "writes": [WRITE]}, "/summary"),
            ({"summary": "x", "writes": [{**WRITE, "content": "x" * 180_000}] * 3}, "/writes"),
        ],
    )
    def test_what_breaks_the_contract_is_refused_with_its_place(self, value: Any, pointer: str) -> None:
        assert [problem.pointer for problem in schema_problems(WriteProposal, value)] == [pointer]

    def test_a_file_may_have_exactly_the_limit(self) -> None:
        assert schema_problems(WriteProposal, proposal(content="x" * 200_000)) == ()


class TestSchema:
    def test_it_keeps_to_what_strict_structured_outputs_accept(self) -> None:
        walked = list(_walk(SCHEMA))
        assert len(walked) == 7
        for schema in walked:
            assert set(schema) <= STRICT_KEYWORDS
            if schema["type"] == "object":
                assert schema["additionalProperties"] is False
                assert schema["required"] == list(schema["properties"])
        assert SCHEMA["type"] == "object"

    def test_its_properties_are_those_of_the_document(self) -> None:
        properties: Any = SCHEMA["properties"]
        assert list(properties) == list(WriteProposal.model_fields)
        write = properties["writes"]["items"]
        assert set(write["properties"]) == {"path", "base_sha256", "content"}

    def test_paths_and_hashes_are_enumerations_without_repetition(self) -> None:
        properties: Any = SCHEMA["properties"]
        write = properties["writes"]["items"]["properties"]
        assert write["path"]["enum"] == ["a.py", "b.py"]
        assert write["base_sha256"]["enum"] == [EMPTY_SHA256, "1" * 64]

    def test_the_same_question_has_the_same_bytes(self) -> None:
        again = proposal_schema(["a.py", "b.py"], [EMPTY_SHA256, "1" * 64])
        assert canonical_json(again) == canonical_json(SCHEMA)

    @pytest.mark.parametrize(
        ("value", "valid"),
        [
            (proposal(), True),
            (proposal(path="c.py"), False),
            (proposal(base_sha256="2" * 64), False),
            (proposal(more=1), False),
            ({"summary": "x", "writes": []}, False),
        ],
    )
    def test_what_it_accepts_the_document_accepts(self, value: Any, valid: bool) -> None:
        assert Draft202012Validator(SCHEMA).is_valid(value) is valid
        assert not valid or schema_problems(WriteProposal, value) == ()


def _walk(schema: Any) -> Any:
    yield schema
    for inner in schema.get("properties", {}).values():
        yield from _walk(inner)
    if "items" in schema:
        yield from _walk(schema["items"])

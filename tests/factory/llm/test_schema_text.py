"""What a model reads of an answer's schema where nobody holds it to it."""

import json
from typing import Any

from factory.contract.answer import answer_schema
from factory.llm.port import Message, Parameters, Request
from factory.llm.schema_text import messages_with_schema


def shown(schema: dict[str, Any]) -> dict[str, Any]:
    request = Request(
        purpose="propose",
        messages=(Message(role="system", content="Rules."), Message(role="user", content="Work.")),
        schema_name="answer",
        answer_schema=schema,
        parameters=Parameters(max_output_tokens=10),
        attempt=1,
    )
    (system, user) = messages_with_schema(request)
    assert user.content == "Work."
    read = json.loads(system.content[system.content.index("{") :])
    assert isinstance(read, dict)
    return read


def test_what_may_be_empty_is_not_demanded_and_all_else_stays() -> None:
    schema = answer_schema()
    read = shown(schema)
    assert read["required"] == ["summary", "writes"]
    assert read["properties"]["writes"]["items"]["required"] == ["path", "base_sha256"]
    assert read["properties"]["keep"] == schema["properties"]["keep"]  # type: ignore[index, call-overload]
    assert schema["required"] == ["summary", "writes", "keep", "remarks"]


def test_a_choice_with_null_and_a_schema_without_properties_are_understood() -> None:
    read = shown(
        {
            "type": "object",
            "properties": {
                "a": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                "b": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
                "c": True,
            },
            "required": ["a", "b", "c"],
        }
    )
    assert read["required"] == ["b", "c"]
    assert shown({"type": "object"}) == {"type": "object"}

"""A request as plain text, for models that take no structured request: programs, and servers without schemas.

Not for parsing what comes back. A schema that is only read need not demand what servers that enforce one do:
lists that are empty and values that are null are not asked for.
"""

import json
from typing import Final

from factory.contract.strict_json import JsonObject, JsonValue
from factory.llm.port import Message, Request

_INSTRUCTION: Final = (
    "Answer with exactly one JSON object that is valid against the JSON Schema below, and with nothing else: "
    "no words before or after it and no Markdown fence.\n\n"
)

_THE_ANSWER: Final = ("work_orders", "writes", "objections")
"""The lists that an answer is made for."""


def messages_with_schema(request: Request) -> tuple[Message, ...]:
    """The messages, system text first, with the answer's schema in words at the end of the system text."""
    system = [message.content for message in request.messages if message.role == "system"]
    if request.answer_schema is not None:
        schema = _without_empty(request.answer_schema)
        # On one line: what would set it out is half of it, and is paid for.
        system.append(_INSTRUCTION + json.dumps(schema, ensure_ascii=False, sort_keys=True))
    users = tuple(message for message in request.messages if message.role == "user")
    if not system:
        return users
    return (Message(role="system", content="\n\n".join(system)), *users)


def prompt_text(request: Request) -> str:
    """The whole request as one text: `messages_with_schema`, a blank line between messages."""
    contents = (message.content.rstrip("\n") for message in messages_with_schema(request))
    return "\n\n".join(contents) + "\n"


def _without_empty(schema: JsonObject) -> JsonObject:
    """A schema that demands neither lists nor what may be null; all else is as it was."""
    made = {name: _inside(value) for name, value in schema.items()}
    properties, required = schema.get("properties"), schema.get("required")
    if isinstance(properties, dict) and isinstance(required, list):
        made["required"] = [
            name for name in required if name in _THE_ANSWER or not _may_be_empty(properties.get(str(name)))
        ]
    return made


def _inside(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return _without_empty(value)
    return [_inside(inner) for inner in value] if isinstance(value, list) else value


def _may_be_empty(schema: JsonValue) -> bool:
    if not isinstance(schema, dict):
        return False
    kinds = schema.get("type")
    choices = schema.get("anyOf")
    named = kinds if isinstance(kinds, list) else [kinds]
    inner = choices if isinstance(choices, list) else []
    return "array" in named or "null" in named or any(map(_may_be_empty, inner))

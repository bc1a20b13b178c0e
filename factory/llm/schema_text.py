"""A request as plain text, for models that take no structured request: programs, and servers without schemas.

Not for parsing what comes back.
"""

from typing import Final

from factory.contract.canonical import readable_json
from factory.llm.port import Message, Request

_INSTRUCTION: Final = (
    "Answer with exactly one JSON object that is valid against the JSON Schema below, and with nothing else: "
    "no words before or after it and no Markdown fence.\n\n"
)


def messages_with_schema(request: Request) -> tuple[Message, ...]:
    """The messages, system text first, with the answer's schema in words at the end of the system text."""
    system = [message.content for message in request.messages if message.role == "system"]
    if request.answer_schema is not None:
        system.append(_INSTRUCTION + readable_json(request.answer_schema).decode("utf-8").rstrip("\n"))
    users = tuple(message for message in request.messages if message.role == "user")
    if not system:
        return users
    return (Message(role="system", content="\n\n".join(system)), *users)


def prompt_text(request: Request) -> str:
    """The whole request as one text: `messages_with_schema`, a blank line between messages."""
    contents = (message.content.rstrip("\n") for message in messages_with_schema(request))
    return "\n\n".join(contents) + "\n"

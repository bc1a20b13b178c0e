"""A request to a model, plain and complete, for tests to vary."""

from factory.contract.strict_json import JsonObject
from factory.llm.port import Message, Parameters, Request

ANSWER_SCHEMA: JsonObject = {
    "type": "object",
    "properties": {"summary": {"type": "string"}},
    "required": ["summary"],
    "additionalProperties": False,
}


def a_request(
    user: str = "Write a plan.\nKeep it short.\n",
    *,
    attempt: int = 1,
    schema: JsonObject | None = ANSWER_SCHEMA,
    temperature: float | None = None,
    reasoning_effort: str | None = None,
) -> Request:
    return Request(
        purpose="plan",
        messages=(
            Message(role="system", content="You are careful."),
            Message(role="user", content=user),
        ),
        schema_name="plan",
        answer_schema=schema,
        parameters=Parameters(
            max_output_tokens=1_000, temperature=temperature, reasoning_effort=reasoning_effort
        ),
        attempt=attempt,
    )

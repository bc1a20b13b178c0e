"""A second opinion on the values that a plan expects: the question, the answer, and where both differ. Pure.

The model that is asked sees the requirements' quotes and the expressions, never what the plan expects.
"""

import ast
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from pydantic import Field

from factory.attempt.brief import excerpt
from factory.attempt.failure import Failure, Stage
from factory.contract.documents import read_document
from factory.contract.reply import json_text
from factory.contract.strict_json import JsonObject
from factory.contract.work_order import Document, Requirement
from factory.llm.port import Message
from factory.llm.template import fill, quoted
from factory.plans.commands.expectations import Expectation

ORACLE_TEMPLATE: Final = "prompts/oracle.md"
ORACLE_SCHEMA_NAME: Final = "second_opinion"

_USER_MARKER: Final = "<!-- user -->\n"
_SHOWN: Final = 500


class Opinion(Document):
    """What follows from the passages for one expression.

    Attributes:
        number: of the expression, from 1.
        determined: whether the passages leave no other value.
        value: the value as a Python literal.
        reason: how it follows, or what is open.
    """

    number: Annotated[int, Field(strict=True, ge=1)]
    determined: Annotated[bool, Field(strict=True)]
    value: Annotated[str, Field(strict=True, max_length=10_000)]
    reason: Annotated[str, Field(strict=True)]


class Opinions(Document):
    """The answer of a model that was asked for a second opinion."""

    values: tuple[Opinion, ...]


@dataclass(frozen=True)
class Disagreement:
    """An expression of which the plan expects something else than follows from the passages."""

    expectation: Expectation
    opinion: Opinion


def question(
    template: str, requirements: Sequence[Requirement], expected: Sequence[Expectation]
) -> tuple[Message, ...]:
    """What is asked: the passages, and the expressions without what is expected of them.

    Args:
        template: the text of `prompts/oracle.md`.
        requirements: those of the work order.
        expected: what is compared; at least one.
    """
    passages = [quote for requirement in requirements for quote in requirement.quotes]
    values = {
        "PASSAGES": "\n\n".join(quoted("passage", text) for text in dict.fromkeys(passages)),
        "EXPRESSIONS": "\n\n".join(
            quoted("expression", f"{number}:\n{_code(expectation)}")
            for number, expectation in enumerate(expected, start=1)
        ),
    }
    system, _, user = template.partition(_USER_MARKER)
    return (
        Message(role="system", content=fill(system, values, source=ORACLE_TEMPLATE).strip()),
        Message(role="user", content=fill(user, values, source=ORACLE_TEMPLATE).strip()),
    )


def read_opinions(text: str) -> Opinions:
    """The opinions of an answer.

    Raises:
        BadJson, BadDocument: it has none of the form that was asked for.
    """
    return read_document(Opinions, json_text(text), "the second opinion")


def disagreements(expected: Sequence[Expectation], opinions: Opinions) -> tuple[Disagreement, ...]:
    """Where a determined value is another one than the plan's; what can't be compared is no disagreement."""
    by_number = {opinion.number: opinion for opinion in opinions.values if opinion.determined}
    return tuple(
        Disagreement(expectation, by_number[number])
        for number, expectation in enumerate(expected, start=1)
        if number in by_number and _differ(expectation.expected, by_number[number].value)
    )


def disputed(
    command: str, differences: Sequence[Disagreement], requirements: Sequence[Requirement], printed: str = ""
) -> Failure:
    """The defect of the plan that a disagreement is: nobody can tell by code alone which value is right.

    Args:
        command: the acceptance command.
        differences: the disagreements, at least one.
        requirements: those of the work order, whose quotes are evidence.
        printed: what the command printed, if it has failed.
    """
    first = differences[0]
    lines = [
        f"{_shown(entry.expectation.expression)}: the plan expects {_shown(entry.expectation.expected)},"
        f" the requirements say {_shown(entry.opinion.value)}: {_shown(entry.opinion.reason)}"
        for entry in differences
    ]
    quotes = [f"{requirement.id}: {quote}" for requirement in requirements for quote in requirement.quotes]
    return Failure.plan_defect(
        Stage.ACCEPTANCE_FAILED,
        f"the plan expects {_shown(first.expectation.expected)} of {_shown(first.expectation.expression)},"
        f" and a second opinion from the requirements' words alone says {_shown(first.opinion.value)}",
        where=command,
        hint="see which of the two the specification means, and revise the plan: `planner revise --failure`",
        excerpt=excerpt("\n".join([*lines, "", *quotes, "", printed]).strip()),
    )


def opinions_schema() -> JsonObject:
    """The JSON schema of `Opinions`, within the subset that strict structured outputs accept."""
    entry: JsonObject = {
        "type": "object",
        "additionalProperties": False,
        "required": ["number", "determined", "value", "reason"],
        "properties": {
            "number": {"type": "integer", "description": "The number of the expression."},
            "determined": {"type": "boolean", "description": "Whether the passages leave no other value."},
            "value": {"type": "string", "description": "The value as a Python literal."},
            "reason": {"type": "string", "description": "How it follows from the passages."},
        },
    }
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["values"],
        "properties": {"values": {"type": "array", "items": entry}},
    }


def _code(expectation: Expectation) -> str:
    return f"{expectation.before}\n{expectation.expression}" if expectation.before else expectation.expression


def _differ(expected: str, value: str) -> bool:
    try:
        left, right = ast.literal_eval(expected), ast.literal_eval(value)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False
    if isinstance(left, float) and isinstance(right, float):
        return not math.isclose(left, right, rel_tol=1e-9)
    return bool(left != right)


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return f"`{line if len(line) <= _SHOWN else line[: _SHOWN - 1] + '…'}`"

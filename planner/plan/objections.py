"""What a second opinion on a plan objects to: the form of the answer, and its evidence. Pure.

A model says it, so nothing of it counts without evidence: the words that it objects to must stand in the
work order, and those that they contradict in the specification or elsewhere in the plan.
"""

import json
import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Final

from pydantic import Field

from factory.contract.documents import read_document
from factory.contract.reply import json_text
from factory.contract.strict_json import JsonObject, JsonValue
from factory.contract.work_order import Document

OBJECTIONS_SCHEMA_NAME: Final = "plan_review"

MAX_OBJECTIONS: Final = 40
"""The most that are looked at; who has more has made the point."""

_MAX_CHARS: Final = 20_000

_LINE_MARK: Final = re.compile(r"(?m)^\s*L\d+\|\s?")
"""What stands before a line of a specification that a model is shown."""


class Objected(StrEnum):
    """What is wrong with a plan."""

    IMPOSSIBLE = "impossible"
    PROVES_NOTHING = "proves_nothing"
    OUT_OF_REACH = "out_of_reach"
    BREAKS_EARLIER = "breaks_earlier"
    CONTRADICTS = "contradicts"
    UNSTABLE = "unstable"
    LOST = "lost"


class Objection(Document):
    """One defect that a second opinion finds.

    Attributes:
        order: the id of the work order.
        kind: what is wrong.
        quote: words of the work order, copied; of what is lost, words of the specification.
        against: words of the specification or of the plan that they contradict, copied; empty where the quote
            is enough.
        problem: why it is a defect.
        mend: what to do.
    """

    order: Annotated[str, Field(strict=True, max_length=100)]
    kind: Objected
    quote: Annotated[str, Field(strict=True, max_length=_MAX_CHARS)]
    against: Annotated[str, Field(strict=True, max_length=_MAX_CHARS)] = ""
    problem: Annotated[str, Field(strict=True, max_length=_MAX_CHARS)]
    mend: Annotated[str, Field(strict=True, max_length=_MAX_CHARS)] = ""


class Objections(Document):
    """The answer of a model that was asked for a second opinion on a plan."""

    objections: tuple[Objection, ...]


def read_objections(text: str) -> tuple[Objection, ...]:
    """The objections of an answer, not more than are looked at.

    Raises:
        BadJson, BadDocument: it does not have the form that was asked for.
    """
    return read_document(Objections, json_text(text), "the second opinion").objections[:MAX_OBJECTIONS]


def objections_schema() -> JsonObject:
    """The JSON schema of `Objections`, within the subset that strict structured outputs accept."""
    texts = {
        "order": "The id of the work order.",
        "quote": "Words of the work order, copied; of what is lost, words of the specification.",
        "against": "Words of the specification or of the plan that they contradict, copied; or nothing.",
        "problem": "Why it is a defect, step by step.",
        "mend": "What to do about it.",
    }
    properties: JsonObject = {
        name: {"type": "string", "description": description} for name, description in texts.items()
    }
    properties["kind"] = {"type": "string", "enum": [kind.value for kind in Objected]}
    entry: JsonObject = {
        "type": "object",
        "additionalProperties": False,
        "required": list(properties),
        "properties": properties,
    }
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["objections"],
        "properties": {"objections": {"type": "array", "items": entry}},
    }


def place_of(objection: Objection, order: JsonObject, pointer: str) -> str | None:
    """The JSON pointer of what an objection quotes of a work order; None if it doesn't stand there.

    Args:
        objection: the objection.
        order: the work order that it names.
        pointer: the work order's own.
    """
    for place, text in _texts(order, pointer):
        if _has(text, objection.quote):
            return place
    fields = (name for name, value in order.items() if _has_as_json({name: value}, objection.quote))
    return next((f"{pointer}/{name}" for name in fields), None)


def stands_in(quote: str, value: JsonValue) -> bool:
    """Whether a quote stands in one of the texts of a document, whatever its white space."""
    return any(_has(text, quote) for _, text in _texts(value, "")) or _has_as_json(value, quote)


def _has(text: str, quote: str) -> bool:
    """Whether a quote stands in a text: as it is, or as the JSON has it that a model is shown."""
    sought = _plain(quote)
    shown = json.dumps(text, ensure_ascii=False)[1:-1]
    return bool(sought) and (sought in _plain(text) or sought in _plain(shown))


def _has_as_json(value: JsonValue, quote: str) -> bool:
    """Whether a quote is a part of the JSON of more than a text: a list, or a field with its name."""
    sought = _plain(quote)
    return bool(sought) and sought in _plain(json.dumps(value, ensure_ascii=False))


def _texts(value: JsonValue, pointer: str) -> Iterator[tuple[str, str]]:
    match value:
        case str():
            yield pointer, value
        case list():
            for index, element in enumerate(value):
                yield from _texts(element, f"{pointer}/{index}")
        case dict():
            for name, element in value.items():
                yield from _texts(element, f"{pointer}/{name}")


def _plain(text: str) -> str:
    return " ".join(_LINE_MARK.sub("", text).split())

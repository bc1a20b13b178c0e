"""Contract documents read from JSON bytes, with every problem named by its JSON pointer."""

from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from factory.contract.errors import WorkorderError
from factory.contract.limits import MAX_JSON_BYTES
from factory.contract.strict_json import JsonValue, read_json

DocumentT = TypeVar("DocumentT", bound=BaseModel)


@dataclass(frozen=True)
class SchemaProblem:
    """One way in which a value does not match its schema."""

    pointer: str
    message: str
    kind: str
    """pydantic's error type, such as `missing`, `extra_forbidden` or `unsafe_path`."""


class BadDocument(WorkorderError):
    """A document that does not match its schema; `problems` lists all of them."""

    def __init__(self, source: str, problems: tuple[SchemaProblem, ...], hint: str) -> None:
        lines = [f"{problem.pointer or '/'}: {problem.message}" for problem in problems]
        super().__init__("; ".join(lines), where=source, hint=hint)
        self.problems = problems


def read_document(
    model: type[DocumentT],
    data: bytes | str,
    source: str,
    *,
    hint: str = "",
    max_bytes: int = MAX_JSON_BYTES,
) -> DocumentT:
    """Parse strict JSON and validate it.

    Args:
        model: the document's class.
        data: the JSON text.
        source: what to call the document in an error.
        hint: what the user should do when it does not match.
        max_bytes: the largest text accepted.

    Raises:
        BadJson: the text is not strict JSON.
        BadDocument: the value does not match the schema.
    """
    value = read_json(data, source, max_bytes=max_bytes)
    problems = schema_problems(model, value)
    if problems:
        raise BadDocument(source, problems, hint)
    return model.model_validate(value)


def schema_problems(model: type[BaseModel], value: JsonValue) -> tuple[SchemaProblem, ...]:
    """All the ways in which `value` does not match `model`; empty when it does."""
    try:
        model.model_validate(value)
    except ValidationError as error:
        return tuple(
            SchemaProblem(
                pointer="".join(f"/{_escape(part)}" for part in detail["loc"]),
                message=_plain(detail["type"], detail["msg"]),
                kind=detail["type"],
            )
            for detail in error.errors(include_url=False, include_context=False)
            # pydantic counts only valid elements; those that are not are problems of their own.
            if not (detail["type"] == "too_short" and detail["input"])
        )
    return ()


def _escape(part: str | int) -> str:
    return str(part).replace("~", "~0").replace("/", "~1")


def _plain(kind: str, message: str) -> str:
    match kind:
        case "missing":
            return "is missing"
        case "extra_forbidden":
            return "is not a known field"
        case "tuple_type":
            return "must be a list"
        case "string_type":
            return "must be a string"
        case "bool_type" | "bool_parsing":
            return "must be true or false"
        case "model_type" | "model_attributes_type":
            return "must be an object"
        case "too_short":
            return "must not be empty"
        case _:
            text = message.removeprefix("Value error, ")
            return text[:1].lower() + text[1:]

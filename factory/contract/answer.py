"""How a model answers a work order: files written whole or edited; the JSON schema of that for a provider.

What comes of it is a `WriteProposal`, where every file is whole. The schema is written out instead of
generated, so that the same request has the same bytes under every version of the validation library. It
keeps to the subset that strict structured outputs accept: every property required, no extra properties, no
defaults. A test holds it against the model.
"""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field, model_validator

from factory.contract.limits import MAX_EDITS
from factory.contract.proposal import Sha256
from factory.contract.repo_path import RepoPath
from factory.contract.strict_json import JsonObject, JsonValue
from factory.contract.work_order import Document


class Edit(Document):
    """The replacement of one passage.

    Attributes:
        old: the passage, which stands in the file exactly once.
        new: what shall stand in its place.
    """

    old: Annotated[str, Field(strict=True, min_length=1)]
    new: Annotated[str, Field(strict=True)]


class AnsweredWrite(Document):
    """One file: its whole new text, or what changes in it.

    Attributes:
        path: the file.
        base_sha256: the SHA-256 of the file as the model saw it; of no bytes if it did not exist.
        content: the new text; None if it is edited.
        edits: the changes; None or none if it is written whole.
    """

    path: RepoPath
    base_sha256: Sha256
    content: Annotated[str, Field(strict=True)] | None = None
    edits: Annotated[tuple[Edit, ...], Field(max_length=MAX_EDITS)] | None = None

    @model_validator(mode="after")
    def _require_either(self) -> "AnsweredWrite":
        if (self.content is None) == (not self.edits):
            raise ValueError("must have either content or edits, and the other one is null")
        return self


class WriteAnswer(Document):
    """The answer of a model to a work order."""

    summary: Annotated[str, Field(strict=True)]
    writes: Annotated[tuple[AnsweredWrite, ...], Field(min_length=1)]


def answer_schema(paths: Sequence[str], base_hashes: Sequence[str]) -> JsonObject:
    """The JSON schema of a `WriteAnswer` for one work order.

    Args:
        paths: the files that may be written; they become an enumeration.
        base_hashes: the hashes that `base_sha256` may have, as an enumeration, because models copy 64 hex
            digits wrongly.

    Returns:
        A schema within the subset that strict structured outputs accept.
    """
    path_values: list[JsonValue] = list(dict.fromkeys(paths))
    hash_values: list[JsonValue] = list(dict.fromkeys(base_hashes))
    edit = _object(
        old=_described("string", "A passage that stands in the file exactly once."),
        new=_described("string", "What shall stand in its place."),
    )
    edits = _described(
        ["array", "null"], "What changes in the file as it is shown; null if it is written whole."
    )
    write = _object(
        path={"type": "string", "enum": path_values},
        base_sha256={"type": "string", "enum": hash_values},
        content=_described(["string", "null"], "The whole new text of the file; null if it is edited."),
        edits={**edits, "items": edit},
    )
    return _object(
        summary=_described("string", "What was done and why, in a few sentences."),
        writes={"type": "array", "minItems": 1, "items": write},
    )


def _object(**properties: JsonValue) -> JsonObject:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(properties),
        "properties": properties,
    }


def _described(kind: JsonValue, description: str) -> JsonObject:
    return {"type": kind, "description": description}

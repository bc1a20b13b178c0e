"""How a model answers a work order: files written whole, edited or kept; the JSON schema for a provider.

What comes of it is a `WriteProposal`, where every file is whole. The schema is written out instead of
generated, so that the same request has the same bytes under every version of the validation library. It
keeps to the subset that strict structured outputs accept: every property required, no extra properties, no
defaults. A test holds it against the model. It says nothing of one work order, because providers keep a
schema in front of the prompt: where it differs, nothing of what follows is served from their caches.
"""

import re
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field, model_validator

from factory.contract.limits import MAX_EDITS
from factory.contract.repo_path import RepoPath
from factory.contract.strict_json import JsonObject, JsonValue
from factory.contract.work_order import Document

AnswerFormat = Literal["blocks", "json"]
"""How a model gives files: in fenced blocks, or as strings of JSON."""

SHOWN_DIGITS: Final = 16
"""How many digits of a hash a prompt shows; they tell a few versions of one file apart."""

_SHOWN_HASH: Final = re.compile(rf"[0-9a-f]{{{SHOWN_DIGITS},64}}")


def _require_shown_hash(text: str) -> str:
    if not _SHOWN_HASH.fullmatch(text):
        raise ValueError(
            f"must be the first {SHOWN_DIGITS} lower-case hex digits of a SHA-256, or more of it"
        )
    return text


ShownHash = Annotated[str, Field(strict=True), AfterValidator(_require_shown_hash)]
"""The beginning of a SHA-256, or all of it."""


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
        base_sha256: the hash of the file as the model saw it, or of what it proposed before; of no bytes if
            it did not exist.
        content: the new text; None if it is edited.
        edits: the changes; None or none if it is written whole.
    """

    path: RepoPath
    base_sha256: ShownHash
    content: Annotated[str, Field(strict=True)] | None = None
    edits: Annotated[tuple[Edit, ...], Field(max_length=MAX_EDITS)] | None = None

    @model_validator(mode="after")
    def _require_either(self) -> "AnsweredWrite":
        if (self.content is None) == (not self.edits):
            raise ValueError("must have either content or edits, and the other one is null")
        return self


class WriteAnswer(Document):
    """The answer of a model to a work order.

    Attributes:
        summary: what it says of its work.
        writes: the files that it writes; not empty unless some are kept.
        keep: the files that shall be as its proposal had them that failed.
        remarks: what it wants a person or the planner to know.
    """

    summary: Annotated[str, Field(strict=True)]
    writes: tuple[AnsweredWrite, ...]
    keep: tuple[RepoPath, ...] = ()
    remarks: tuple[Annotated[str, Field(strict=True)], ...] = ()

    @model_validator(mode="after")
    def _require_work(self) -> "WriteAnswer":
        if not self.writes and not self.keep:
            raise ValueError("must write a file, or keep one")
        return self


def answer_schema() -> JsonObject:
    """The JSON schema of a `WriteAnswer`, within the subset that strict structured outputs accept."""
    edit = _object(
        old=_described("string", "A passage that stands in the file exactly once."),
        new=_described("string", "What shall stand in its place."),
    )
    edits = _described(
        ["array", "null"], "What changes in the file as it is shown; null if it is written whole."
    )
    write = _object(
        path=_described("string", "One of the work order's allowed files."),
        base_sha256=_described(
            "string", "The hash that is shown with the version that is written or edited."
        ),
        content=_described(["string", "null"], "The whole new text of the file; null if it is edited."),
        edits={**edits, "items": edit},
    )
    return _object(
        summary=_described("string", "What was done and why, in one to three sentences."),
        writes={"type": "array", "items": write},
        keep=_texts("The files that stay as the failed proposal had them; empty without one."),
        remarks=_texts("What a person or the planner should know; mostly empty."),
    )


def _texts(description: str) -> JsonObject:
    return {**_described("array", description), "items": {"type": "string"}}


def _object(**properties: JsonValue) -> JsonObject:
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(properties),
        "properties": properties,
    }


def _described(kind: JsonValue, description: str) -> JsonObject:
    return {"type": kind, "description": description}

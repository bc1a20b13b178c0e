"""What a model proposes: `WriteProposal`, and the JSON schema that is sent to a provider for it.

The schema is written out instead of generated, so that the same request has the same bytes under every
version of the validation library. It keeps to the subset that strict structured outputs accept: every
property required, no extra properties, no defaults. A test holds it against the model.
"""

import re
from collections.abc import Sequence
from typing import Annotated

from pydantic import AfterValidator, Field

from factory.contract.limits import MAX_PROPOSAL_BYTES, MAX_WRITE_BYTES
from factory.contract.repo_path import RepoPath
from factory.contract.strict_json import JsonObject, JsonValue
from factory.contract.work_order import Document

_SHA256 = re.compile(r"[0-9a-f]{64}")


def _is_sha256(text: str) -> str:
    if not _SHA256.fullmatch(text):
        raise ValueError("must be 64 lower-case hex digits")
    return text


def _fits(text: str) -> str:
    size = len(text.encode("utf-8"))
    if size > MAX_WRITE_BYTES:
        raise ValueError(f"has {size:,} bytes; the limit for one file is {MAX_WRITE_BYTES:,}")
    return text


def _fit_together(writes: "tuple[Write, ...]") -> "tuple[Write, ...]":
    size = sum(len(write.content.encode("utf-8")) for write in writes)
    if size > MAX_PROPOSAL_BYTES:
        raise ValueError(f"the files have {size:,} bytes together; the limit is {MAX_PROPOSAL_BYTES:,}")
    return writes


class Write(Document):
    """One file as it shall be, whole.

    Attributes:
        path: the file.
        base_sha256: the SHA-256 of the file as the model saw it; of no bytes if it did not exist.
        content: the new text.
    """

    path: RepoPath
    base_sha256: Annotated[str, Field(strict=True), AfterValidator(_is_sha256)]
    content: Annotated[str, Field(strict=True), AfterValidator(_fits)]


class WriteProposal(Document):
    """The answer of a model to a work order."""

    summary: Annotated[str, Field(strict=True)]
    writes: Annotated[tuple[Write, ...], Field(min_length=1), AfterValidator(_fit_together)]


def proposal_schema(paths: Sequence[str], base_hashes: Sequence[str]) -> JsonObject:
    """The JSON schema of a `WriteProposal` for one work order.

    Args:
        paths: the files that may be written; they become an enumeration.
        base_hashes: the hashes that `base_sha256` may have, as an enumeration, because models copy 64 hex
            digits wrongly.

    Returns:
        A schema within the subset that strict structured outputs accept.
    """
    path_values: list[JsonValue] = list(dict.fromkeys(paths))
    hash_values: list[JsonValue] = list(dict.fromkeys(base_hashes))
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["summary", "writes"],
        "properties": {
            "summary": {"type": "string", "description": "What was done and why, in a few sentences."},
            "writes": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["path", "base_sha256", "content"],
                    "properties": {
                        "path": {"type": "string", "enum": path_values},
                        "base_sha256": {"type": "string", "enum": hash_values},
                        "content": {"type": "string", "description": "The whole new text of the file."},
                    },
                },
            },
        },
    }

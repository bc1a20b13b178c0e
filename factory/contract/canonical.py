"""One byte form for a document. The hashes by which plans, contracts and runs are known are in `identity`."""

import hashlib
import json
from typing import Final

from pydantic import BaseModel, JsonValue

EMPTY_SHA256: Final = hashlib.sha256(b"").hexdigest()
"""The hash of no bytes: the `base_sha256` of a file that does not exist."""


def canonical_json(value: JsonValue) -> bytes:
    """`value` as UTF-8 JSON with sorted keys and no spaces: the form that is hashed.

    Raises:
        ValueError: the value holds NaN or Infinity.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
    return text.encode("utf-8")


def readable_json(value: JsonValue) -> bytes:
    """`value` as UTF-8 JSON with sorted keys, two spaces of indent and a final newline: the form on disk."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True, indent=2)
    return text.encode("utf-8") + b"\n"


def dump(document: BaseModel) -> JsonValue:
    """A contract document as plain JSON values, every field present."""
    value: JsonValue = document.model_dump(mode="json")
    return value


def sha256_hex(data: bytes) -> str:
    """The SHA-256 of `data` as 64 lower-case hex digits."""
    return hashlib.sha256(data).hexdigest()

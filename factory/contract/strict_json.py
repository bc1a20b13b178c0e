"""Reads JSON that somebody else wrote, and refuses what lenient readers let through.

The fast path is the standard library's parser with hooks; only a document that it refuses is read again,
token by token, to say where the fault is. Not for writing JSON: see `canonical`.
"""

import json
import re
from math import isfinite
from typing import Final, NoReturn, TypeAlias

import pydantic

from factory.contract.errors import WorkorderError
from factory.contract.json_fault import MAX_INTEGER_DIGITS, find_fault, is_too_deep
from factory.contract.limits import MAX_JSON_BYTES
from factory.contract.text import encodable

JsonValue: TypeAlias = pydantic.JsonValue
JsonObject: TypeAlias = dict[str, JsonValue]


_SURROGATE_ESCAPE: Final = re.compile(r"\\u[dD][89a-fA-F]")


class BadJson(WorkorderError):
    """A document that is not strict JSON; `where` holds the source with line and column."""


def read_json(data: bytes | str, source: str, *, max_bytes: int = MAX_JSON_BYTES) -> JsonValue:
    """Parse one JSON document.

    Args:
        data: the document; bytes must be UTF-8, with or without a byte order mark.
        source: what to call the document in an error, such as its file name.
        max_bytes: the largest document accepted, in bytes.

    Returns:
        The parsed value. Every object in it has unique keys, every number is finite, every string can be
        encoded as UTF-8, and nothing is nested deeper than `MAX_JSON_DEPTH`.

    Raises:
        BadJson: the document breaks one of these rules; `where` names the place.
    """
    size = len(data) if isinstance(data, bytes) else len(data.encode("utf-8", "surrogatepass"))
    if size > max_bytes:
        raise BadJson(f"the document has {size:,} bytes; the limit is {max_bytes:,}", where=source)
    text = _decode(data, source) if isinstance(data, bytes) else data
    text = text.removeprefix("\ufeff")
    if is_too_deep(text):
        raise _faulty(text, source)
    try:
        value = json.loads(
            text,
            object_pairs_hook=_require_unique,
            parse_constant=_refuse_constant,
            parse_float=_parse_finite,
            parse_int=_parse_integer,
        )
    except json.JSONDecodeError as error:
        place = f"{source}:{error.lineno}:{error.colno}"
        raise BadJson(f"not valid JSON: {_lower_first(error.msg)}", where=place) from error
    except _Suspicious as error:
        raise _faulty(text, source) from error
    if (_SURROGATE_ESCAPE.search(text) or not encodable(text)) and find_fault(text) is not None:
        raise _faulty(text, source)
    return value  # type: ignore[no-any-return]


class _Suspicious(Exception):
    """The parser met something that strict JSON forbids; `find_fault` says where."""


def _decode(data: bytes, source: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadJson(f"byte {error.start} is not UTF-8", where=source) from error


def _require_unique(pairs: list[tuple[str, JsonValue]]) -> JsonObject:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise _Suspicious
    return result


def _refuse_constant(_: str) -> NoReturn:
    raise _Suspicious


def _parse_finite(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise _Suspicious
    return value


def _parse_integer(text: str) -> int:
    if len(text) > MAX_INTEGER_DIGITS:
        raise _Suspicious
    return int(text)


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]


def _faulty(text: str, source: str) -> BadJson:
    fault = find_fault(text)
    if fault is None:
        return BadJson("not valid JSON", where=source)
    message, place = fault
    return BadJson(message, where=f"{source}:{place}")

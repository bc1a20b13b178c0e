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
from factory.contract.limits import MAX_JSON_BYTES, MAX_JSON_DEPTH

JsonValue: TypeAlias = pydantic.JsonValue
JsonObject: TypeAlias = dict[str, JsonValue]


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
    if _too_deep(text):
        _locate(text, source)
    try:
        value = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_constant=_refuse_constant,
            parse_float=_finite,
            parse_int=_integer,
        )
    except json.JSONDecodeError as error:
        place = f"{source}:{error.lineno}:{error.colno}"
        raise BadJson(f"not valid JSON: {_lower_first(error.msg)}", where=place) from error
    except _Suspicious:
        _locate(text, source)
    if _SURROGATE_ESCAPE.search(text) or not encodable(text):
        _locate(text, source, tolerant=True)
    return value  # type: ignore[no-any-return]


def encodable(text: str) -> bool:
    """Whether `text` can be written as UTF-8: it holds no half of a surrogate pair."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


_SURROGATE_ESCAPE: Final = re.compile(r"\\u[dD][89a-fA-F]")
_TOKEN: Final = re.compile(
    r"""(?P<string>"(?:[^"\\]|\\.)*")|(?P<open>[\[{])|(?P<close>[\]}])|(?P<comma>,)|(?P<colon>:)"""
    r"""|(?P<constant>-?Infinity|NaN)|(?P<number>-?[0-9][0-9.eE+-]*)""",
    re.DOTALL,
)
_MAX_INTEGER_DIGITS: Final = 1_000


class _Suspicious(Exception):
    """The parser met something that strict JSON forbids; `_locate` says where."""


def _decode(data: bytes, source: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadJson(f"byte {error.start} is not UTF-8", where=source) from error


def _unique(pairs: list[tuple[str, JsonValue]]) -> JsonObject:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise _Suspicious
    return result


def _refuse_constant(_: str) -> NoReturn:
    raise _Suspicious


def _finite(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise _Suspicious
    return value


def _integer(text: str) -> int:
    if len(text) > _MAX_INTEGER_DIGITS:
        raise _Suspicious
    return int(text)


def _too_deep(text: str) -> bool:
    # Cheap bound first: a document with few brackets can't be deep.
    if text.count("[") + text.count("{") <= MAX_JSON_DEPTH:
        return False
    depth = 0
    for token in _TOKEN.finditer(text):
        if token.lastgroup == "open":
            depth += 1
            if depth > MAX_JSON_DEPTH:
                return True
        elif token.lastgroup == "close":
            depth -= 1
    return False


def _locate(text: str, source: str, *, tolerant: bool = False) -> None:
    """Raise BadJson for the first forbidden thing in `text`; with `tolerant`, return if there is none."""
    # One frame a container: its keys so far (None for an array), and its position in the JSON pointer.
    frames: list[set[str] | None] = []
    pointer: list[str] = []
    key: str | None = None
    for token in _TOKEN.finditer(text):
        kind, lexeme = token.lastgroup, token.group()
        is_key = bool(frames) and frames[-1] is not None and key is None

        def refuse(message: str, at: int = token.start()) -> NoReturn:
            line = text.count("\n", 0, at) + 1
            column = at - text.rfind("\n", 0, at)
            path = "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in pointer)
            raise BadJson(message, where=f"{source}:{line}:{column} {path}".rstrip())

        if kind == "string":
            value = _string_value(lexeme)
            if value is None or not encodable(value):
                refuse("a string holds half of a surrogate pair, which is not a Unicode character")
            if is_key:
                keys = frames[-1]
                assert keys is not None
                if value in keys:
                    refuse(f"the key {json.dumps(value[:80])} stands twice in one object")
                keys.add(value)
                key = value
                pointer[-1] = value
        elif kind == "constant":
            refuse(f"{lexeme} is not a JSON number")
        elif kind == "number":
            if len(lexeme) > _MAX_INTEGER_DIGITS or not isfinite(_as_float(lexeme)):
                refuse("a number is too large")
        elif kind == "open":
            if len(frames) >= MAX_JSON_DEPTH:
                refuse(f"nested deeper than {MAX_JSON_DEPTH} levels")
            frames.append(set() if lexeme == "{" else None)
            pointer.append("" if lexeme == "{" else "0")
            key = None
        elif kind == "close" and frames:
            frames.pop()
            pointer.pop()
            # The closed container was a value: its parent, if an object, waits for a comma.
            key = "" if frames and frames[-1] is not None else None
        elif kind == "comma" and frames:
            if frames[-1] is None:
                pointer[-1] = str(int(pointer[-1]) + 1)
            key = None
    if not tolerant:
        raise BadJson("not valid JSON", where=source)


def _string_value(lexeme: str) -> str | None:
    try:
        value = json.loads(lexeme, strict=False)
    except json.JSONDecodeError:
        return lexeme
    return value if isinstance(value, str) else None


def _as_float(lexeme: str) -> float:
    try:
        return float(lexeme)
    except ValueError:
        return 0.0


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]

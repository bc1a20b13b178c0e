"""Where a text breaks a rule of strict JSON that the standard library's parser lacks or doesn't place."""

import json
import re
from dataclasses import dataclass
from math import isfinite
from typing import Final

from factory.contract.limits import MAX_JSON_DEPTH
from factory.contract.text import encodable

MAX_INTEGER_DIGITS: Final = 1_000

_TOKEN: Final = re.compile(
    r"""(?P<string>"(?:[^"\\]|\\.)*")|(?P<open>[\[{])|(?P<close>[\]}])|(?P<comma>,)|(?P<colon>:)"""
    r"""|(?P<constant>-?Infinity|NaN)|(?P<number>-?[0-9][0-9.eE+-]*)""",
    re.DOTALL,
)


@dataclass
class _Container:
    """An array or object that is being read.

    Attributes:
        step: its part of the JSON pointer: the last key, or the index.
        keys: those so far; None for an array.
        awaits_key: whether the next string is a key.
    """

    step: str
    keys: set[str] | None = None
    awaits_key: bool = False


def find_fault(text: str) -> tuple[str, str] | None:
    """What is wrong first in a text, and its line, column and JSON pointer; None if nothing is forbidden."""
    around: list[_Container] = []
    for token in _TOKEN.finditer(text):
        kind, lexeme = token.lastgroup, token.group()
        message = _message(kind, lexeme, around)
        if message:
            return message, _place(text, token.start(), around)
        _step(kind, lexeme, around)
    return None


def is_too_deep(text: str) -> bool:
    """Whether a text nests arrays and objects deeper than `MAX_JSON_DEPTH`."""
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


def _message(kind: str | None, lexeme: str, around: list[_Container]) -> str:
    """What is wrong with a token; empty if nothing is."""
    match kind:
        case "string":
            value = _string_value(lexeme)
            if value is None or not encodable(value):
                return "a string holds half of a surrogate pair, which is not a Unicode character"
            if around and around[-1].awaits_key and value in (around[-1].keys or ()):
                return f"the key {json.dumps(value[:80])} stands twice in one object"
        case "constant":
            return f"{lexeme} is not a JSON number"
        case "number" if len(lexeme) > MAX_INTEGER_DIGITS or not isfinite(_as_float(lexeme)):
            return "a number is too large"
        case "open" if len(around) >= MAX_JSON_DEPTH:
            return f"nested deeper than {MAX_JSON_DEPTH} levels"
    return ""


def _step(kind: str | None, lexeme: str, around: list[_Container]) -> None:
    """Go on behind a token."""
    if kind == "open":
        around.append(_Container("", set(), awaits_key=True) if lexeme == "{" else _Container("0"))
    elif not around:
        return
    elif kind == "close":
        around.pop()
    elif kind == "string" and around[-1].keys is not None and around[-1].awaits_key:
        around[-1].step = _string_value(lexeme) or ""
        around[-1].keys.add(around[-1].step)
        around[-1].awaits_key = False
    elif kind == "comma" and around[-1].keys is not None:
        around[-1].awaits_key = True
    elif kind == "comma":
        around[-1].step = str(int(around[-1].step) + 1)


def _place(text: str, at: int, around: list[_Container]) -> str:
    line = text.count("\n", 0, at) + 1
    column = at - text.rfind("\n", 0, at)
    pointer = "".join("/" + container.step.replace("~", "~0").replace("/", "~1") for container in around)
    return f"{line}:{column} {pointer}".rstrip()


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

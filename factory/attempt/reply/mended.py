"""Finds the one JSON object in a reply with prose around it, and writes its strings as JSON has them. Pure.

For weak models: they talk before and after, break lines within strings, and escape what needs none. What is
cut off stays invalid: an object is never closed for the model. Only for replies that strict reading refuses.
"""

import re
from typing import Final

from factory.contract.reply import json_text

_THOUGHTS: Final = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
_TRIES: Final = 50
"""At how many braces an object is looked for."""

_ESCAPES: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
# An escape that JSON knows; `\u` with its digits.
_KNOWN: Final = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})')
_PLAIN: Final = re.compile(r'[^"\\\x00-\x1f]+')
_BEFORE_END: Final = re.compile(r",(?=\s*[}\]])")


def mended(reply: str, key: str) -> str | None:
    """The one object of a reply that has a certain key, as text that may be strict JSON; None without one.

    Args:
        reply: what the model said.
        key: a key that the object has.
    """
    text = json_text(_THOUGHTS.sub("", reply, count=1))
    objects: list[str] = []
    position = -1
    for _ in range(_TRIES):
        position = text.find("{", position + 1)
        if position < 0:
            break
        scanned = _object(text, position)
        if scanned is not None and f'"{key}"' in scanned[0]:
            objects.append(scanned[0])
            position = scanned[1] - 1
    # Which of several is meant can't be known.
    return objects[0] if len(objects) == 1 else None


def _object(text: str, start: int) -> tuple[str, int] | None:
    """The object that begins at a brace, and where it ends; None if it does not end."""
    parts: list[str] = []
    depth, position = 0, start
    while position < len(text):
        character = text[position]
        if character == '"':
            string = _string(text, position)
            if string is None:
                return None
            parts.append(string[0])
            position = string[1]
            continue
        if character == "," and _BEFORE_END.match(text, position):
            position += 1
            continue
        depth += (character in "{[") - (character in "}]")
        parts.append(character)
        position += 1
        if depth == 0:
            return "".join(parts), position
    return None


def _string(text: str, start: int) -> tuple[str, int] | None:
    """The string that begins at a quotation mark, as JSON writes it, and where it ends."""
    parts, position = ['"'], start + 1
    while position < len(text):
        plain = _PLAIN.match(text, position) or _KNOWN.match(text, position)
        if plain is not None:
            parts.append(plain[0])
            position = plain.end()
            continue
        character = text[position]
        position += 1
        if character == '"':
            return "".join([*parts, '"']), position
        if character != "\\":
            parts.append(_ESCAPES.get(character, f"\\u{ord(character):04x}"))
        elif text[position : position + 1] == "'":
            # What needs no escape in JSON is written with one by habit.
            parts.append("'")
            position += 1
        else:
            # The backslash is one of the file's, as in a regular expression.
            parts.append("\\\\")
    return None

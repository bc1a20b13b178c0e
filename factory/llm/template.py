"""Puts text that others wrote into a prompt so that it stays text.

A template is filled in one pass, so that a value which holds `{{…}}` can't open a placeholder; a quotation
stands between tags that its text can't close.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Final

from factory.contract.canonical import sha256_hex
from factory.contract.errors import WorkorderError
from factory.contract.text import encodable
from factory.llm.port import Message

PLACEHOLDER: Final = re.compile(r"\{\{([A-Z][A-Z0-9_]*)\}\}")


def fill(template: str, values: Mapping[str, str], *, source: str) -> str:
    """Replace each `{{NAME}}` of the template with its value.

    Args:
        template: the text with placeholders.
        values: what stands for each name; values without a placeholder are not used.
        source: what to call the template in an error.

    Raises:
        WorkorderError: the template has a placeholder that has no value.
    """

    def value_of(match: re.Match[str]) -> str:
        name = match.group(1)
        if name not in values:
            known = ", ".join(sorted(values))
            raise WorkorderError(
                f"the template has an unknown placeholder {{{{{name}}}}}",
                where=source,
                hint=f"known are {known}",
            )
        return values[name]

    return PLACEHOLDER.sub(value_of, template)


def quoted(tag: str, text: str) -> str:
    """`text` between tags that it can't close, because they carry its own hash; the second begins a line."""
    # Half of a surrogate pair can't be sent; it goes as its escape.
    data = text.encode("utf-8", "backslashreplace")
    mark = sha256_hex(data)[:16]
    body = data.decode("utf-8")
    end = "" if body.endswith("\n") else "\n"
    return f'<{tag} id="{mark}">\n{body}{end}</{tag} id="{mark}">'


def quoted_file(tag: str, path: str, text: str) -> str:
    """A file as `quoted` has it, its path in quotes on the first line: file names are others' text, too."""
    return quoted(tag, f"{json_path(path)}\n\n{text}")


def json_path(path: str) -> str:
    """A path on one line, in quotes, because file names may hold newlines."""
    return json.dumps(path, ensure_ascii=not encodable(path))


def transcript(messages: Iterable[Message]) -> str:
    """The messages as one text, for a person."""
    return "\n".join(f"[{message.role}]\n{message.content}\n" for message in messages)

"""Texts of strangers in Markdown, so that they mean nothing in it."""

import re
from typing import Final

from factory.system.terminal.console import one_line

_SIGNS: Final = re.compile(
    # Within a word an underscore is a letter; an ampersand counts where it begins an entity, a colon and a
    # full stop where they make a link.
    r"[\\`*\[<|~$]|(?<![^\W_])_+|_+(?![^\W_])|&(?=#?\w+;)|:(?=//)|(?<=www)\."
)
_NAMED: Final = re.compile(r"(?<!\w)@\w[\w/.-]*|[\w./-]*[#!]\d+\b|\bGH-\d+\b", re.IGNORECASE)
_AT_THE_BEGINNING: Final = re.compile(r"^(\s*)([-+#>=]|\d+(?=[.)]))")


def escaped(text: str) -> str:
    """A text in one line without meaning in Markdown, in as few signs as that takes."""
    return _SIGNS.sub(lambda signs: "".join(f"\\{sign}" for sign in signs[0]), one_line(text))


def posted(text: str) -> str:
    """The same where GitHub or GitLab show it, with the names of people and numbers of issues as code.

    Otherwise they would call the people, and close the issues when what says so is merged.
    """
    shown, parts, position = one_line(text), [], 0
    for named in _NAMED.finditer(shown):
        parts += [escaped(shown[position : named.start()]), f"`{named[0]}`"]
        position = named.end()
    return "".join([*parts, escaped(shown[position:])])


def paragraph(text: str) -> str:
    """A text without meaning where it begins a line, so that it begins no list, heading or quote either."""
    return _beginning(escaped(text))


def posted_paragraph(text: str) -> str:
    """The same of what is posted."""
    return _beginning(posted(text))


def _beginning(plain: str) -> str:
    return _AT_THE_BEGINNING.sub(
        lambda sign: f"{sign[1]}{sign[2]}\\" if sign[2].isdigit() else f"{sign[1]}\\{sign[2]}", plain
    )

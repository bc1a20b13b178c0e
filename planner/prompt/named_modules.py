"""Which modules a specification speaks of: by their own names, or by those of what they define."""

import re
from typing import Final

from factory.contract.errors import WorkorderError
from factory.contract.text import Read

MAX_LOOKED_INTO: Final = 2_000
"""How many modules are searched for definitions, in the order of their paths."""

_DEFINITION: Final = re.compile(rb"^[ \t]*(?:class|(?:async[ \t]+)?def)[ \t]+(\w+)", re.MULTILINE)
_OF_OTHERS: Final = re.compile(
    rb"^[ \t]*(?:(?:export|default|declare|abstract|async|pub(?:\([\w:]+\))?|unsafe|const) +)*"
    rb"(?:class|interface|enum|type|struct|trait|fn|const|let|var|static|function\*?|func(?: *\([^)\n]*\))?)"
    rb"[ \t]+(\w+)",
    re.MULTILINE,
)
"""The same in other languages than Python."""

_COMPOUND: Final = re.compile(r"\w*(?:[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9])\w*")
"""A name that is no ordinary word, so that a text that has it speaks of what is called so."""


class NamedModules:
    """The modules that a text names.

    Args:
        text: the text, such as a specification.
        read: gives the bytes of the modules.
    """

    def __init__(self, text: str, read: Read) -> None:
        self._text = text
        self._read = read
        self._words = frozenset(re.findall(r"\w+", text))
        self._symbols = frozenset(word.encode() for word in self._words if _COMPOUND.fullmatch(word))
        self._looked_into = 0

    def rank(self, path: str) -> int:
        """How directly the text names a module: 0 by path, dotted name or file; 1 by a definition; 2 not."""
        whole = path.rpartition(".")[0]
        dotted = whole.removesuffix("/__init__").replace("/", ".")
        stem = whole.rpartition("/")[2]
        if self._has(path) or self._has(dotted) or stem in self._words:
            return 0
        return 1 if self._defines_one(path) else 2

    def _has(self, name: str) -> bool:
        """Whether the text names it, and no longer name that it is a part of."""
        # To look for the name alone takes a fraction of the time.
        return name in self._text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", self._text) is not None

    def _defines_one(self, path: str) -> bool:
        if not self._symbols or self._looked_into >= MAX_LOOKED_INTO:
            return False
        self._looked_into += 1
        try:
            data = self._read(path)
        except WorkorderError:
            # That it can't be read is told where it would be shown.
            return False
        return data is not None and not self._symbols.isdisjoint(_definition(path).findall(data))


def _definition(path: str) -> re.Pattern[bytes]:
    return _DEFINITION if path.endswith(".py") else _OF_OTHERS

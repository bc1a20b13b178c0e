"""What users of some names need of a source: their declarations with documentation, bodies left out. Pure.

A language takes a source apart into units; which of them are shown is decided here, alike for all languages.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

LEFT_OUT: Final = "…"
"""Stands where something is left out."""

_LONGEST_VALUE: Final = 1_500
_LINES_OF_VALUE: Final = 10
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True)
class Unit:
    """A declaration at the top of a source, with the comments and decorators in front of it.

    Attributes:
        text: what is shown of it.
        names: what it declares or imports; nobody asks for a unit without names.
        is_import: whether its names are others'.
        is_value: whether it is a constant or a variable, whose value may be cut.
        is_always_shown: whether it is shown whatever is asked for, such as what a source says of itself.
    """

    text: str
    names: frozenset[str] = frozenset()
    is_import: bool = False
    is_value: bool = False
    is_always_shown: bool = False

    @property
    def shown(self) -> str:
        """The text, of a long value its first lines."""
        if not self.is_value or len(self.text) <= _LONGEST_VALUE:
            return self.text
        lines = self.text.split("\n")[:_LINES_OF_VALUE]
        return "\n".join([*(line[: _LONGEST_VALUE // _LINES_OF_VALUE] for line in lines), LEFT_OUT])


@dataclass(frozen=True)
class Excerpt:
    """A part of a source.

    Attributes:
        text: its lines.
        names: the names that its declarations have.
        imported: the names that it has from elsewhere.
    """

    text: str
    names: frozenset[str]
    imported: frozenset[str]


def excerpt_of(units: Sequence[Unit], names: Collection[str]) -> Excerpt:
    """The units that declare some names, and those of what their text mentions.

    Args:
        units: of the source, in its order.
        names: what is asked for, dotted where it is in a type; of that only the type decides here.
    """
    asked = {name.partition(".")[0] for name in names}
    taken = {number for number, unit in enumerate(units) if unit.is_always_shown}
    waiting = set(asked)
    known = set(asked)
    while waiting:
        fitting = {n for n, unit in enumerate(units) if n not in taken and not unit.names.isdisjoint(waiting)}
        taken |= fitting
        mentioned = {
            word for n in fitting if not units[n].is_import for word in _WORD.findall(units[n].shown)
        }
        waiting = mentioned - known
        known |= mentioned
    parts: list[str] = []
    for number, unit in enumerate(units):
        if number in taken:
            parts.append(unit.shown.strip("\n"))
        elif parts[-1:] != [LEFT_OUT]:
            parts.append(LEFT_OUT)
    chosen = [units[number] for number in sorted(taken)]
    return Excerpt(
        "\n\n".join(parts) + "\n",
        frozenset().union(*(unit.names for unit in chosen)),
        frozenset().union(*(unit.names for unit in chosen if unit.is_import)),
    )

"""Changes of a source that make mutants, and which of them are tried where there are too many. Pure."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

LOGIC: Final = frozenset({"comparison", "condition", "boolean", "arithmetic", "off-by-one"})
"""The kinds of changes that only a test of both sides notices; any test of a line notices most others."""


@dataclass(frozen=True)
class Edit:
    """A change of the text between two offsets, in bytes.

    Attributes:
        line: the line where it begins, from 1.
        operator: the kind of change.
        description: the change in words.
        start: where the changed text begins.
        end: where it ends.
        new: what it becomes.
    """

    line: int
    operator: str
    description: str
    start: int
    end: int
    new: str

    def applied(self, data: bytes) -> bytes:
        """A source with this change."""
        return data[: self.start] + self.new.encode("utf-8") + data[self.end :]


def replacing(line: int, operator: str, start: int, end: int, old: str, new: str) -> Edit:
    """A text that becomes another one, and says so."""
    return Edit(line, operator, f"`{shown(old)}` becomes `{shown(new)}`", start, end, new)


def shown(text: str) -> str:
    """A text in one line, shortened."""
    folded = " ".join(text.split())
    return folded if len(folded) <= 60 else folded[:59] + "…"


def spread(edits: Sequence[Edit], operators: Sequence[str], limit: int) -> list[Edit]:
    """At most `limit` edits, by place: one a line before two.

    Where not all lines get one, those come first whose logic can be changed, and of these, or of the others
    for the rest, they are evenly spread.

    Args:
        edits: those of one place in the order in which they are to be tried.
        operators: their kinds, those first that a line gives first.
        limit: how many there may be.
    """
    by_line: defaultdict[int, list[Edit]] = defaultdict(list)
    for edit in edits:
        by_line[edit.line].append(edit)

    def place(edit: Edit) -> tuple[int, int, int, str]:
        return edit.start, operators.index(edit.operator), edit.end, edit.new

    for group in by_line.values():
        # At one place the language's own order: of `<` first `<=`, which only a test at the limit notices.
        group.sort(key=lambda edit: (operators.index(edit.operator), edit.start, edit.end))
    kept: list[Edit] = []
    turn = 0
    while len(kept) < limit and turn < max(map(len, by_line.values()), default=0):
        offered = [group[turn] for _, group in sorted(by_line.items()) if turn < len(group)]
        for is_logic in (True, False):
            alike = [edit for edit in offered if (edit.operator in LOGIC) is is_logic]
            room = min(limit - len(kept), len(alike))
            kept += [alike[number * len(alike) // room] for number in range(room)]
        turn += 1
    return sorted(kept, key=place)

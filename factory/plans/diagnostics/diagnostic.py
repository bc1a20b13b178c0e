"""One finding about a plan, as a value. Not for printing: see `render`."""

import re
from dataclasses import dataclass
from enum import StrEnum

from factory.system.terminal.console import one_line

_QUOTED_CHARS = 120
_POINTER_CHARS = 200


class Severity(StrEnum):
    """Whether a plan with this finding may be used."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True)
class Diagnostic:
    """A finding about a plan.

    Attributes:
        code: the code, such as `E101`; `explain` has its page.
        name: the code in words, such as `unmet-precondition`.
        severity: whether the plan may still be used.
        order: the id of the work order it is about, as the document has it; empty if it is about none.
        pointer: the JSON pointer of the place in the manifest; empty for the whole document.
        message: what is wrong.
        hint: what to do next.
        accepted: why the plan keeps what a warning is about; empty if it does not say.
    """

    code: str
    name: str
    severity: Severity
    order: str
    pointer: str
    message: str
    hint: str
    accepted: str = ""

    @property
    def where(self) -> str:
        """The work order and the place in one harmless line, shortened; empty for the whole document."""
        pointer = self.pointer
        if len(pointer) > _POINTER_CHARS:
            pointer = pointer[: _POINTER_CHARS - 1] + "…"
        return " ".join(one_line(part) for part in (self.order, pointer) if part)

    @property
    def sort_key(self) -> tuple[tuple[tuple[int, int, str], ...], str, str]:
        """Position in the document, with indices as numbers, then the code, then the message likewise."""
        message = re.sub(r"[0-9]+", lambda number: number[0].zfill(10), self.message)
        return (tuple(_segment_key(part) for part in self.pointer.split("/")[1:]), self.code, message)


def in_order(diagnostics: list[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The diagnostics by position in the document, then by code; what is said twice is kept once."""
    return tuple(sorted(dict.fromkeys(diagnostics), key=lambda diagnostic: diagnostic.sort_key))


def quote(text: str, limit: int = _QUOTED_CHARS) -> str:
    """`text` from a document as a message shows it: in backticks, on one line, shortened, harmless."""
    shown = text if len(text) <= limit else text[: limit - 1] + "…"
    return f"`{one_line(shown)}`"


def _segment_key(part: str) -> tuple[int, int, str]:
    # ASCII digits only: other digits are keys of an object, never an index.
    if part.isascii() and part.isdigit() and len(part) < 10:
        return (0, int(part), "")
    return (1, 0, part)

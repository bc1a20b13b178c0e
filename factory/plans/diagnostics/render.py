"""Diagnostics as text: for a person, for a log, for a program, for GitHub.

What a diagnostic quotes was written by a model, so no control character comes out as it is.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Final, assert_never

from factory.contract.strict_json import JsonObject, JsonValue
from factory.plans.diagnostics.diagnostic import Diagnostic, Severity
from factory.system.terminal.console import one_line

_POINTER_CHARS: Final = 200
_SHOWN_PLACES: Final = 3
"""At how many places the same finding is shown at each."""


class OutputFormat(StrEnum):
    """How diagnostics are written."""

    FULL = "full"
    CONCISE = "concise"
    JSON = "json"
    GITHUB = "github"


def render(
    diagnostics: Sequence[Diagnostic], output_format: OutputFormat, source: str = "", *, folds: bool = False
) -> str:
    """The diagnostics as text without a final line break; empty for none, but `[]` in JSON.

    Args:
        diagnostics: what to show, in the order to show it.
        output_format: how.
        source: the file that was checked, for the formats that name it.
        folds: whether a person is shown only the first of many findings that say the same of other places.
    """
    shown = _folded(diagnostics) if folds else dict.fromkeys(diagnostics, 0)
    match output_format:
        case OutputFormat.FULL:
            return "\n".join(
                f"{_headline(diagnostic)}{_more(more)}\n  {_advice(diagnostic)}"
                for diagnostic, more in shown.items()
            )
        case OutputFormat.CONCISE:
            return "\n".join(f"{_headline(diagnostic)}{_more(more)}" for diagnostic, more in shown.items())
        case OutputFormat.JSON:
            return json.dumps(as_json(diagnostics), indent=2)
        case OutputFormat.GITHUB:
            return "\n".join(_workflow_command(diagnostic, source) for diagnostic in diagnostics)
        case _ as never:
            assert_never(never)


def summary(diagnostics: Iterable[Diagnostic]) -> str:
    """How many there are, such as `2 errors, 1 warning` or `0 errors, 2 warnings, of which 1 accepted`."""
    listed = list(diagnostics)
    counts = Counter(diagnostic.severity for diagnostic in listed)
    accepted = sum(bool(diagnostic.accepted) for diagnostic in listed)
    return ", ".join(counted(counts[severity], str(severity)) for severity in Severity) + (
        f", of which {accepted} accepted" if accepted else ""
    )


def as_json(diagnostics: Iterable[Diagnostic]) -> list[JsonValue]:
    """The diagnostics as JSON values."""
    return [_object(diagnostic) for diagnostic in diagnostics]


def _object(diagnostic: Diagnostic) -> JsonObject:
    return {
        "code": diagnostic.code,
        "name": diagnostic.name,
        "severity": diagnostic.severity.value,
        "order": diagnostic.order,
        "pointer": diagnostic.pointer,
        "message": diagnostic.message,
        "hint": diagnostic.hint,
        "accepted": diagnostic.accepted,
    }


def _folded(diagnostics: Sequence[Diagnostic]) -> dict[Diagnostic, int]:
    """The findings, of many with one cause only the first, each with how many it stands for beside itself.

    One cause is assumed where rule, message and hint are the same, such as a file that many work orders need
    and nobody makes. Places of which there are few are shown.
    """
    causes: dict[tuple[str, str, str], list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        causes.setdefault((diagnostic.code, diagnostic.message, diagnostic.hint), []).append(diagnostic)
    shown = {}
    for diagnostic in diagnostics:
        same = causes[diagnostic.code, diagnostic.message, diagnostic.hint]
        if len(same) <= _SHOWN_PLACES:
            shown[diagnostic] = 0
        elif diagnostic == same[0]:
            shown[diagnostic] = len(same) - 1
    return shown


def _more(number: int) -> str:
    return f" (and {number} more that follow from this)" if number else ""


def _headline(diagnostic: Diagnostic) -> str:
    where = _where(diagnostic)
    label = f"{diagnostic.severity}[{diagnostic.code}]"
    return f"{label}{' ' if where else ''}{where}: {one_line(diagnostic.message)}"


def _advice(diagnostic: Diagnostic) -> str:
    """What to do, or why the plan leaves it."""
    if diagnostic.accepted:
        return f"accepted: {one_line(diagnostic.accepted)}"
    return f"hint: {one_line(diagnostic.hint)}"


def _where(diagnostic: Diagnostic) -> str:
    pointer = diagnostic.pointer
    if len(pointer) > _POINTER_CHARS:
        pointer = pointer[: _POINTER_CHARS - 1] + "…"
    return " ".join(one_line(part) for part in (diagnostic.order, pointer) if part)


def _workflow_command(diagnostic: Diagnostic, source: str) -> str:
    title = f"{diagnostic.code} {diagnostic.name}"
    where = _where(diagnostic)
    text = f"{where}{': ' if where else ''}{one_line(diagnostic.message)}"
    file = f"file={_property(one_line(source))}," if source else ""
    # The only line break of the message is our own, and escaped: nothing quoted can begin a command.
    data = _data(f"{text}\n{_advice(diagnostic)}")
    return f"::{diagnostic.severity} {file}title={_property(title)}::{data}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def counted(number: int, noun: str) -> str:
    """`1 error`, `2 errors`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

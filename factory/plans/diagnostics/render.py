"""Diagnostics as text: for a person, for a log, for a program, for GitHub.

What a diagnostic quotes was written by a model, so no control character comes out as it is.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import islice
from types import MappingProxyType
from typing import Final, assert_never

from factory.contract.strict_json import JsonObject, JsonValue
from factory.plans.diagnostics.diagnostic import Diagnostic, Severity
from factory.plans.diagnostics.exports import Placed, annotations, gitlab, junit, sarif
from factory.plans.diagnostics.places import places
from factory.system.terminal.console import one_line

_SHOWN_PLACES: Final = 3
"""At how many places the same finding is shown at each."""


class OutputFormat(StrEnum):
    """How diagnostics are written."""

    FULL = "full"
    CONCISE = "concise"
    JSON = "json"
    GITHUB = "github"
    SARIF = "sarif"
    JUNIT = "junit"
    GITLAB = "gitlab"


def render(
    diagnostics: Sequence[Diagnostic],
    output_format: OutputFormat,
    files: Mapping[str, bytes] = MappingProxyType({}),
    *,
    folds: bool = True,
    most: int | None = None,
) -> str:
    """The diagnostics as text without a final line break; empty for none, but `[]` in JSON.

    Args:
        diagnostics: what to show, in the order to show it.
        output_format: how.
        files: what was checked, by path, for the formats that name places: the manifest, or work orders.
        folds: whether a person is shown only the first of many findings that say the same of other places.
        most: how many a person is shown; None for all.
    """
    folded = _folded(diagnostics) if folds else dict.fromkeys(diagnostics, 0)
    shown = dict(islice(folded.items(), most))
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
            return annotations(_placed(diagnostics, files))
        case OutputFormat.SARIF:
            return sarif(_placed(diagnostics, files))
        case OutputFormat.JUNIT:
            return junit(_placed(diagnostics, files), next(iter(files), "plan"))
        case OutputFormat.GITLAB:
            return gitlab(_placed(diagnostics, files))
        case _ as never:
            assert_never(never)


def _placed(diagnostics: Sequence[Diagnostic], files: Mapping[str, bytes]) -> list[Placed]:
    place = places(files)
    return [(diagnostic, place(diagnostic)) for diagnostic in diagnostics]


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
    where = diagnostic.where
    label = f"{diagnostic.severity}[{diagnostic.code}]"
    return f"{label}{' ' if where else ''}{where}: {one_line(diagnostic.message)}"


def _advice(diagnostic: Diagnostic) -> str:
    """What to do, or why the plan leaves it."""
    if diagnostic.accepted:
        return f"accepted: {one_line(diagnostic.accepted)}"
    return f"hint: {one_line(diagnostic.hint)}"


def lines_named(numbers: Sequence[int]) -> str:
    """Lines by their numbers, which ascend: `line 7`, `lines 3, 4, 9 to 12`; empty for none."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    shown = [f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs]
    return f"line{'s' if len(numbers) > 1 else ''} {', '.join(shown)}" if shown else ""


def counted(number: int, noun: str) -> str:
    """`1 error`, `2 errors`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

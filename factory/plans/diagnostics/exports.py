"""Findings for other programs: SARIF 2.1.0, JUnit's XML, GitLab's code quality, GitHub's annotations. Pure.

What a finding quotes was written by a model: nothing of it comes out as a control character.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Final
from urllib.parse import quote
from xml.etree import ElementTree

from factory.contract.strict_json import JsonObject, JsonValue
from factory.plans.diagnostics.diagnostic import Diagnostic, Severity
from factory.plans.diagnostics.places import Place
from factory.system.terminal.console import one_line

Placed = tuple[Diagnostic, Place | None]
_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
MOST_ANNOTATIONS: Final = 10
"""GitHub shows no more of a step, of each kind."""


def sarif(placed: Sequence[Placed], tool: str = "planner check") -> str:
    """A SARIF log with one run; what the plan accepts is suppressed there.

    Args:
        placed: the findings, with their places.
        tool: who found them.
    """
    rules: dict[str, JsonValue] = {
        diagnostic.code: {"id": diagnostic.code, "name": diagnostic.name} for diagnostic, _ in placed
    }
    driver: JsonObject = {"name": tool, "rules": [rules[code] for code in sorted(rules)]}
    results: list[JsonValue] = [_result(diagnostic, place) for diagnostic, place in placed]
    run: JsonObject = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2)


def _result(diagnostic: Diagnostic, place: Place | None) -> JsonObject:
    result: JsonObject = {
        "ruleId": diagnostic.code,
        "level": diagnostic.severity.value,
        "message": {"text": _text(diagnostic)},
    }
    if place is not None:
        location: JsonObject = {
            "artifactLocation": {
                "uri": ("file://" if place.file.startswith("/") else "") + quote(place.file)
            },
            "region": {"startLine": place.line},
        }
        result["locations"] = [{"physicalLocation": location}]
    if diagnostic.accepted:
        result["suppressions"] = [{"kind": "inSource", "justification": one_line(diagnostic.accepted)}]
    return result


def gitlab(placed: Sequence[Placed]) -> str:
    """A report of GitLab's code quality."""
    entries: list[JsonValue] = []
    for diagnostic, place in placed:
        if diagnostic.accepted:
            continue
        key = "\0".join((diagnostic.code, diagnostic.order, diagnostic.pointer, diagnostic.message))
        where = place or Place("plan", 1)
        entries.append(
            {
                "description": _text(diagnostic),
                "check_name": f"{diagnostic.code} {diagnostic.name}",
                "fingerprint": hashlib.sha256(key.encode("utf-8", "backslashreplace")).hexdigest(),
                "severity": "major" if diagnostic.severity is Severity.ERROR else "minor",
                "location": {"path": where.file, "lines": {"begin": where.line}},
            }
        )
    return json.dumps(entries, indent=2)


def junit(placed: Sequence[Placed], source: str) -> str:
    """JUnit's XML: a case for each finding; errors are failures, warnings are told as skipped."""
    errors = [diagnostic for diagnostic, _ in placed if diagnostic.severity is Severity.ERROR]
    root = ElementTree.Element("testsuites", name="planner check")
    suite = ElementTree.SubElement(
        root,
        "testsuite",
        name=one_line(source),
        tests=str(max(1, len(placed))),
        failures=str(len(errors)),
        errors="0",
        skipped=str(len(placed) - len(errors)),
    )
    for diagnostic, place in placed:
        name = f"{diagnostic.code} {one_line(diagnostic.order)} {one_line(diagnostic.pointer)}"
        case = ElementTree.SubElement(suite, "testcase", classname=diagnostic.name, name=_plain(name))
        kind = "failure" if diagnostic.severity is Severity.ERROR else "skipped"
        element = ElementTree.SubElement(case, kind, message=_plain(_text(diagnostic)))
        element.text = "" if place is None else f"{_plain(one_line(place.file))}:{place.line}"
    if not placed:
        ElementTree.SubElement(suite, "testcase", classname="plan", name="nothing was found")
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(root, encoding="unicode")}'


def annotations(placed: Iterable[Placed]) -> str:
    """GitHub's workflow commands, errors first, as many of each kind as are shown."""
    listed = list(placed)
    return "\n".join(line for severity in Severity for line in _annotations(listed, severity))


def _annotations(placed: Sequence[Placed], severity: Severity) -> Iterator[str]:
    chosen = [(diagnostic, place) for diagnostic, place in placed if diagnostic.severity is severity]
    for diagnostic, place in chosen[:MOST_ANNOTATIONS]:
        where = {} if place is None else {"file": one_line(place.file), "line": str(place.line)}
        title = f"{diagnostic.code} {diagnostic.name}"
        yield workflow_command(str(severity), _text(diagnostic), **where, title=title)
    more = len(chosen) - MOST_ANNOTATIONS
    if more > 0:
        rest = f"and {more} more {severity}{'s' if more > 1 else ''}: `planner check` shows all"
        yield workflow_command("notice", rest)


def workflow_command(kind: str, message: str, **properties: str) -> str:
    """A command to GitHub in a line, in which nothing that is quoted can begin another one.

    Args:
        kind: such as `error`.
        message: what is shown; line breaks are kept.
        properties: such as `title`.
    """
    given = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{kind}{' ' if given else ''}{given}::{_data(message)}"


def _text(diagnostic: Diagnostic) -> str:
    """What is wrong where, and in a second line what to do, or why the plan leaves it."""
    where = diagnostic.where
    advice = f"accepted: {diagnostic.accepted}" if diagnostic.accepted else f"hint: {diagnostic.hint}"
    return f"{where}{': ' if where else ''}{one_line(diagnostic.message)}\n{one_line(advice)}"


def _plain(text: str) -> str:
    """A text that XML can hold."""
    return text.replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")

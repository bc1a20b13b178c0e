"""Specifications as data: their schema, how they are read from YAML or JSON, and the text made of them.

`templates/spec.schema.json` publishes the schema; a test holds it against `SpecDocument`.
"""

import difflib
from typing import Annotated, Final

from pydantic import Field

from factory.contract.documents import SchemaProblem, schema_problems
from factory.contract.errors import WorkorderError
from factory.contract.strict_json import read_json
from factory.contract.work_order import Document, RequirementId, Text
from factory.plans.diagnostics.diagnostic import quote
from factory.specification.quotations import LINE_BREAK
from factory.system.terminal.console import one_line
from planner.specification.spec import GivenRequirement, Spec

_MOST_PROBLEMS: Final = 20


class SpecRequirement(Document):
    """Something that the product shall do, under a name that the plan keeps."""

    id: RequirementId
    text: Text


class SpecDocument(Document):
    """A specification as data.

    Attributes:
        title: the product's name, and in a few words what it is.
        goal: what its users can do with it that they could not do before.
        requirements: what it shall do; every plan has exactly these requirements.
        constraints: what holds of all of it: versions, libraries, style.
        interfaces: the public surface: signatures, commands, formats.
        non_goals: what it shall not do, although one might expect it.
    """

    title: Text
    goal: Text
    requirements: Annotated[tuple[SpecRequirement, ...], Field(min_length=1)]
    constraints: tuple[Text, ...] = ()
    interfaces: tuple[Text, ...] = ()
    non_goals: tuple[Text, ...] = ()


class BadSpec(WorkorderError):
    """A specification that does not match the schema; the message names every place."""


def read_spec_document(text: str, source: str, *, is_json: bool) -> SpecDocument:
    """Read a specification as data.

    Args:
        text: the file's text.
        source: what to call it in an error.
        is_json: whether it is JSON; else it is YAML.

    Raises:
        BadJson: it is not strict JSON.
        BadYaml: it is not YAML, or of a kind that is refused.
        BadSpec: it does not match the schema, or an id stands twice.
    """
    lines: dict[str, int] = {}
    if is_json:
        value = read_json(text, source)
    else:
        # Only here, so that whoever writes no YAML need not wait for its library.
        from planner.specification.yaml import read_yaml

        document = read_yaml(text, source)
        value, lines = document.value, document.lines
    problems = [_described(problem, lines) for problem in schema_problems(SpecDocument, value)]
    if not problems:
        problems = [
            _at(f"/requirements/{index}/id", f"the id {name} stands twice", lines)
            for index, name in _repeated(SpecDocument.model_validate(value))
        ]
    if problems:
        hidden = len(problems) - _MOST_PROBLEMS
        shown = [*problems[:_MOST_PROBLEMS], *([f"and {hidden} more"] if hidden > 0 else [])]
        raise BadSpec(
            "; ".join(shown),
            where=source,
            hint="the fields are title, goal, requirements (each with id and text), constraints, interfaces"
            " and non_goals",
        )
    return SpecDocument.model_validate(value)


def rendered(document: SpecDocument, sha256: str) -> Spec:
    """The specification as text, the same for the same document; each requirement begins a line.

    Args:
        document: the specification.
        sha256: the hash of the bytes that it was read from.
    """
    lines = [f"# {_one_line(document.title)}", "", "## Goal", "", *_lines(document.goal)]
    lines += ["", "## Requirements", ""]
    given = []
    for requirement in document.requirements:
        first = len(lines) + 1
        lines += _item(f"{requirement.id}: {requirement.text.strip()}")
        given.append(GivenRequirement(requirement.id, first, len(lines)))
    beside = []
    for title, texts in (
        ("Constraints", document.constraints),
        ("Interfaces", document.interfaces),
        ("Not in scope", document.non_goals),
    ):
        if texts:
            lines += ["", f"## {title}", ""]
        for text in texts:
            first = len(lines) + 1
            lines += _item(text)
            if texts is not document.non_goals:
                beside.append((first, len(lines)))
    return Spec("\n".join(lines) + "\n", sha256, tuple(given), tuple(beside))


def _item(text: str) -> list[str]:
    first, *rest = _lines(text)
    return [f"- {first}", *(f"  {line}" if line else "" for line in rest)]


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in LINE_BREAK.split(text.strip())]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _repeated(document: SpecDocument) -> list[tuple[int, str]]:
    ids = [requirement.id for requirement in document.requirements]
    return [(index, name) for index, name in enumerate(ids) if name in ids[:index]]


def _described(problem: SchemaProblem, lines: dict[str, int]) -> str:
    message = problem.message
    if problem.kind == "extra_forbidden":
        parent, _, name = problem.pointer.rpartition("/")
        fields = SpecRequirement.model_fields if parent else SpecDocument.model_fields
        close = difflib.get_close_matches(name.lower().replace("-", "_"), fields, n=1)
        advice = f"did you mean {quote(close[0])}?" if close else f"known are {', '.join(fields)}"
        message = f"is not a known field; {advice}"
    return _at(problem.pointer, message, lines)


def _at(pointer: str, message: str, lines: dict[str, int]) -> str:
    parts = pointer.split("/")
    while parts and "/".join(parts) not in lines:
        parts.pop()
    line = f"line {lines['/'.join(parts)]}, " if parts else ""
    return f"{line}{one_line(pointer) or '/'}: {message}"

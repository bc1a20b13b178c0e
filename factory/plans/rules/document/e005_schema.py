"""The work order does not match the schema.

## What it finds

A field of a work order, of a requirement, of the verify contract or of the environment that is missing,
unknown, of the wrong type, empty where something is needed, or a path that is not safe: absolute, with `..`,
inside `.git`, with a backslash, or a name that some file systems take for another one. An
environment names packages of registries alone: no URL, no path, no reference to git.
In `forbidden`, words in place of a path are found in new plans only: older ones keep them.

## Why it matters

The factory trusts a work order that matches the schema. An unknown field is often a misspelt one, whose
meaning would be lost.

## Example

```json
{
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Greet",
      "allowed_files": ["../hello.py"],
      "acceptance_commands": ["python -m compileall src"]
    }
  ]
}
```

## Fix

Write `id`, `title`, `intent`, `allowed_files` and `acceptance_commands`, and where they are needed
`preconditions`, `postconditions`, `forbidden`, `context_files`, `notes` and `requirements`. Paths are
relative to the repository's root, with `/` between the names. A requirement has `id` (capital letters, digits
and hyphens), `text` and `quotes`, a list with at least one text.
"""

from collections.abc import Iterator

from factory.contract.documents import SchemaProblem
from factory.contract.repo_path import Prose, is_prose
from factory.contract.strict_json import JsonObject, JsonValue
from factory.plans.diagnostics.diagnostic import Severity
from factory.plans.rules.rule import Finding, Rule, Subject

_HINTS = {
    "missing": "add the field",
    "extra_forbidden": "drop it, or correct its name",
    "unsafe_path": "name a file by its path from the repository's root, such as `src/board.py`",
    "tuple_type": "write a list",
    "string_type": "write a text",
    "model_type": "write an object",
    "too_short": "name at least one",
    "too_long": "name fewer, or split the work order",
    "string_too_long": "shorten it; a long check belongs into a test file",
    "literal_error": "use one of the kinds that are named",
    "bool_type": "drop it; the planner computes it",
}


def find(subject: Subject) -> Iterator[Finding]:
    """Tell every schema problem that no other rule tells better."""
    left = subject.schema_exceptions
    for index, raw in subject.raw_orders:
        if f"/work_orders/{index}" not in left:
            problems = (*subject.order_problems[index], *_prose(subject, raw))
            yield from _findings(f"/work_orders/{index}", raw, problems)
    problems = subject.requirements_problems
    yield from _findings("", None, tuple(problem for problem in problems if _element(problem) not in left))
    yield from _findings(
        "/verify_contract", subject.manifest.get("verify_contract"), subject.contract_problems
    )
    for problem in subject.environment_problems:
        yield Finding(
            f"/environment{problem.pointer}",
            problem.message,
            'write it as {"python": ["fastapi>=0.120"], "python_version": "3.12", "node": {"zod": "^4"}}',
        )


def _prose(subject: Subject, raw: JsonObject) -> Iterator[SchemaProblem]:
    """The words that a model wrote where a path is asked for."""
    entries = raw.get("forbidden")
    for index, text in enumerate(entries if isinstance(entries, list) else ()):
        if isinstance(text, str) and is_prose(text) and not subject.may_say(text):
            problem = Prose(text).problem
            if problem:
                yield SchemaProblem(f"/forbidden/{index}", problem, "unsafe_path")


def _element(problem: SchemaProblem) -> str:
    """The requirement that a problem is about."""
    return "/".join(problem.pointer.split("/")[:3])


def _findings(place: str, raw: JsonValue, problems: tuple[SchemaProblem, ...]) -> Iterator[Finding]:
    for problem in problems:
        if not _has_own_rule(raw, problem):
            yield Finding(
                place + problem.pointer,
                problem.message,
                _HINTS.get(problem.kind, "see `planner explain E005` for the fields of a work order"),
            )


def _has_own_rule(raw: JsonValue, problem: SchemaProblem) -> bool:
    if problem.kind == "unsafe_path" and "glob character" in problem.message:
        return True  # E004
    parts = problem.pointer.split("/")
    if problem.kind == "value_error" and parts[1:2] in (["acceptance_commands"], ["command"]):
        value = _value_at(raw, parts[1:])
        return isinstance(value, str) and not value.strip()  # E007
    return False


def _value_at(value: JsonValue, parts: list[str]) -> JsonValue:
    for part in parts:
        if isinstance(value, dict):
            value = value.get(part)
        elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            return None
    return value


RULE = Rule("E005", "schema", Severity.ERROR, explanation=__doc__, find=find)

"""Unresolved requirement.

## What it finds

A requirement id that does not lead to exactly one requirement: in a work order, an id that the plan's list of
requirements does not have; in the list, an id that stands twice. Of a specification that names its
requirements (YAML or JSON), also a requirement under an id that the specification does not have.

## Why it matters

Through its id a requirement is followed to the work orders and the commits that fulfil it. An id that leads
nowhere hides that nobody is asked for what it meant; one that leads to two things proves neither.

## Example

```json
{
  "requirements": [
    {"id": "REQ-01", "text": "It greets.", "quotes": ["It greets."]}
  ],
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Greet",
      "intent": "Print a greeting.",
      "preconditions": [{"kind": "file_absent", "path": "hello.py"}],
      "postconditions": [{"kind": "file_exists", "path": "hello.py"}],
      "allowed_files": ["hello.py"],
      "acceptance_commands": ["python hello.py"],
      "requirements": ["REQ-01", "REQ-02"]
    }
  ]
}
```

## Fix

Correct the id, or add the requirement. Give each requirement an id of its own, and keep the ids that the
specification gives.
"""

import difflib
from collections.abc import Iterable, Iterator
from typing import Final

from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule
from factory.specification.labels import labelled
from planner.rules.subject import Subject

_MOST_COMPARED: Final = 1_000


def find(subject: Subject) -> Iterator[Finding]:
    """Judge the ids of the list, then those that work orders name."""
    if subject.requirements_problems:
        return
    given = subject.spec.passages if subject.spec is not None else {}
    known: dict[str, int] = {}
    for placed in subject.all_requirements:
        name = placed.requirement.id
        if name in known:
            yield Finding(
                f"{placed.pointer}/id",
                f"{quote(name)} is the id of /requirements/{known[name]}, too",
                "give each requirement an id of its own, or make the two one requirement with all quotes",
            )
        elif given and name not in given and not placed.requirement.withdrawn:
            yield Finding(
                f"{placed.pointer}/id",
                f"the specification has no requirement {quote(name)}",
                f"keep to the ids that the specification gives{_like(name, given)}",
            )
        known.setdefault(name, placed.index)
    unknown = [
        (f"{placed_order.pointer}/requirements/{position}", name)
        for placed_order in subject.orders
        for position, name in enumerate(placed_order.order.requirements)
        if name not in known
    ]
    numbers = _numbers(subject) if unknown else frozenset()
    for pointer, name in unknown:
        yield Finding(
            pointer,
            f"the plan has no requirement {quote(name)}",
            _passed_over(name)
            if name in numbers
            else f"name a requirement of the plan's list, or add it there{_like(name, known)}",
        )


def _numbers(subject: Subject) -> frozenset[str]:
    """The ids by which the specification numbers something."""
    return frozenset(entry.id for entry in labelled(subject.spec.outline)) if subject.spec else frozenset()


def _passed_over(name: str) -> str:
    return (
        f"the specification has {quote(name)} in a section of what is not asked for, so it is no requirement:"
        " leave it out, or add it to the list with its quotes"
    )


def _like(name: str, known: Iterable[str]) -> str:
    names = list(known)
    close = difflib.get_close_matches(name, names, n=1) if len(names) <= _MOST_COMPARED else []
    return f"; did you mean {close[0]}?" if close else ""


RULE = Rule("E202", "unresolved-requirement", Severity.ERROR, explanation=__doc__, find=find)

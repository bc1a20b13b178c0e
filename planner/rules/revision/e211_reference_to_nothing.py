"""A reference that stands for nothing.

## What it finds

In the answer of a revision, an element `{"same_as": ID}` of `work_orders` or `requirements` whose id the plan
before does not have, that was used before, or that has an id beside it or, of a requirement, another field.

In an answer to `planner compile` nothing can be named but the first work order, if it is given, and, where an
answer corrects another one, what that had.

## Why it matters

A reference stands for the whole element of the plan before. If it is not clear which, nothing can be said of
the plan.

## Example

Of the plan

```json before
{
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Greet",
      "intent": "Print hello.",
      "preconditions": [{"kind": "file_absent", "path": "hello.py"}],
      "postconditions": [{"kind": "file_exists", "path": "hello.py"}],
      "allowed_files": ["hello.py"],
      "acceptance_commands": ["python hello.py"]
    }
  ]
}
```

of which WO-01 has landed, the revision

```json
{
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Greet",
      "intent": "Print hello.",
      "preconditions": [{"kind": "file_absent", "path": "hello.py"}],
      "postconditions": [{"kind": "file_exists", "path": "hello.py"}],
      "allowed_files": ["hello.py"],
      "acceptance_commands": ["python hello.py"]
    },
    {"same_as": "WO-02"}
  ]
}
```

## Fix

Name an element of the plan before, each once, or several that follow each other as `"REQ-03 to REQ-20"`. Of a
work order that is named, the fields beside `same_as` change; a requirement that changes is written whole.
"""

from collections.abc import Iterator

from factory.contract.strict_json import JsonObject
from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule
from planner.revision.references import SAME_AS, is_bare, references
from planner.rules.subject import Subject


def find(subject: Subject) -> Iterator[Finding]:
    """Tell why each could not be resolved."""
    amendment = subject.amendment
    if amendment is None:
        for pointer, _ in references(subject.manifest) if subject.is_new else ():
            yield Finding(
                pointer,
                f"nothing can be named here by `{SAME_AS}`",
                "write it whole; named is what the answer before had, and a first work order that is given",
            )
        return
    before = amendment.before
    known = {item.id for item in before.work_orders}
    known.update(item.id for item in before.requirements if not item.withdrawn)
    for pointer, element in references(subject.manifest):
        yield Finding(
            pointer,
            _problem(pointer, element, known),
            "write what is new or changed whole; what stays is `same_as` with its id in the present plan",
        )


def _problem(pointer: str, element: JsonObject, known: set[str]) -> str:
    name = element[SAME_AS]
    if "id" in element or (pointer.startswith("/requirements") and not is_bare(element)):
        return f"`{SAME_AS}` stands beside other fields"
    if not isinstance(name, str):
        return f"`{SAME_AS}` is not an id"
    if name in known:
        return f"{quote(name)} has been used, or belongs into another list"
    return f"the present plan has no {quote(name)}"


RULE = Rule("E211", "reference-to-nothing", Severity.ERROR, explanation=__doc__, find=find)

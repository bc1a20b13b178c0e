"""A requirement that nobody takes.

## What it finds

A requirement of the plan that no work order names in its `requirements`. Of a specification that names its
requirements (YAML or JSON), also one that the plan leaves out. Of a new plan, that it has no requirements at
all; plans from before there were requirements may be without them.

## Why it matters

What no work order is asked for is not built, and nothing would tell.

## Example

```json
{
  "requirements": [
    {"id": "REQ-01", "text": "It greets.", "quotes": ["It greets."]},
    {"id": "REQ-02", "text": "It is polite.", "quotes": ["It is polite."]}
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
      "requirements": ["REQ-01"]
    }
  ]
}
```

## Fix

Name the requirement in the work order that fulfils it, and put what it asks for into that work order's intent
and checks; or add a work order. A requirement that holds of everything (a version of Python, say) belongs to
each work order that could break it.
"""

from collections.abc import Iterator
from typing import Final

from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule
from planner.rules.subject import Subject

_FORM: Final = '{"id": "REQ-01", "text": …, "quotes": [passages of the specification, word for word]}'


def find(subject: Subject) -> Iterator[Finding]:
    """Judge each requirement by who names it."""
    if subject.requirements_problems:
        return
    if not subject.requirements:
        if subject.is_new and subject.raw_orders:
            yield Finding(
                "/requirements",
                "the plan has no requirements",
                f"list what the specification asks for, each as {_FORM}, and name in each work order's"
                " `requirements` the ids that it takes",
            )
        return
    for placed in subject.requirements:
        name = placed.requirement.id
        if name not in subject.taken:
            yield Finding(
                placed.pointer,
                f"no work order takes {quote(name)}",
                "name it in the `requirements` of the work order that fulfils it, or add one that does",
            )
    listed = {placed.requirement.id for placed in subject.requirements}
    for name, passage in (subject.spec.passages if subject.spec is not None else {}).items():
        if name not in listed:
            yield Finding(
                "/requirements",
                f"the plan leaves out {quote(name)}, line {passage.first} of the specification",
                f"add it under the same id, with the quote {quote(passage.text, 400)}",
            )


RULE = Rule("E203", "requirement-not-taken", Severity.ERROR, explanation=__doc__, find=find)

"""An amendment that removes the last real check of a requirement.

## What it finds

A requirement that was proven by an acceptance command which shows more than existence or import, and that no
command of the revised plan proves. Also one that the revised plan leaves out, unless the specification is
known and asks for none of its quotes any more.

Only in `planner revise`, which knows the plan before.

## Why it matters

The easiest way to mend a check that fails is to give it up. The plan would build, and nothing would show that
the requirement is fulfilled.

## Example

Of the plan

```json before
{
  "requirements": [{"id": "REQ-01", "text": "It greets.", "quotes": ["It greets."]}],
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

the revision

```json
{
  "requirements": [{"id": "REQ-01", "text": "It greets.", "quotes": ["It greets."]}],
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Greet",
      "intent": "Print a greeting.",
      "preconditions": [{"kind": "file_absent", "path": "hello.py"}],
      "postconditions": [{"kind": "file_exists", "path": "hello.py"}],
      "allowed_files": ["hello.py"],
      "acceptance_commands": ["test -f hello.py"],
      "requirements": ["REQ-01"]
    }
  ]
}
```

## Fix

Keep a command that runs the behaviour: correct it, or the intent and the files that it needs. A requirement
is given up in the specification, never in the plan alone.
"""

from collections.abc import Iterator

from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule
from planner.rules.subject import Subject


def find(subject: Subject) -> Iterator[Finding]:
    """Judge each requirement that was proven before."""
    amendment = subject.amendment
    if amendment is None or subject.requirements_problems or not subject.raw_orders:
        return
    places = {placed.requirement.id: placed.pointer for placed in subject.requirements}
    for name in amendment.proven:
        if name not in places:
            if not amendment.may_withdraw(name):
                yield Finding(
                    "/requirements",
                    f"the plan before had {quote(name)}, and this one leaves it out",
                    "keep it and its checks; only what the specification no longer asks for can be given up",
                )
        elif not subject.is_proven(name):
            yield Finding(
                places[name],
                f"no acceptance command shows more of {quote(name)} than existence or import any more",
                "keep a command that runs the behaviour; correct it instead of giving it up",
            )


RULE = Rule("E206", "check-removed", Severity.ERROR, explanation=__doc__, find=find)

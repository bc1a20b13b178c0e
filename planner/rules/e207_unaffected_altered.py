"""An unaffected work order was altered.

## What it finds

A work order of the plan before that takes no requirement which the changed specification touches, is not
affected by one that does, has not landed, and is not in the revised plan as it was. It may have another
number. `planner impact` with the same options tells who is affected.

Only in `planner revise` with a changed specification and no other reason.

## Why it matters

What a change does not touch has been thought about and reviewed. A plan that is written anew each time must
be reviewed anew each time.

## Example

Of the plan

```json before
{
  "requirements": [
    {"id": "REQ-01", "text": "It greets.", "quotes": ["It greets."]},
    {"id": "REQ-02", "text": "It takes leave.", "quotes": ["It says goodbye."]}
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
    },
    {
      "id": "WO-02",
      "title": "Take leave",
      "intent": "Print a goodbye.",
      "preconditions": [{"kind": "file_absent", "path": "goodbye.py"}],
      "postconditions": [{"kind": "file_exists", "path": "goodbye.py"}],
      "allowed_files": ["goodbye.py"],
      "acceptance_commands": ["python goodbye.py"],
      "requirements": ["REQ-02"]
    }
  ]
}
```

and the changed specification

```markdown
- It greets.
- It says good night.
```

the revision

```json
{
  "requirements": [
    {"id": "REQ-01", "text": "It greets.", "quotes": ["It greets."]},
    {"id": "REQ-02", "text": "It takes leave.", "quotes": ["It says good night."]}
  ],
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Greet",
      "intent": "Print a greeting, with an exclamation mark.",
      "preconditions": [{"kind": "file_absent", "path": "hello.py"}],
      "postconditions": [{"kind": "file_exists", "path": "hello.py"}],
      "allowed_files": ["hello.py"],
      "acceptance_commands": ["python hello.py"],
      "requirements": ["REQ-01"]
    },
    {
      "id": "WO-02",
      "title": "Take leave",
      "intent": "Print a good night.",
      "preconditions": [{"kind": "file_absent", "path": "goodbye.py"}],
      "postconditions": [{"kind": "file_exists", "path": "goodbye.py"}],
      "allowed_files": ["goodbye.py"],
      "acceptance_commands": ["python goodbye.py"],
      "requirements": ["REQ-02"]
    }
  ]
}
```

## Fix

Copy the work order from the plan before, letter for letter, its number aside. What is new belongs into a work
order of its own.
"""

from collections.abc import Iterator

from planner.amendment import content
from planner.diagnostic import Severity
from planner.rule import Finding, Rule, Subject


def find(subject: Subject) -> Iterator[Finding]:
    """Look for each unaffected work order among the new ones."""
    amendment = subject.amendment
    if amendment is None or amendment.impact is None or not amendment.within_impact:
        return
    present = {content(placed.order) for placed in subject.orders}
    places = {
        name: f"/work_orders/{index}"
        for index, raw in subject.raw_orders
        if isinstance(name := raw.get("id"), str)
    }
    for order, was in zip(amendment.before.work_orders, amendment.contents, strict=True):
        unaffected = order.id in amendment.impact.unaffected_orders and order.id not in amendment.landed
        if unaffected and was not in present:
            yield Finding(
                places.get(order.id, "/work_orders"),
                f"{order.id} of the plan before is not affected by the changed specification, and is not"
                " in this plan as it was",
                "copy it letter for letter, its number aside; put what is new into a work order of its own",
            )


RULE = Rule("E207", "unaffected-altered", Severity.ERROR, explanation=__doc__, find=find)

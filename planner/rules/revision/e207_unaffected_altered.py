"""A work order that there is no reason to change was altered.

## What it finds

After a failure: a work order before the one that failed which has not landed and which the revised plan
leaves out, moves to another number or states otherwise. If the specification has changed, too, only one which
it does not affect, and that may have another number.

For a changed specification alone: a work order of the plan before that takes no requirement which the changed
specification touches, is not affected by one that does, has not landed, and is not in the revised plan as it
was. It may have another number. `planner impact` with the same options tells who is affected.

Only in `planner revise` with `--failure`, or with a changed specification and no other reason.

## Why it matters

What a change does not touch has been thought about and reviewed, and it may have been paid for: under another
contract it is asked for again. A plan that is written anew each time must be reviewed anew each time.

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

Name the work order instead of writing it out: `{"same_as": "WO-01"}`, for a changed specification at whatever
number.
What is new belongs into a work order of its own; what mends a failure, into the one that failed and those
after it.
"""

from collections.abc import Iterator

from factory.plans.diagnostics.diagnostic import Severity
from factory.plans.rules.rule import Finding, Rule
from planner.revision.amendment import content
from planner.rules.subject import Subject


def find(subject: Subject) -> Iterator[Finding]:
    """Look for each untouched work order among the new ones, or under its number."""
    amendment = subject.amendment
    if amendment is None:
        return
    here = {placed.order.id: content(placed.order) for placed in subject.orders}
    present = frozenset(here.values())
    places = {
        name: f"/work_orders/{index}"
        for index, raw in subject.raw_orders
        if isinstance(name := raw.get("id"), str)
    }
    for index in amendment.untouched:
        name, was = amendment.before.work_orders[index].id, amendment.contents[index]
        if here.get(name) == was or (amendment.may_move and was in present):
            continue
        if amendment.failing is None:
            reason = "is not affected by the changed specification"
            aside = "; put what is new into a work order of its own"
        else:
            reason = f"comes before {amendment.failing}, which failed"
            aside = f"; change {amendment.failing}, and later ones as far as needed"
        yield Finding(
            places.get(name, "/work_orders"),
            f"{name} of the plan before {reason}, and is not in this plan as it was",
            f'name it by {{"same_as": "{name}"}}{aside}',
        )


RULE = Rule("E207", "unaffected-altered", Severity.ERROR, explanation=__doc__, find=find)

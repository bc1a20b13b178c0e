"""A revision that changes nothing.

## What it finds

A revised plan whose work orders and verify command are those of the plan before, although a failure or the
user's feedback asked for a change.

Only in `planner revise`.

## Why it matters

The same plan fails in the same way, and each round costs the same again.

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
      "acceptance_commands": ["python hello.py --loud"]
    }
  ]
}
```

whose WO-01 failed, the revision

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
      "acceptance_commands": ["python hello.py --loud"]
    }
  ]
}
```

## Fix

Find what in the plan led to the failure: a command that can't pass, an intent that leaves out what the
command demands, a file that can't be written. Change that.
"""

from collections.abc import Iterator

from factory.plans.diagnostics.diagnostic import Severity
from factory.plans.rules.rule import Finding, Rule
from planner.revision.amendment import content
from planner.rules.subject import Subject


def find(subject: Subject) -> Iterator[Finding]:
    """Compare what is executed."""
    amendment = subject.amendment
    if amendment is None or not amendment.must_change or subject.plan is None:
        return
    present = tuple(content(order) for order in subject.plan.work_orders)
    if present == amendment.contents and subject.verify_contract == amendment.before.verify_contract:
        yield Finding(
            "/work_orders",
            "the work orders are those of the plan before",
            "change what led to the failure, or what the feedback asks for",
        )


RULE = Rule("E210", "nothing-changed", Severity.ERROR, explanation=__doc__, find=find)

"""A work order without conditions.

## What it finds

In the plan of a model, a work order with neither preconditions nor postconditions. Plans that people have,
and work orders of theirs that a revision leaves so, may be without.

## Why it matters

Conditions tell which files are there at each point of a plan. Without them nothing that later work orders
read or run can be held against what this one makes, and it passes without having written its files.

## Example

A model's new plan:

```json
{
  "requirements": [{"id": "REQ-01", "text": "Greet.", "quotes": ["It prints a greeting."]}],
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Greet",
      "intent": "Print a greeting.",
      "allowed_files": ["hello.py"],
      "acceptance_commands": ["python hello.py"],
      "requirements": ["REQ-01"]
    }
  ]
}
```

## Fix

Add a `file_exists` postcondition for each allowed file, and preconditions for what must be there, or must be
absent, before.
"""

from collections.abc import Iterator

from factory.plans.diagnostics.diagnostic import Severity
from factory.plans.rules.rule import Finding, Rule, Subject


def find(subject: Subject) -> Iterator[Finding]:
    """Judge each work order by itself."""
    for placed in subject.orders:
        if not placed.order.declares_conditions and not subject.may_lack_conditions(placed.order.id):
            yield Finding(
                f"{placed.pointer}/postconditions",
                "the work order has neither preconditions nor postconditions",
                "add the postcondition file_exists for each of its allowed files",
            )


RULE = Rule("E108", "without-conditions", Severity.ERROR, explanation=__doc__, find=find)

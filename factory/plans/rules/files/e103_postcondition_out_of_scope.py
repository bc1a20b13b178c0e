"""Postcondition outside the allowed files.

## What it finds

A postcondition on a path that the work order may not write.

## Why it matters

The work order promises something that it is not allowed to do, so it can only pass by luck, if the file is
there already.

## Example

```json
{
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Greet",
      "intent": "Print a greeting.",
      "postconditions": [
        {"kind": "file_exists", "path": "hello.py"},
        {"kind": "file_exists", "path": "README.md"}
      ],
      "allowed_files": ["hello.py"],
      "acceptance_commands": ["python hello.py"]
    }
  ]
}
```

## Fix

Add the path to `allowed_files`, or drop the postcondition. What must be there already is a precondition.
"""

from collections.abc import Iterator

from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule, Subject


def find(subject: Subject) -> Iterator[Finding]:
    """Judge each work order by itself."""
    for placed in subject.orders:
        allowed = frozenset(placed.order.allowed_files)
        for position, condition in enumerate(placed.order.postconditions):
            if condition.path not in allowed:
                yield Finding(
                    f"{placed.pointer}/postconditions/{position}",
                    f"{quote(condition.path)} is not among the allowed files",
                    "add it to allowed_files, or drop the postcondition",
                )


RULE = Rule("E103", "postcondition-out-of-scope", Severity.ERROR, explanation=__doc__, find=find)

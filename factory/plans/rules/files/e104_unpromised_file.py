"""Allowed file without a postcondition.

## What it finds

A path in `allowed_files` that no postcondition of the same work order names, in a work order that declares
conditions.

## Why it matters

Later work orders build on what the postconditions promise. A file that may or may not be written is one that
nobody can build on.

## Example

```json
{
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Greet",
      "intent": "Print a greeting.",
      "postconditions": [{"kind": "file_exists", "path": "hello.py"}],
      "allowed_files": ["hello.py", "names.py"],
      "acceptance_commands": ["python hello.py"]
    }
  ]
}
```

## Fix

Add a `file_exists` postcondition for the file, or drop it from `allowed_files`.
"""

from collections.abc import Iterator

from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule, Subject


def find(subject: Subject) -> Iterator[Finding]:
    """Judge each work order by itself."""
    for placed in subject.orders:
        if not placed.order.declares_conditions:
            continue
        promised = frozenset(condition.path for condition in placed.order.postconditions)
        for position, path in enumerate(placed.order.allowed_files):
            if path not in promised:
                yield Finding(
                    f"{placed.pointer}/allowed_files/{position}",
                    f"no postcondition promises {quote(path)}",
                    f"add the postcondition file_exists for {quote(path)}, or drop it from allowed_files",
                )


RULE = Rule("E104", "unpromised-file", Severity.ERROR, explanation=__doc__, find=find)

"""The same path required both present and absent.

## What it finds

Two conditions that can't hold together: the same path with `file_exists` and with `file_absent` among the
preconditions of one work order, or in `requires` of the verify contract.

## Why it matters

No repository satisfies both, so the work order could never start, or the repository never be verified.

## Example

```json
{
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Greet",
      "intent": "Print a greeting.",
      "preconditions": [
        {"kind": "file_absent", "path": "hello.py"},
        {"kind": "file_exists", "path": "hello.py"}
      ],
      "postconditions": [{"kind": "file_exists", "path": "hello.py"}],
      "allowed_files": ["hello.py"],
      "acceptance_commands": ["python hello.py"]
    }
  ]
}
```

## Fix

Drop one of the two. That a work order creates a file is said with `file_absent` before and `file_exists`
after, which is no contradiction.
"""

from collections.abc import Iterator

from factory.contract.work_order import Condition
from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule, Subject


def find(subject: Subject) -> Iterator[Finding]:
    """Judge each list of conditions that must hold at the same time."""
    if subject.verify_contract is not None:
        yield from _contradictions("/verify_contract/requires", subject.verify_contract.requires)
    for placed in subject.orders:
        yield from _contradictions(f"{placed.pointer}/preconditions", placed.order.preconditions)


def _contradictions(pointer: str, conditions: tuple[Condition, ...]) -> Iterator[Finding]:
    kinds: dict[str, str] = {}
    for index, condition in enumerate(conditions):
        if kinds.setdefault(condition.path, condition.kind) != condition.kind:
            yield Finding(
                f"{pointer}/{index}",
                f"{quote(condition.path)} is required both present and absent",
                "drop one of the two conditions",
            )


RULE = Rule("E102", "contradiction", Severity.ERROR, explanation=__doc__, find=find)

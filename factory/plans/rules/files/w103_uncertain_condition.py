"""A condition that no one is sure to satisfy.

## What it finds

A precondition, or a condition in `requires` of the verify contract, that depends on a file which an earlier
work order may write but does not promise: it declares no conditions, and has the file among its allowed
files.

## Why it matters

Whether the condition holds shows only at run time. The files of a work order without conditions never count
as certainly there, so the repository stays exempt from verification if the verify contract needs one.

## Example

```json
{
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Greet",
      "intent": "Print a greeting.",
      "allowed_files": ["hello.py"],
      "acceptance_commands": ["python hello.py"]
    },
    {
      "id": "WO-02",
      "title": "Test the greeting",
      "intent": "Test what is printed.",
      "preconditions": [{"kind": "file_exists", "path": "hello.py"}],
      "postconditions": [{"kind": "file_exists", "path": "test_hello.py"}],
      "allowed_files": ["test_hello.py"],
      "acceptance_commands": ["python -m pytest test_hello.py"]
    }
  ]
}
```

## Fix

Add postconditions to the earlier work order.
"""

from collections.abc import Iterator

from factory.contract.work_order import Condition
from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule, Subject
from factory.plans.states.file_state import Presence


def find(subject: Subject) -> Iterator[Finding]:
    """Judge the conditions on files that are only possibly there."""
    if subject.files is None:
        return
    if subject.verify_contract is not None:
        requires = subject.verify_contract.requires
        yield from _uncertain(subject, requires, len(subject.orders), "/verify_contract/requires")
    for placed in subject.orders:
        pointer = f"{placed.pointer}/preconditions"
        yield from _uncertain(subject, placed.order.preconditions, placed.index, pointer)


def _uncertain(
    subject: Subject, conditions: tuple[Condition, ...], done: int, pointer: str
) -> Iterator[Finding]:
    files = subject.files
    assert files is not None
    for position, condition in enumerate(conditions):
        maker = files.first_possible(condition.path, done)
        if files.presence(condition.path, done) is Presence.POSSIBLE and maker is not None:
            order = subject.orders[maker].order.id
            yield Finding(
                f"{pointer}/{position}",
                f"{quote(condition.path)} is only possibly there: {order} may write it, but promises nothing",
                f"add a postcondition for it to {order}",
            )


RULE = Rule("W103", "uncertain-condition", Severity.WARNING, explanation=__doc__, find=find)

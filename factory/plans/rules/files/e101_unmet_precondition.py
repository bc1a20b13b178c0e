"""Unmet precondition.

## What it finds

A precondition that can't hold when the work order starts: a file that must exist and that neither the
repository nor an earlier work order makes, or a file that must be absent and exists by then.

## Why it matters

The factory checks preconditions before it asks a model. A false one ends the run, because no model can repair
it: the plan is wrong.

## Example

```json
{
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Test the board",
      "intent": "Test the rules of the board.",
      "preconditions": [{"kind": "file_exists", "path": "src/board.py"}],
      "postconditions": [{"kind": "file_exists", "path": "tests/test_board.py"}],
      "allowed_files": ["tests/test_board.py"],
      "acceptance_commands": ["python -m pytest tests/test_board.py"]
    }
  ]
}
```

## Fix

Let an earlier work order create the file and say so in its postconditions, change the order, or drop the
precondition. When the repository already holds files, check with `--repo`.
"""

from collections.abc import Iterator

from factory.contract.work_order import Condition
from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule, Subject
from factory.plans.states.file_state import FileStates, Presence


def find(subject: Subject) -> Iterator[Finding]:
    """Judge each precondition by the files that are there before its work order."""
    if subject.files is None:
        return
    for placed in subject.orders:
        for position, condition in enumerate(placed.order.preconditions):
            finding = _judge(
                subject.files, condition, placed.index, f"{placed.pointer}/preconditions/{position}"
            )
            if finding is not None:
                yield finding


def _judge(files: FileStates, condition: Condition, done: int, pointer: str) -> Finding | None:
    presence = files.presence(condition.path, done)
    if presence is Presence.POSSIBLE or condition.holds(presence is Presence.CERTAIN):
        return None
    if presence is Presence.ABSENT:
        return Finding(
            pointer,
            f"{quote(condition.path)} does not exist at this point",
            "let an earlier work order create it, or drop the precondition",
        )
    return Finding(
        pointer,
        f"{quote(condition.path)} exists at this point",
        "require that it exists, or let no earlier work order create it",
    )


RULE = Rule("E101", "unmet-precondition", Severity.ERROR, explanation=__doc__, find=find)

"""A context file that no one makes.

## What it finds

A path in `context_files` that neither the repository holds nor an earlier work order makes, and that the
work order itself does not write.

## Why it matters

The model is shown the context files as they are when the work order starts. One that is not there shows
nothing, and is usually misspelt or belongs to a later work order.

## Example

```json
{
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Greet",
      "intent": "Print a greeting.",
      "preconditions": [{"kind": "file_absent", "path": "hello.py"}],
      "postconditions": [{"kind": "file_exists", "path": "hello.py"}],
      "allowed_files": ["hello.py"],
      "acceptance_commands": ["python hello.py"],
      "context_files": ["names.py"]
    }
  ]
}
```

## Fix

Correct the path, drop it, or let an earlier work order create the file. When the repository already holds
files, check with `--repo`.
"""

from collections.abc import Iterator

from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule, Subject
from factory.plans.states.file_state import Presence


def find(subject: Subject) -> Iterator[Finding]:
    """Judge each context file by the files that are there before its work order."""
    if subject.files is None:
        return
    for placed in subject.orders:
        for position, path in enumerate(placed.order.context_files):
            known = subject.files.presence(path, placed.index)
            if known is Presence.ABSENT and path not in placed.order.allowed_files:
                yield Finding(
                    f"{placed.pointer}/context_files/{position}",
                    f"neither the repository nor an earlier work order makes {quote(path)}",
                    "correct the path, drop it, or let an earlier work order create the file",
                )


RULE = Rule("W102", "missing-context", Severity.WARNING, explanation=__doc__, find=find)

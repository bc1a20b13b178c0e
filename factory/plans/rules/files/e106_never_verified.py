"""The verify contract is never satisfied.

## What it finds

A condition in `requires` of the verify contract that does not hold after the last work order: no work order
makes the file, or one makes a file that must be absent.

## Why it matters

As long as `requires` is not satisfied, work orders are exempt from verification. A plan that never satisfies
it would build everything unverified.

## Example

```json
{
  "verify_contract": {
    "command": "bash scripts/verify.sh",
    "requires": [{"kind": "file_exists", "path": "scripts/verify.sh"}]
  },
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Greet",
      "intent": "Print a greeting.",
      "preconditions": [{"kind": "file_absent", "path": "hello.py"}],
      "postconditions": [{"kind": "file_exists", "path": "hello.py"}],
      "allowed_files": ["hello.py"],
      "acceptance_commands": ["python hello.py"]
    }
  ]
}
```

## Fix

Let the first work order create `scripts/verify.sh` and what it needs, with postconditions, or drop the
condition.
"""

from collections.abc import Iterator

from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule, Subject
from factory.plans.states.file_state import Presence


def find(subject: Subject) -> Iterator[Finding]:
    """Judge each condition by the files after the last work order."""
    if subject.files is None or subject.verify_contract is None:
        return
    for position, condition in enumerate(subject.verify_contract.requires):
        presence = subject.files.presence(condition.path, len(subject.orders))
        pointer = f"/verify_contract/requires/{position}"
        if condition.kind == "file_exists" and presence is Presence.ABSENT:
            yield Finding(
                pointer,
                f"{quote(condition.path)} does not exist after the last work order: nothing is ever verified",
                "let the first work order create it, with a postcondition",
            )
        elif condition.kind == "file_absent" and presence is Presence.CERTAIN:
            yield Finding(
                pointer,
                f"{quote(condition.path)} exists after the last work order, so it ends unverified",
                "drop the condition, or let no work order create the file",
            )


RULE = Rule("E106", "never-verified", Severity.ERROR, explanation=__doc__, find=find)

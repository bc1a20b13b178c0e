"""An exemption that exempts nothing.

## What it finds

In `red_exempt`, a command that is not one of the acceptance commands of its work order, letter for letter.

## Why it matters

Acceptance commands must fail before the work is done; `red_exempt` names those that may pass. An exemption of
another command is not seen: what should be exempt ends the run as a defect of the plan, or the reason stands
there for a command that has long been replaced.

## Example

```json
{
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Split the parser",
      "intent": "Move the parser to a module of its own. Nothing else changes.",
      "postconditions": [{"kind": "file_exists", "path": "parser.py"}],
      "allowed_files": ["parser.py"],
      "acceptance_commands": ["python -m pytest -q", "python -c 'from parser import parse; parse(\\"1\\")'"],
      "red_exempt": [{"command": "pytest -q", "reason": "The behaviour stays as it is."}]
    }
  ]
}
```

## Fix

Copy the command from `acceptance_commands`, or drop the exemption.
"""

from collections.abc import Iterator

from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule, Subject


def find(subject: Subject) -> Iterator[Finding]:
    """Look for each exempt command among the acceptance commands beside it."""
    for placed in subject.orders:
        commands = frozenset(placed.order.acceptance_commands)
        for position, exempt in enumerate(placed.order.red_exempt):
            if exempt.command not in commands:
                yield Finding(
                    f"{placed.pointer}/red_exempt/{position}/command",
                    f"{quote(exempt.command)} is no acceptance command of this work order",
                    "copy the command from acceptance_commands, or drop the exemption",
                )


RULE = Rule("E404", "exempts-nothing", Severity.ERROR, explanation=__doc__, find=find)

"""A symbol that is provided twice.

## What it finds

A symbol in `provides` that the same or an earlier work order provides already, with the same signature or
another one. A work order that says that it changes the symbol, because it also lists it in `consumes` as it
was, is fine.

## Why it matters

Two implementers would write the same thing without knowing of each other, and what the second writes decides
what those in between have built on.

## Example

```json
{
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Count words",
      "intent": "Count words.",
      "postconditions": [{"kind": "file_exists", "path": "tally/counting.py"}],
      "allowed_files": ["tally/counting.py"],
      "acceptance_commands": ["python -m pytest -q tests"],
      "provides": ["tally.counting:count_words(text: str) -> dict[str, int]"]
    },
    {
      "id": "WO-02",
      "title": "Rank words",
      "intent": "Rank words.",
      "postconditions": [{"kind": "file_exists", "path": "tally/counting.py"}],
      "allowed_files": ["tally/counting.py"],
      "acceptance_commands": ["python -m pytest -q tests"],
      "provides": ["tally.counting:count_words(text: str) -> dict[str, int]"]
    }
  ]
}
```

## Fix

Leave the symbol to one of them, and let the other consume it. To change it later, list it as it was in
`consumes` and as it shall be in `provides`.
"""

from collections.abc import Iterator

from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule, Subject


def find(subject: Subject) -> Iterator[Finding]:
    """Look for the second and every further provider of a symbol."""
    interfaces = subject.interfaces
    first: dict[tuple[str, str], str] = {}
    for declared in interfaces.provided if interfaces is not None else ():
        if interfaces is None or declared.symbol is None:
            continue
        address = declared.symbol.address
        name = subject.order_name(declared.pointer)
        # Several projects may have a module of the same name.
        key = (declared.project or "", address)
        if key not in first:
            first[key] = name
        elif first[key] == name:
            yield Finding(
                declared.pointer,
                f"{name} provides {quote(address)} twice",
                "keep one of the two; of overloads, the signature that others call",
            )
        elif not interfaces.changes(address, declared.index):
            yield Finding(
                declared.pointer,
                f"{quote(address)} is already provided by {first[key]}",
                "leave it to one of them, or list it in consumes as it was if this work order changes it",
            )


RULE = Rule("E303", "provided-twice", Severity.ERROR, explanation=__doc__, find=find)

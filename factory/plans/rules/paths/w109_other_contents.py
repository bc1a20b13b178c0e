"""One file that shall hold nothing but one thing, and then nothing but another.

## What it finds

Sentences of the intents of two work orders, each of which says what a file holds and that this is all ("holds
nothing but", "contains only", "exports exactly"), where the later one leaves out a name that the earlier one
has. An empty file may be filled, and what is listed may grow.

## Why it matters

Who writes the file the second time takes away what the first time was asked for, and what was proved then, or
uses it, fails.

## Example

```json
{
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Lengths",
      "intent": "Write `units/tables.py`, which holds nothing but the table `LENGTHS`.",
      "postconditions": [{"kind": "file_exists", "path": "units/tables.py"}],
      "allowed_files": ["units/tables.py"],
      "acceptance_commands": ["python -c \\"from units.tables import LENGTHS; assert LENGTHS['m'] == 1\\""]
    },
    {
      "id": "WO-02",
      "title": "Masses",
      "intent": "`units/tables.py` holds only the table `MASSES`.",
      "preconditions": [{"kind": "file_exists", "path": "units/tables.py"}],
      "postconditions": [{"kind": "file_exists", "path": "units/tables.py"}],
      "allowed_files": ["units/tables.py"],
      "acceptance_commands": ["python -c \\"from units.tables import MASSES; assert MASSES['kg'] == 1000\\""]
    }
  ]
}
```

## Fix

Say in the later work order what is added and what stays, or give what is new a file of its own.
"""

import re
from collections.abc import Iterator
from typing import Final

from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule, Subject

_SENTENCE: Final = re.compile(r"(?<=[.;!?])\s+|\n+")
_HELD: Final = re.compile(
    r"`(?P<path>[\w./-]+\.\w+)`,?\s+(?:which\s+)?(?:then\s+)?(?:contains?|exports?|has|holds?|lists?|offers?)\s+"
    r"(?:exactly|just|no more than|nothing but|only)\b(?P<rest>.*)"
)
_NAME: Final = re.compile(r"`([^`\n]+)`")


def find(subject: Subject) -> Iterator[Finding]:
    """Hold what each intent says of a whole file against what an earlier one says."""
    held: dict[str, tuple[str, frozenset[str]]] = {}
    for placed in subject.orders:
        for sentence in _SENTENCE.split(placed.order.intent):
            said = _HELD.search(sentence)
            if said is None or said["path"] not in placed.order.allowed_files:
                continue
            path, names = said["path"], frozenset(_NAME.findall(said["rest"]))
            earlier, before = held.get(path, (placed.order.id, names))
            if not before <= names:
                yield Finding(
                    f"{placed.pointer}/intent",
                    f"the intent says all that {quote(path)} holds, without {quote(min(before - names))},"
                    f" which {earlier} wants there",
                    "say what is added and what stays, or write another file",
                )
            held[path] = placed.order.id, names


RULE = Rule("W109", "other-contents", Severity.WARNING, explanation=__doc__, find=find)

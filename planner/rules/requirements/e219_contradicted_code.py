"""An exit code or status against what the requirement quotes.

## What it finds

A work order that takes a requirement whose quote names exit codes or statuses ("ends with exit code 2",
"status 404"), and whose intent or notes name others of which the specification says nothing, and none of
those. Exit code 0 does not count.

Needs the specification: `planner compile`, or `planner check --spec`.

## Why it matters

The engineer is told both, writes one of them, and tests the same one. What the specification asks for is then
what the product does not do, with every check green.

## Example

Of the specification

```markdown
A file that can't be read ends the program with exit code 2.
```

the plan

```json
{
  "requirements": [
    {
      "id": "REQ-01",
      "text": "Files that can't be read.",
      "quotes": ["A file that can't be read ends the program with exit code 2."]
    }
  ],
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Words",
      "intent": "Print the words of a file; one that can't be read leads to exit code 1.",
      "preconditions": [{"kind": "file_absent", "path": "words.py"}],
      "postconditions": [{"kind": "file_exists", "path": "words.py"}],
      "allowed_files": ["words.py"],
      "acceptance_commands": ["python words.py"],
      "requirements": ["REQ-01"]
    }
  ]
}
```

## Fix

Write the code that the specification gives, in the intent and in the commands.
"""

import re
from collections.abc import Iterator
from typing import Final

from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule
from planner.rules.subject import Subject

_EXITS: Final = re.compile(
    r"\bexit(?:s|ed|ing)?(?:\s+(?:code|status|with))*(?:\s+(?:code|status|of|is|be))*[\s`:=]+"
    r"(?P<code>[0-9]{1,3})\b(?!\.[0-9])(?:(?:\s*,\s*|\s+(?:or|and)\s+)`?(?P<more>[0-9]{1,3})\b(?!\.[0-9]))?",
    re.IGNORECASE,
)
_STATUSES: Final = re.compile(
    r"\b(?:HTTP|status(?:\s+code)?)(?:\s+(?:of|is|be))?[\s`:=]+(?P<code>[1-5][0-9]{2})\b"
    r"(?:(?:\s*,\s*|\s+(?:or|and)\s+)`?(?P<more>[1-5][0-9]{2})\b)?",
    re.IGNORECASE,
)
_KINDS: Final = (("exit code", _EXITS), ("status", _STATUSES))


def find(subject: Subject) -> Iterator[Finding]:
    """Hold the codes of each work order against those of the quotes of its requirements."""
    if subject.spec is None:
        return
    quotes = {placed.requirement.id: placed.requirement.quotes for placed in subject.requirements}
    for kind, pattern in _KINDS:
        known = _codes(pattern, subject.spec.text)
        if not known - {"0"}:
            continue
        for placed in subject.orders:
            order = placed.order
            told = _codes(pattern, f"{order.intent}\n{order.notes or ''}") - {"0"}
            if not told or told & known:
                continue
            for text in (text for name in order.requirements for text in quotes.get(name, ())):
                wanted = _codes(pattern, text) - {"0"}
                if wanted:
                    yield Finding(
                        f"{placed.pointer}/intent",
                        f"the intent speaks of {kind} {_listed(told)}, and the requirement quotes"
                        f" {kind} {_listed(wanted)}: {quote(text)}",
                        "write the code that the specification gives",
                    )
                    break


def _codes(pattern: re.Pattern[str], text: str) -> frozenset[str]:
    found = [code for match in pattern.finditer(text) for code in match.group("code", "more")]
    return frozenset(code for code in found if code)


def _listed(codes: frozenset[str]) -> str:
    return " and ".join(sorted(codes, key=int))


RULE = Rule("E219", "contradicted-code", Severity.ERROR, explanation=__doc__, find=find)

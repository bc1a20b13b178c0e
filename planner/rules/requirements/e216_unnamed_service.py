"""Service that nobody named.

## What it finds

A service in `services` of a model's plan that neither the specification names nor the repository in its own
files: a preset whose product stands in none of them, or a service with a command of its own. What the plan
before had already is not held against it.

## Why it matters

A service runs beside every command, and what is tested with it needs it in production, too. Whether a product
needs a database is for the specification to say. And a program that a model chose to start is nothing that
people have looked at: the factory knows how to run the presets, and the others are for people to declare.

## Example

Of the specification

```markdown
- A program that remembers names.
```

A model's new plan:

```json
{
  "requirements": [{"id": "REQ-01", "text": "It remembers.", "quotes": ["A program that remembers names."]}],
  "services": [{"preset": "postgres"}],
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Remember",
      "requirements": ["REQ-01"],
      "intent": "Remember names.",
      "preconditions": [{"kind": "file_absent", "path": "names.py"}],
      "postconditions": [{"kind": "file_exists", "path": "names.py"}],
      "allowed_files": ["names.py"],
      "acceptance_commands": ["python names.py"]
    }
  ]
}
```

## Fix

Do without the service, as with SQLite of the standard library, or start what the product itself serves in the
tests. A person declares a service in the specification by its name, or in `[[services]]` of `workorder.toml`.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from factory.contract.services.declared import Preset
from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule
from planner.rules.subject import Subject

_NAMED: Final[Mapping[Preset, re.Pattern[str]]] = {
    "postgres": re.compile(r"\b(?:postgres(?:ql)?|psycopg\d?|asyncpg|pg8000)\b", re.IGNORECASE),
    "redis": re.compile(r"\b(?:redis|valkey)\b", re.IGNORECASE),
}
_DO_WITHOUT: Final = "do without it; a person declares it in the specification or in `[[services]]`"


def names_a_service(words: str) -> bool:
    """Whether what people have written names a service that a plan could declare."""
    return any(pattern.search(words) is not None for pattern in _NAMED.values())


def find(subject: Subject) -> Iterator[Finding]:
    """Look for the name of each service among the words of those who may name one."""
    if subject.plan is None or not subject.is_new:
        return
    before = subject.amendment.before.services if subject.amendment is not None else ()
    for number, service in subject.services:
        if service in before:
            continue
        if service.preset is None:
            yield Finding(
                f"/services/{number}",
                f"the service {quote(service.called)} has a command of its own, which only people declare",
                "name a preset (postgres, redis), or let the tests start what the product itself serves",
            )
        elif subject.spec is not None and not _NAMED[service.preset].search(subject.named_packages.words):
            yield Finding(
                f"/services/{number}",
                f"neither the specification nor the repository names the service {quote(service.preset)}",
                _DO_WITHOUT,
            )


RULE = Rule("E216", "unnamed-service", Severity.ERROR, explanation=__doc__, find=find)

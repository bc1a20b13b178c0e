"""Names that differ in letter case alone.

## What it finds

A file that a work order makes and whose path, or a directory in it, differs from another one of the plan or
of the repository in nothing but letter case: `readme.md` and `README.md`, `Lib/a.py` and `lib/b.py`.

## Why it matters

On many disks the two are one file: who writes the second writes over the first. And mostly one was meant.

## Example

```json
{
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Greet",
      "intent": "Print a greeting.",
      "postconditions": [
        {"kind": "file_exists", "path": "hello.py"},
        {"kind": "file_exists", "path": "Hello.py"}
      ],
      "allowed_files": ["hello.py", "Hello.py"],
      "acceptance_commands": ["python hello.py"]
    }
  ]
}
```

## Fix

Write the name as it is, or choose another one.
"""

from collections.abc import Iterator

from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule, Subject


def find(subject: Subject) -> Iterator[Finding]:
    """Compare each written path with those before it, all letters made small."""
    if subject.writers is None:
        return
    known: dict[str, str] = {}
    for path in sorted(subject.repo_files):
        for place in _with_parents(path):
            known.setdefault(place.casefold(), place)
    in_repository = {place for path in subject.repo_files for place in _with_parents(path)}
    for placed in subject.orders:
        for position, path in enumerate(placed.order.allowed_files):
            for place in _with_parents(path):
                other = known.setdefault(place.casefold(), place)
                if other != place and place not in in_repository:
                    yield Finding(
                        f"{placed.pointer}/allowed_files/{position}",
                        f"{quote(place)} differs from {quote(other)} in letter case alone",
                        "write the name as it is, or choose another one",
                    )
                    break


def _with_parents(path: str) -> Iterator[str]:
    while path:
        yield path
        path = path.rpartition("/")[0]


RULE = Rule("W106", "letter-case", Severity.WARNING, explanation=__doc__, find=find)

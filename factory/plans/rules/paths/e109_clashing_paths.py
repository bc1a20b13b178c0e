"""A path that must be a file and a directory.

## What it finds

A file that a work order makes below what is a file, of the repository or of this or another work order:
`output` and `output/longest.txt`.

## Why it matters

No repository can hold both, so the later of the two can never be written.

## Example

```json
{
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Greet",
      "intent": "Print a greeting.",
      "postconditions": [
        {"kind": "file_exists", "path": "hello"},
        {"kind": "file_exists", "path": "hello/words.py"}
      ],
      "allowed_files": ["hello", "hello/words.py"],
      "acceptance_commands": ["python hello/words.py"]
    }
  ]
}
```

## Fix

Give one of the two another name.
"""

from collections.abc import Iterator

from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule, Subject


def find(subject: Subject) -> Iterator[Finding]:
    """Look for each written file, and for what is above it, among the files of all others."""
    if subject.writers is None:
        return
    above = {parent for path in subject.repo_files for parent in _parents(path)}
    files = dict.fromkeys(subject.repo_files, "the repository")
    for placed in subject.orders:
        # Without conditions a name may stand for a directory.
        if not placed.order.declares_conditions:
            continue
        for position, path in enumerate(placed.order.allowed_files):
            file = next((parent for parent in _parents(path) if parent in files), None)
            if file is not None or path in above:
                message = (
                    f"{quote(path)} lies below {quote(file)}, which is a file of {files[file]}"
                    if file is not None
                    else f"{quote(path)} is a directory: there are files below it"
                )
                yield Finding(
                    f"{placed.pointer}/allowed_files/{position}", message, "give one of the two another name"
                )
            else:
                files[path] = placed.order.id
                above.update(_parents(path))


def _parents(path: str) -> Iterator[str]:
    while path := path.rpartition("/")[0]:
        yield path


RULE = Rule("E109", "clashing-paths", Severity.ERROR, explanation=__doc__, find=find)

"""Words where a path is asked for.

## What it finds

An entry of `forbidden` that holds blanks and is no file or directory of the repository or the plan: words, as
people wrote them in older work orders. A model's new plan with words that can't be a path has E005 instead.

## Why it matters

The model is shown the words, and nothing more comes of them, but for what they name: a file or directory that
the repository has, or a word that ends in a slash. A path is checked.

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
      "forbidden": ["Do not modify any words/ source files"],
      "acceptance_commands": ["python hello.py"]
    }
  ]
}
```

## Fix

Write each file or directory as an entry of its own, `words` in the example, and all else that the words say
in `notes`. What is not in `allowed_files` can't be written anyway.
"""

from collections.abc import Iterator
from typing import Final

from factory.contract.repo_path import Prose
from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule, Subject
from factory.plans.states.forbidden import named_paths

_SHOWN: Final = 5
"""How many of the paths that words name are told."""


def find(subject: Subject) -> Iterator[Finding]:
    """Look for words that no file bears as its name."""
    files = subject.repo_files.union(*(placed.order.allowed_files for placed in subject.orders))
    for placed in subject.orders:
        for index, entry in enumerate(placed.order.forbidden):
            if not isinstance(entry, Prose) or (entry.problem and not subject.may_say(entry)):
                continue
            named = named_paths(entry, files)
            if named == (entry.hashed,):
                continue
            names = ", ".join(quote(path) for path in named[:_SHOWN])
            yield Finding(
                f"{placed.pointer}/forbidden/{index}",
                f"{quote(entry)} is words, not a path; "
                + (f"they name {names}" if named else "they name no file or directory"),
                "write each file or directory as an entry of its own, and what else is to be said in `notes`",
            )


RULE = Rule("W107", "words-in-forbidden", Severity.WARNING, explanation=__doc__, find=find)

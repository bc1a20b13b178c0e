"""A requirement that nothing proves.

## What it finds

A requirement whose work orders have, all together, no acceptance command that shows more than existence or
import: `test -f`, `python -m compileall`, `python -c "import …"`, an assertion on `os.path.exists` or
`hasattr`, `pytest --collect-only`, `bash -n`. In doubt a command counts as one that shows more. A requirement
that names a document (`README.md`) is proven by a search in it.

## Why it matters

Such a check passes on a file that does nothing. The requirement would count as fulfilled, unseen.

## Example

```json
{
  "requirements": [
    {"id": "REQ-01", "text": "It greets.", "quotes": ["It greets."]}
  ],
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Greet",
      "intent": "Print a greeting.",
      "preconditions": [{"kind": "file_absent", "path": "hello.py"}],
      "postconditions": [{"kind": "file_exists", "path": "hello.py"}],
      "allowed_files": ["hello.py"],
      "acceptance_commands": ["test -f hello.py", "python -c 'import hello'"],
      "requirements": ["REQ-01"]
    }
  ]
}
```

## Fix

Add a command that runs the behaviour: a test file with a test for the requirement, or the program itself with
an input whose result the specification states.
"""

from collections.abc import Iterator

from factory.plans.commands.strength import searched_documents
from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.placed import PlacedRequirement
from factory.plans.rules.rule import Finding, Rule, Subject


def find(subject: Subject) -> Iterator[Finding]:
    """Judge each requirement by the commands of the work orders that take it."""
    for placed in subject.requirements:
        takers = subject.taken.get(placed.requirement.id, ())
        if takers and not subject.is_proven(placed.requirement.id) and not _is_searched(subject, placed):
            names = [name for index in takers[:3] if (name := subject.order_name(f"/work_orders/{index}"))]
            more = ", …" if len(takers) > 3 else ""
            yield Finding(
                placed.pointer,
                f"no command of {', '.join(names) or 'its work orders'}{more} shows more of"
                f" {quote(placed.requirement.id)} than that something exists or can be imported",
                "add an acceptance command that runs the behaviour, such as a test",
            )


def _is_searched(subject: Subject, placed: PlacedRequirement) -> bool:
    """Whether a requirement names a document in which a work order that takes it searches for words."""
    quotes = " ".join(placed.requirement.quotes).lower()
    takers = subject.taken.get(placed.requirement.id, ())
    return any(
        document.lower() in quotes
        for index, _, reading in subject.acceptance_commands
        if index in takers
        for document in searched_documents(reading)
    )


RULE = Rule("W205", "unproven-requirement", Severity.WARNING, explanation=__doc__, find=find)

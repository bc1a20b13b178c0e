"""A file both allowed and forbidden.

## What it finds

A file of `allowed_files` that stands in `forbidden`, too, or lies below a directory that does.

Words in `forbidden` of an older plan that say of one file no more than that it must not be written, such as
"Do not modify src/a.py", only narrow what is allowed: they count where no allowed file is left.

## Why it matters

The work order asks for the file and refuses every proposal that writes it, so no attempt can pass.

## Example

```json
{
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Greet",
      "intent": "Print a greeting.",
      "preconditions": [{"kind": "file_absent", "path": "src/hello.py"}],
      "postconditions": [{"kind": "file_exists", "path": "src/hello.py"}],
      "allowed_files": ["src/hello.py"],
      "forbidden": ["src"],
      "acceptance_commands": ["python src/hello.py"]
    }
  ]
}
```

## Fix

Take it out of one of the two. In place of a directory, name those of its files that must stay as they are:
what `allowed_files` doesn't name can't be written anyway.
"""

from collections.abc import Iterator

from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule, Subject
from factory.plans.states.forbidden import contradictions


def find(subject: Subject) -> Iterator[Finding]:
    """Hold what each work order forbids against what it allows."""
    for placed in subject.orders:
        order = placed.order
        for index, path in contradictions(order.allowed_files, order.forbidden):
            yield Finding(
                f"{placed.pointer}/forbidden/{index}",
                f"{quote(order.forbidden[index])} forbids {quote(path)}, which `allowed_files` allows",
                "take it out of one of the two",
            )


RULE = Rule("E107", "forbidden-and-allowed", Severity.ERROR, explanation=__doc__, find=find)

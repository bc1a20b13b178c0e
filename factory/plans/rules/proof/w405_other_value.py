"""Another value than an earlier work order demands.

## What it finds

An acceptance command that demands another value of an expression (`assert f(2) == 5`) than a command of an
earlier work order (`assert f(2) == 4`), where no work order from there on, this one included, may write the
module or the file. And where one may, but none of them may write the tests that the earlier work order wrote
beside its code. A value may also follow from an equation over a range or a list, as for E405.

Where this work order may write the file, or the module with its tests, another value is what it is for: the
commands of the earlier work order were run when that landed and are not run again.

## Why it matters

The earlier work order was proven with the former value. If nobody may change what gives it, the command fails
whatever is written; if the earlier tests hold the former value, the verification does.

## Example

```json
{
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Add",
      "intent": "Add numbers.",
      "postconditions": [{"kind": "file_exists", "path": "sums.py"}],
      "allowed_files": ["sums.py"],
      "acceptance_commands": ["python -c \\"from sums import add; assert add(2, 2) == 4\\""]
    },
    {
      "id": "WO-02",
      "title": "Print sums",
      "intent": "Print sums.",
      "postconditions": [{"kind": "file_exists", "path": "show.py"}],
      "allowed_files": ["show.py"],
      "acceptance_commands": [
        "python -c \\"import show, sums; assert sums.add(2, 2) == 5\\"",
        "python -c \\"import show; assert show.line(2, 2) == '4'\\""
      ]
    }
  ]
}
```

## Fix

Keep the value that the specification states. Where it is meant to change, let the work order write the module
and its tests.
"""

from collections.abc import Iterator

from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.proof.contradictions import contradictions
from factory.plans.rules.rule import Finding, Rule, Subject


def find(subject: Subject) -> Iterator[Finding]:
    """Compare the demands of commands with those of earlier work orders."""
    for contradiction in contradictions(subject):
        if contradiction.earlier_index != contradiction.index:
            name = subject.order_name(f"/work_orders/{contradiction.earlier_index}")
            yield Finding(
                contradiction.pointer,
                f"the command demands that {quote(contradiction.expression)} is"
                f" {quote(contradiction.value)}, and {name} that it is {quote(contradiction.earlier)}"
                + (f"; that follows from {contradiction.reason}" if contradiction.reason else ""),
                "keep the value that the specification states, or let this work order write the module and"
                " its tests",
            )


RULE = Rule("W405", "other-value", Severity.WARNING, explanation=__doc__, find=find)

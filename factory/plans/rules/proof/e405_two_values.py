"""Two values of one expression.

## What it finds

Two acceptance commands of one work order that demand different values of the same expression: `assert f(2) ==
4` and `assert f(2) == 5`, or two texts of one file. Names are compared by where they are imported from. Only
where imports alone come before the assertions, and the expression is the same each time.

Also the value of a whole and of its part: `f(1) == {"b": 2}` and `f(1)["b"] == 3`, or `len(f(1)) == 2`.

Also a value that contradicts what follows from an equation over a range or a list and another value: beside
`write(5) == 'V'` and `all(parse(write(n)) == n for n in range(1, 9))`, `parse('V') == 6` can't hold.

## Why it matters

Whatever is written, one of the two fails.

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
      "acceptance_commands": [
        "python -c \\"from sums import add; assert add(2, 2) == 4\\"",
        "python -c \\"import sums; assert sums.add(2, 2) == 5\\""
      ]
    }
  ]
}
```

## Fix

Keep the value that the specification states.
"""

from collections.abc import Iterator

from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.proof.contradictions import contradictions
from factory.plans.rules.rule import Finding, Rule, Subject


def find(subject: Subject) -> Iterator[Finding]:
    """Compare the demands of each work order's commands."""
    for contradiction in contradictions(subject):
        if contradiction.earlier_index == contradiction.index:
            yield Finding(
                contradiction.pointer,
                f"the command demands that {quote(contradiction.expression)} is"
                f" {quote(contradiction.value)}, and another one that it is {quote(contradiction.earlier)}"
                + (f"; that follows from {contradiction.reason}" if contradiction.reason else ""),
                "keep the value that the specification states",
            )


RULE = Rule("E405", "two-values", Severity.ERROR, explanation=__doc__, find=find)

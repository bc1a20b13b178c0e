"""A comparison with a value that only running the code could yield.

## What it finds

In a `python -c` command, an `==` or `in` between a result and a literal that looks computed: a digest, an
encoded text, a number with nine digits or more, a text of more than 120 characters or of many lines, a
collection of more than 24 values, anything but the plainest value where a random generator was seeded, or
of a call with a seed (`roll(seed=7)`), any value of `hash()` or `id()`. A tolerance (`approx`, `isclose`,
`abs(a - b) < e`) makes no difference. In `grep` and `test`, a digest or a number with many digits. A literal
that is also an input of the comparison is left alone: what comes out as it went in, was not computed. So are
powers of two and of ten, and what the specification says word for word, where it is known (`planner compile`,
`planner check --spec`).

## Why it matters

The planner runs nothing. A value that it worked out in its head is wrong more often than not, and then no
attempt can pass, however right the code is.

## Example

```json
{
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Sign",
      "intent": "Sign a text.",
      "postconditions": [{"kind": "file_exists", "path": "sign.py"}],
      "allowed_files": ["sign.py"],
      "acceptance_commands": [
        "python -c \\"from sign import *; assert sign('a') == '3f786850e387550fdab836ed7e6dc881de23001b'\\""
      ]
    }
  ]
}
```

## Fix

Demand a property that follows from the rules: the length of a digest, that two calls agree, that another
input gives another result, that a round trip gives the input back. Keep the literal only if the specification
states it word for word.
"""

from collections.abc import Iterator

from factory.plans.commands.predictions import predictions
from factory.plans.diagnostics.diagnostic import Severity
from factory.plans.rules.rule import Finding, Rule, Subject


def find(subject: Subject) -> Iterator[Finding]:
    """Look for values that look computed in every acceptance command."""
    for _, command, reading in subject.acceptance_commands:
        predicted = dict.fromkeys(
            prediction.what
            for invocation in reading.invocations
            for prediction in predictions(invocation)
            if not prediction.values or not all(map(subject.is_said, prediction.values))
        )
        if predicted:
            yield Finding(
                command.pointer,
                f"the command compares with what only running the code could tell: {', '.join(predicted)}",
                "demand a property instead, unless the specification states the value word for word",
            )


RULE = Rule("W402", "predicted-literal", Severity.WARNING, explanation=__doc__, find=find)

"""A value against an example of the specification.

## What it finds

In a `python -c` command, `assert f(…) == value` where the specification says of the same call that it gives
another value: "`evaluate("7-2-1")` is 4", "`slug("A b")` returns `a-b`", a line `>>> slug("A b")` with its
result, `slug("A b") == "a-b"` in its code. The same call is the same function, whatever stands before its
name, with the same literals; so is a method of what such a call gives (`Spline([0, 2]).at(1)`). What the
specification says under a condition ("if", "unless"), of today or of a mistake ("currently", "should") is
left alone, and so are lists instead of tuples, values that are nearly the same number, and code that does
more before than import and name things.

Needs the specification: `planner compile`, or `planner check --spec`.

## Why it matters

Code that does what the specification says fails such a command, and no attempt can pass.

## Example

Of the specification

```markdown
- Operators of equal strength go from left to right: `evaluate("7-2-1")` is 4.
```

the plan

```json
{
  "requirements": [
    {
      "id": "REQ-01",
      "text": "From left to right.",
      "quotes": ["Operators of equal strength go from left to right: `evaluate(\\"7-2-1\\")` is 4."]
    }
  ],
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Evaluate",
      "intent": "Evaluate operators of equal strength from left to right.",
      "preconditions": [{"kind": "file_absent", "path": "calc.py"}],
      "postconditions": [{"kind": "file_exists", "path": "calc.py"}],
      "allowed_files": ["calc.py"],
      "acceptance_commands": ["python -c \\"from calc import evaluate; assert evaluate('7-2-1') == 6\\""],
      "requirements": ["REQ-01"]
    }
  ]
}
```

## Fix

Write the value that the specification gives. If that is the wrong one, correct the specification.
"""

import ast
import math
from collections.abc import Iterator, Sequence

from factory.plans.commands.code.uses import imported_places
from factory.plans.commands.expectations import Expectation, expectations
from factory.plans.commands.proof.plain_calls import Literal, PlainCall, literal, plain_call
from factory.plans.commands.python_code import text_of
from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule
from planner.rules.subject import Subject
from planner.specification.examples import Example, examples


def find(subject: Subject) -> Iterator[Finding]:
    """Hold the values of each acceptance command against the examples of the same call."""
    if subject.spec is None:
        return
    said: dict[PlainCall, list[Example]] = {}
    for example in examples(subject.spec.text):
        call = plain_call(example.expression)
        if call is not None and (example.is_text or literal(example.value) is not None):
            said.setdefault(call[1], []).append(example)
    if not said:
        return
    for _, command, _ in subject.acceptance_commands:
        for expectation in expectations(command.text):
            other = _contradicted(expectation, said)
            if other is not None:
                yield Finding(
                    command.pointer,
                    f"the command expects {quote(expectation.expected)} of {quote(expectation.expression)};"
                    f" line {other.line} of the specification says {quote(other.value)}",
                    "write the value that the specification gives",
                )


def _contradicted(expectation: Expectation, said: dict[PlainCall, list[Example]]) -> Example | None:
    """The first example of the call that an expectation is about, if none of them agrees with it."""
    call, expected = plain_call(expectation.computed), literal(expectation.expected)
    if call is None or expected is None:
        return None
    name, plain = call
    known = said.get(plain, [])
    if not known or not _is_imported(name, expectation.setup):
        return None
    return None if any(_agrees(example, expected[0]) for example in known) else known[0]


def _is_imported(name: str, before: Sequence[ast.stmt]) -> bool:
    """Whether a name is that of a module, or of something in it, to which nothing was done before."""
    tree = ast.Module(list(before), [])
    return bool(imported_places(tree).get(name.partition(".")[0], ("",))[0]) and all(
        isinstance(statement, ast.Import | ast.ImportFrom)
        or (
            isinstance(statement, ast.Assign)
            and all(isinstance(target, ast.Name) for target in statement.targets)
            and literal(text_of(statement.value)) is not None
        )
        for statement in tree.body
    )


def _agrees(example: Example, expected: Literal) -> bool:
    value = literal(example.value)
    if isinstance(expected, str) and example.is_text and expected.split() == example.value.split():
        return True
    if value is None:
        # Words that stand for a value, unless it is a text.
        return not isinstance(expected, str)
    given = value[0]
    if isinstance(given, str) and isinstance(expected, str):
        return given.split() == expected.split()
    if isinstance(given, int | float) and isinstance(expected, int | float):
        is_whole = isinstance(given, int) and isinstance(expected, int)
        return given == expected if is_whole else math.isclose(given, expected, rel_tol=0.01, abs_tol=0.01)
    return given == expected


RULE = Rule("E212", "contradicted-example", Severity.ERROR, explanation=__doc__, find=find)

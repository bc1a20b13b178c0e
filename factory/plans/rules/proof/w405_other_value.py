"""Another value than an earlier work order demands, or than a requirement spells.

## What it finds

An acceptance command that demands another value of an expression (`assert f(2) == 5`) than a command of an
earlier work order (`assert f(2) == 4`), where no work order from there on, this one included, may write the
module or the file. And where one may, but none of them may write the tests that the earlier work order wrote
beside its code. A value may also follow from an equation over a range or a list, as for E405. And a command
or an intent that has a text which the quote of a requirement has as code in all but its blanks: `|---|` where
the quote has `| --- |`.

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

import re
from collections.abc import Iterator, Mapping
from typing import Final

from factory.plans.commands.predictions import demanded_texts
from factory.plans.commands.programs import Reading
from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.proof.contradictions import contradictions
from factory.plans.rules.rule import Finding, Rule, Subject

_CODE: Final = re.compile(r"`([^`\n]+)`")
_FEWEST: Final = 4
"""Shorter texts may be alike by chance."""


def find(subject: Subject) -> Iterator[Finding]:
    """Compare the demands of commands with those of earlier work orders, and with the code in quotes."""
    quotes = [text for placed in subject.requirements for text in placed.requirement.quotes]
    spelt = {_dense(code): code for text in quotes for code in _CODE.findall(text)}
    for _, command, reading in subject.acceptance_commands:
        for text, code in _respelt(reading, spelt):
            if not any(text in said for said in quotes) and not subject.is_said(text):
                yield Finding(
                    command.pointer,
                    f"the command demands {quote(text)}, and a requirement has {quote(code)}",
                    "demand what the specification says, blank for blank",
                )
    for placed in subject.orders:
        for text in dict.fromkeys(_CODE.findall(placed.order.intent)):
            code = spelt.get(_dense(text), text)
            is_call = "(" in text or len(_dense(text)) < _FEWEST
            if code != text and not is_call and not any(text in said for said in quotes):
                yield Finding(
                    f"{placed.pointer}/intent",
                    f"the intent has {quote(text)}, and a requirement {quote(code)}",
                    "write what the specification says, blank for blank",
                )
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


def _respelt(reading: Reading, spelt: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The demanded texts that are code of a requirement but for blanks, each with that."""
    demanded = dict.fromkeys(
        pair for invocation in reading.invocations for pair in demanded_texts(invocation)
    )
    for text, inputs in demanded:
        dense = _dense(text)
        code = spelt.get(dense, text)
        if len(dense) >= _FEWEST and code != text and dense not in _dense(inputs):
            yield text, code


def _dense(text: str) -> str:
    return "".join(text.split())


RULE = Rule("W405", "other-value", Severity.WARNING, explanation=__doc__, find=find)

"""A requirement at the wrong work order.

## What it finds

A requirement whose work orders mention little of what its quotes say, while another work order, which does
not take it, mentions nearly all. Words are compared by their beginnings, in the title, the intent, the notes,
the commands, `provides` and the allowed files. Where a work order that takes it names it by its id, in the
intent or the notes, it is where it belongs.

## Why it matters

The work order that takes a requirement is the one that is held to it: its commands prove it, and a changed
line of the specification makes it anew. At the wrong one, nothing of that reaches the code that matters.

## Example

```json
{
  "requirements": [
    {"id": "REQ-01", "text": "Sum.", "quotes": ["`total` returns the sum of the amounts by product."]},
    {"id": "REQ-02", "text": "Read.", "quotes": ["`load` reads one sale from each line of a file."]}
  ],
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Read",
      "intent": "Write `load`, which reads one sale from each line of a file.",
      "postconditions": [{"kind": "file_exists", "path": "reading.py"}],
      "allowed_files": ["reading.py"],
      "acceptance_commands": ["python -c \\"from reading import load; assert load('x') == []\\""],
      "provides": ["reading:load(path: str) -> list[int]"],
      "requirements": ["REQ-01", "REQ-02"]
    },
    {
      "id": "WO-02",
      "title": "Sum up",
      "intent": "Write `total`, which returns the sum of the amounts by product.",
      "postconditions": [{"kind": "file_exists", "path": "sums.py"}],
      "allowed_files": ["sums.py"],
      "acceptance_commands": ["python -c \\"from sums import total; assert total([]) == {}\\""],
      "provides": ["sums:total(sales: list[int]) -> dict[str, int]"]
    }
  ]
}
```

## Fix

Name the requirement in the work order that fulfils it. If it is where it belongs, let the intent there name
it by its id: which test file covers it.
"""

from collections.abc import Iterator
from typing import Final

from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.requirements.mentions import beginnings, mentioned, names_requirement
from factory.plans.rules.rule import Finding, Rule, Subject

_FEWEST: Final = 4
_LITTLE: Final = 0.65
_NEARLY_ALL: Final = 0.75
_APART: Final = 0.35
"""Shares of a requirement's words, and how far they must lie apart."""

_MOST: Final = 1_000_000
"""How many pairs of a requirement and a work order are compared."""


def find(subject: Subject) -> Iterator[Finding]:
    """Compare the words of each requirement with those of the work orders that take it, and of the others."""
    orders = {placed.index: placed.order for placed in subject.orders}
    if len(orders) * len(subject.requirements) > _MOST:
        return
    said = {index: mentioned(order) for index, order in orders.items()}
    for placed in subject.requirements:
        name = placed.requirement.id
        takers = [index for index in subject.taken.get(name, ()) if index in orders]
        wanted = beginnings(" ".join(placed.requirement.quotes))
        others = [index for index in orders if index not in takers]
        if not takers or not others or len(wanted) < _FEWEST:
            continue
        best = max(others, key=lambda index: len(wanted & said[index]))
        there = len(wanted & said[best]) / len(wanted)
        here = len(wanted & frozenset[str]().union(*(said[index] for index in takers))) / len(wanted)
        is_apart = here <= _LITTLE and there >= _NEARLY_ALL and there - here >= _APART
        if is_apart and not any(names_requirement(orders[index], name) for index in takers):
            names = ", ".join(orders[index].id for index in takers[:3])
            yield Finding(
                f"/work_orders/{takers[0]}/requirements",
                f"little of what {quote(name)} asks for stands in the words of {names}, which takes it, and"
                f" nearly all of it in those of {orders[best].id}, which does not",
                f"name it in {orders[best].id} if that fulfils it; if it belongs here, say in the intent"
                " which tests cover it, by its id",
            )


RULE = Rule("W213", "misplaced-requirement", Severity.WARNING, explanation=__doc__, find=find)

"""An intent that retells the specification.

## What it finds

A work order whose intent or notes repeat at least 100 words of the quotes of its own requirements, in runs of
at least 12 words each. White space, punctuation and letter case don't matter. What a revision takes over from
the plan before is left alone.

Needs the specification: `planner compile`, or `planner check --spec`.

## Why it matters

The engineer is shown, word for word, the passages that the requirements of its work order quote. What is told
again is paid for in the plan and in every prompt, and where the two differ nobody knows which one counts.

## Example

Of the specification

```markdown
- The report has a line for each customer, in the order of their names, with the number of orders, the sum
  of all amounts in whole cents, and the day of the last order; customers without an order are left out, and
  so are orders that were cancelled before they were paid, whatever their amount was; the last line has the
  sums of all columns but the days. Amounts have two digits after the point, and a minus sign stands in front
  of those that were paid back; days are written as in 2026-01-31; columns are separated by one tab, and the
  first line of the report names all of them in the order in which they follow.
```

the plan

```json
{
  "requirements": [
    {
      "id": "REQ-01",
      "text": "The report has a line for each customer.",
      "quotes": ["The report has a line for each customer, in the order of their names, with the number of orders, the sum of all amounts in whole cents, and the day of the last order; customers without an order are left out, and so are orders that were cancelled before they were paid, whatever their amount was; the last line has the sums of all columns but the days. Amounts have two digits after the point, and a minus sign stands in front of those that were paid back; days are written as in 2026-01-31; columns are separated by one tab, and the first line of the report names all of them in the order in which they follow."]
    }
  ],
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Report",
      "intent": "Write report.py. The report has a line for each customer, in the order of their names, with the number of orders, the sum of all amounts in whole cents, and the day of the last order; customers without an order are left out, and so are orders that were cancelled before they were paid, whatever their amount was; the last line has the sums of all columns but the days. Amounts have two digits after the point, and a minus sign stands in front of those that were paid back; days are written as in 2026-01-31; columns are separated by one tab, and the first line of the report names all of them in the order in which they follow.",
      "preconditions": [{"kind": "file_absent", "path": "report.py"}],
      "postconditions": [{"kind": "file_exists", "path": "report.py"}],
      "allowed_files": ["report.py"],
      "acceptance_commands": ["python report.py"],
      "requirements": ["REQ-01"]
    }
  ]
}
```

## Fix

Leave out what the passages say, and name the requirement instead: "the report of REQ-01". Say what is
decided beyond them: where things go, what is done where they are silent, which statements the tests cover.
"""  # noqa: E501 - the texts of JSON stand on one line

import re
from collections.abc import Iterator, Sequence
from typing import Final

from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule
from planner.revision.amendment import content
from planner.rules.subject import Subject

_RUN: Final = 12
"""So many words in the order of a passage are no accident; names and values are shorter."""

_LEAST_RETOLD: Final = 100
"""Fewer cost less than asking again for them."""

_MOST_WORDS: Final = 20_000
_WORD: Final = re.compile(r"\w+")


def find(subject: Subject) -> Iterator[Finding]:
    """Compare what each work order says with the passages that its engineer is shown."""
    if subject.spec is None:
        return
    quotes: dict[str, tuple[str, ...]] = {}
    for placed in subject.requirements:
        quotes.setdefault(placed.requirement.id, placed.requirement.quotes)
    before = frozenset(subject.amendment.contents) if subject.amendment is not None else frozenset()
    for placed_order in subject.orders:
        order = placed_order.order
        if content(order) in before:
            continue
        passages = [_words(text) for name in order.requirements for text in quotes.get(name, ())]
        runs = {run for words in passages for run in _runs(words)}
        for field, text in (("intent", order.intent), ("notes", order.notes or "")):
            retold = _retold(_words(text), runs)
            if len(retold) >= _LEAST_RETOLD:
                words = _words(text)
                start = " ".join(words[retold[0] : retold[0] + _RUN])
                yield Finding(
                    f"{placed_order.pointer}/{field}",
                    f"{len(retold)} of its {len(words)} words repeat passages that the engineer is shown with"
                    f" the requirements, from {quote(start)} on",
                    "leave out what they say, and say only what is decided beyond them",
                )


def _words(text: str) -> list[str]:
    return [match[0].casefold() for match in _WORD.finditer(text)][:_MOST_WORDS]


def _runs(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    for start in range(len(words) - _RUN + 1):
        yield tuple(words[start : start + _RUN])


def _retold(words: Sequence[str], runs: set[tuple[str, ...]]) -> list[int]:
    """The places of the words that stand in a run of the passages, in order."""
    places: set[int] = set()
    for start, run in enumerate(_runs(words)):
        if run in runs:
            places.update(range(start, start + _RUN))
    return sorted(places)


RULE = Rule("W215", "retold-passage", Severity.WARNING, explanation=__doc__, find=find)

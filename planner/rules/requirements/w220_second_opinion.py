"""## What it finds

What a second opinion objects to: a model that was asked to read the plan against its specification, by
`planner review`, or by `planner compile` and `planner revise` before they take a plan. `planner check` asks
nobody and never finds this one.

An objection counts only with evidence: the words that it objects to stand in the work order that it names,
and the words that these contradict, if it names any, in the specification or elsewhere in the plan. What is
without is left out.

## Why it matters

Rules find what can be computed. That a command expects another value than a sentence of the specification
says, that an intent prescribes what an earlier work order's test forbids, or that a sentence of the
specification was left out of a quote, only a reader finds. An attempt that fails for it costs more than the
reading.

## Example

Of the specification

```markdown
- REQ-01: Amounts are rounded half up, to whole cents.
```

the plan

```json
{
  "requirements": [
    {"id": "REQ-01", "text": "Amounts are rounded.", "quotes": ["Amounts are rounded half up, to whole cents."]}
  ],
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Cents",
      "intent": "Write cents.py with cents(amount: Decimal) -> int, which rounds as round() does.",
      "preconditions": [{"kind": "file_absent", "path": "cents.py"}],
      "postconditions": [{"kind": "file_exists", "path": "cents.py"}],
      "allowed_files": ["cents.py"],
      "acceptance_commands": ["python -c \\"from cents import cents; assert cents(1) == 100\\""],
      "requirements": ["REQ-01"],
      "provides": ["cents:cents(amount: Decimal) -> int"]
    }
  ]
}
```

is objected to by

```json opinion
{
  "objections": [
    {
      "order": "WO-01",
      "kind": "contradicts",
      "quote": "which rounds as round() does",
      "against": "Amounts are rounded half up",
      "problem": "round() rounds halves to even: 0.125 becomes 0.12, and the specification says 0.13.",
      "mend": "Say: rounds half up, with decimal.ROUND_HALF_UP."
    }
  ]
}
```

## Fix

Read both passages. If the objection is right, correct the plan; if it is not, give the code and the reason
in `accepted_warnings` of the work order, which tells whoever reads the plan that it was looked at.
"""  # noqa: E501 - the texts of JSON stand on one line

from collections.abc import Iterator
from typing import Final

from factory.contract.strict_json import JsonObject
from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule
from factory.system.terminal.console import one_line
from planner.plan.objections import Objected, Objection, place_of, stands_in
from planner.rules.subject import Subject

_MOST_SHOWN: Final = 1_000


def find(subject: Subject) -> Iterator[Finding]:
    """Tell of the objections that have evidence."""
    for objection in subject.objections:
        for index, raw in subject.raw_orders:
            if raw.get("id") != objection.order:
                continue
            place = _place(objection, raw, f"/work_orders/{index}", subject)
            if place is not None and (not objection.against or _is_said(objection.against, subject)):
                yield Finding(place, _message(objection), _line(objection.mend) or "read both passages")


def _place(objection: Objection, raw: JsonObject, pointer: str, subject: Subject) -> str | None:
    if objection.kind is Objected.LOST:
        said = subject.spec is not None and stands_in(objection.quote, subject.spec.text)
        return pointer if said else place_of(objection, raw, pointer)
    return place_of(objection, raw, pointer)


def _is_said(words: str, subject: Subject) -> bool:
    in_spec = subject.spec is not None and stands_in(words, subject.spec.text)
    return in_spec or stands_in(words, subject.manifest)


def _message(objection: Objection) -> str:
    against = f", against {quote(objection.against)}" if objection.against else ""
    kind = objection.kind.replace("_", " ")
    return f"a second opinion says ({kind}) of {quote(objection.quote)}{against}: {_line(objection.problem)}"


def _line(text: str) -> str:
    """A text of a model in one harmless line, cut where nobody reads on."""
    line = one_line(" ".join(text.split()))
    return line if len(line) <= _MOST_SHOWN else line[: _MOST_SHOWN - 1] + "…"


RULE = Rule("W220", "second-opinion", Severity.WARNING, explanation=__doc__, find=find)

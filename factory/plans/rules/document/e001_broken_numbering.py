"""Broken numbering.

## What it finds

An id that is not `WO-` and a number of at least two digits, and ids that do not run WO-01, WO-02, WO-03, …
without a gap or a repetition. In a revised plan, and where a part of the plan has landed, a number may be
missing: a work order was dropped, and those after it keep theirs.

## Why it matters

The id names the work order in commits, folders and dependencies, and its number is its place in the order of
execution.

## Example

```json
{
  "work_orders": [
    {
      "id": "WO-02",
      "title": "Greet",
      "intent": "Print a greeting.",
      "preconditions": [{"kind": "file_absent", "path": "hello.py"}],
      "postconditions": [{"kind": "file_exists", "path": "hello.py"}],
      "allowed_files": ["hello.py"],
      "acceptance_commands": ["python hello.py"]
    }
  ]
}
```

## Fix

Number the work orders from WO-01 in the order in which they are executed. What has landed keeps its number,
so what is new comes after it.
"""

from collections.abc import Iterator

from factory.contract.strict_json import JsonValue
from factory.contract.work_order import number_of, work_order_id
from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule, Subject

_HINT = "number the work orders WO-01, WO-02, WO-03, … in the order of execution"
_HINT_LANDED = "it has landed and keeps its number: what is new comes after it, with a higher one"


def find(subject: Subject) -> Iterator[Finding]:
    """Judge each id by the one before it, so that one gap is one finding."""
    expected = 1
    may_lack = bool(subject.landed) or _is_revision(subject.manifest.get("revision"))
    for index, raw in subject.raw_orders:
        written = raw.get("id")
        number = number_of(written) if isinstance(written, str) else None
        if isinstance(written, str) and number is None:
            yield Finding(
                f"/work_orders/{index}/id",
                f"{quote(written)} is not WO- and a number of at least two digits",
                f"call it {work_order_id(index + 1)}",
            )
        elif number is not None and (number < expected or (number > expected and not may_lack)):
            yield Finding(
                f"/work_orders/{index}/id",
                f"{work_order_id(number)} stands where {work_order_id(expected)} is due",
                _HINT_LANDED if written in subject.landed else _HINT,
            )
        expected = (number or expected) + 1


def _is_revision(revision: JsonValue) -> bool:
    return isinstance(revision, int) and revision > 1


RULE = Rule("E001", "broken-numbering", Severity.ERROR, explanation=__doc__, find=find, judges_landed=True)

"""A work order that has landed was altered.

## What it finds

A work order of the plan before that has landed, and that the revised plan leaves out, gives another number
or states otherwise. Its title and its notes may change: they bind nobody.

Only in `planner revise` with a repository.

## Why it matters

A work order is done when a commit names it and the hash of its contract. With another contract it is a
promise that nobody kept: it would be executed again, on files that are there already.

## Example

Of the plan

```json before
{
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Greet",
      "intent": "Print hello.",
      "preconditions": [{"kind": "file_absent", "path": "hello.py"}],
      "postconditions": [{"kind": "file_exists", "path": "hello.py"}],
      "allowed_files": ["hello.py"],
      "acceptance_commands": ["python hello.py"]
    }
  ]
}
```

of which WO-01 has landed, the revision

```json
{
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Greet",
      "intent": "Print good morning.",
      "preconditions": [{"kind": "file_absent", "path": "hello.py"}],
      "postconditions": [{"kind": "file_exists", "path": "hello.py"}],
      "allowed_files": ["hello.py"],
      "acceptance_commands": ["python hello.py"]
    }
  ]
}
```

## Fix

Name the work order instead of writing it out: `{"same_as": "WO-01"}`, after those with a lower number. It
keeps its number, also where one before it is dropped. To change what it did, add a work order after the last
one: its preconditions say that the files exist.
"""

from collections.abc import Iterator

from factory.contract.identity import contract_trailers
from factory.contract.strict_json import JsonValue
from factory.contract.work_order import NOT_BINDING_FIELDS, WorkOrder
from factory.plans.diagnostics.diagnostic import Severity
from factory.plans.rules.rule import Finding, Rule
from planner.rules.subject import Subject


def find(subject: Subject) -> Iterator[Finding]:
    """Compare each landed work order with what has its number, or else stands at its place."""
    amendment = subject.amendment
    if amendment is None or not subject.raw_orders:
        return
    present = {placed.index: placed.order for placed in subject.orders}
    raw = dict(subject.raw_orders)
    numbered = {name: index for index, each in raw.items() if isinstance(name := each.get("id"), str)}
    for place, order in enumerate(amendment.before.work_orders):
        if order.id not in amendment.landed:
            continue
        index = numbered.get(order.id, place)
        if index not in raw:
            yield Finding("/work_orders", f"{order.id} has landed, and is not in this plan", _hint(order.id))
        elif index not in present:
            yield Finding(
                f"/work_orders/{index}",
                f"{order.id} has landed, and is not what stands here",
                _hint(order.id),
            )
        elif differences := _differences(present[index], order, raw[index].get("id")):
            yield Finding(
                f"/work_orders/{index}",
                f"{order.id} has landed, and other values than before stand here for"
                f" {', '.join(f'`{name}`' for name in differences)}",
                _hint(order.id),
            )


def _hint(name: str) -> str:
    return (
        f'name it by {{"same_as": "{name}"}}, after those with a lower number; to change what it did, add a'
        " work order after the last one"
    )


def _differences(present: WorkOrder, landed: WorkOrder, written_id: JsonValue) -> list[str]:
    """The fields that differ, as contracts have them."""
    names = ["id"] if written_id != landed.id else []
    if contract_trailers(present)[0] != contract_trailers(landed)[0]:
        names += [
            name
            for name in WorkOrder.model_fields
            if name not in NOT_BINDING_FIELDS and getattr(present, name) != getattr(landed, name)
        ]
    return list(dict.fromkeys(names))


RULE = Rule("E209", "landed-altered", Severity.ERROR, explanation=__doc__, find=find, judges_landed=True)

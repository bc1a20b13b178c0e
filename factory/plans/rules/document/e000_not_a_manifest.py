"""The answer is not a manifest.

## What it finds

A document that is not the expected JSON structure: not JSON at all, not an object, without `work_orders`,
with an empty list of them, with an element that is not an object, with unknown keys at the top, or JSON that
lenient readers accept and strict ones don't: a key that stands twice, NaN, a text with half of a surrogate
pair, more than 10 MB, more than 100 levels, more than 250,000 values.

## Why it matters

Nothing else can be judged before the outline is right. A key that stands twice has two meanings, and two
programs may each pick another.

## Example

```json
{"system_overview": [], "verify_contract": null, "work_orders": []}
```

## Fix

Answer with one JSON object: `system_overview` (a list of texts), `verify_contract` (an object or null),
`requirements` (a list of objects) and `work_orders` (a list with at least one object). Put no prose into the
document.
"""

from collections.abc import Iterator

from factory.contract.documents import schema_problems
from factory.contract.strict_json import JsonObject, JsonValue
from factory.contract.work_order import COMPUTED_PLAN_FIELDS, Plan
from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.manifest import MAX_VALUES
from factory.plans.rules.rule import Finding, Rule, Subject

_SHAPE = (
    "a manifest is one object with `system_overview`, `verify_contract`, `requirements` and `work_orders`"
)


def find(subject: Subject) -> Iterator[Finding]:
    """Judge the outline of the document."""
    document = subject.document
    if not isinstance(document, dict):
        hint = f'wrap the list: {{"work_orders": […]}}; {_SHAPE}' if isinstance(document, list) else _SHAPE
        yield Finding("", f"the manifest must be an object, not {kind_of(document)}", hint)
        return
    if subject.is_too_large:
        yield Finding("", f"the manifest holds more than {MAX_VALUES:,} values", "split the plan")
        return
    yield from _work_orders(document)
    overview = {"system_overview": document.get("system_overview", []), "work_orders": []}
    for problem in schema_problems(Plan, overview):
        if problem.pointer.startswith("/system_overview"):
            yield Finding(problem.pointer, problem.message, "make it a list of texts that are not blank")
    computed = {key: value for key, value in document.items() if key in COMPUTED_PLAN_FIELDS}
    for problem in schema_problems(Plan, {**computed, "work_orders": []}):
        if problem.pointer != "/work_orders":
            yield Finding(problem.pointer, problem.message, "drop it; the planner computes it")
    for key in document:
        if key not in Plan.model_fields:
            yield Finding(
                _pointer(key), f"{quote(key)} is not a known key of a manifest", f"drop it; {_SHAPE}"
            )


def _work_orders(document: JsonObject) -> Iterator[Finding]:
    if "work_orders" not in document:
        hint = "put the work orders into a list under this key"
        if "acceptance_commands" in document:
            hint = "this looks like a single work order: check the plan that it belongs to"
        yield Finding("/work_orders", "is missing", hint)
        return
    orders = document["work_orders"]
    if not isinstance(orders, list):
        yield Finding(
            "/work_orders", f"must be a list, not {kind_of(orders)}", "list the work orders in order"
        )
        return
    if not orders:
        yield Finding("/work_orders", "must not be empty", "a plan has at least one work order")
    for index, order in enumerate(orders):
        if not isinstance(order, dict):
            yield Finding(
                f"/work_orders/{index}",
                f"a work order must be an object, not {kind_of(order)}",
                "write the work order with its fields, or drop the element",
            )


def kind_of(value: JsonValue) -> str:
    """What JSON calls the value."""
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case list():
            return "a list"
        case _:
            return "an object"


def _pointer(key: str) -> str:
    return "/" + key.replace("~", "~0").replace("/", "~1")


RULE = Rule("E000", "not-a-manifest", Severity.ERROR, explanation=__doc__, find=find)

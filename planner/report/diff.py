"""What one plan does otherwise than another, by requirement and work order: pure, as sections of a page."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final

from factory.contract.strict_json import JsonValue
from factory.contract.work_order import COMPUTED_FIELDS, Plan, Requirement, WorkOrder
from factory.plans.diagnostics.render import counted
from planner.report.page import Item, Part, Section

_LEAST_WORDS: Final = 20
"""A text with fewer words is told as a whole."""
_MOST_WORDS: Final = 300
"""One with more, too: to compare them takes long."""
_LEAST_ALIKE: Final = 0.5
"""Texts that have less than this share in common are other ones."""
_WORDS_AROUND: Final = 5

_OF_THE_PLAN: Final = {
    "system_overview": "decided",
    "verify_contract": "verified after each work order by",
    "environment": "packages beside the work orders'",
    "allowed_packages": "packages that a person allowed",
    "services": "services",
    "remarks": "noticed about the specification",
    "accepted_warnings": "warnings about the plan that it keeps",
}
"""The fields of a plan that are told beside its requirements and work orders, and what they are called."""


def differences(old: Plan, new: Plan) -> tuple[Section, ...]:
    """What is new, changed or gone; empty of plans that do the same.

    Work orders that are the same but for their numbers have moved; others of one number have changed.

    Args:
        old: the plan before.
        new: the plan after.
    """
    return tuple(
        section
        for section in (
            Section("Requirements", tuple(_requirements(old.requirements, new.requirements))),
            Section("Work orders", tuple(_orders(old.work_orders, new.work_orders))),
            Section("The plan", tuple(_plan(old, new))),
        )
        if any(part.items for part in section.parts)
    )


def counts(old: Plan, new: Plan) -> str:
    """Both plans in a line."""
    sizes = [
        f"{counted(len(plan.work_orders), 'work order')}, {counted(len(plan.requirements), 'requirement')}"
        for plan in (old, new)
    ]
    return " → ".join(sizes)


def _requirements(old: Sequence[Requirement], new: Sequence[Requirement]) -> Iterator[Part]:
    before = {requirement.id: requirement for requirement in old}
    after = {requirement.id: requirement for requirement in new}
    added = [Item(f"{item.id}: {item.text}") for item in new if item.id not in before]
    gone = [Item(f"{item.id}: {item.text}") for item in old if item.id not in after]
    withdrawn, again = (
        [
            Item(f"{item.id}: {item.text}")
            for item in new
            if item.withdrawn == state and item.id in before and before[item.id].withdrawn != state
        ]
        for state in (True, False)
    )
    yield Part("new", tuple(added))
    for item in new:
        earlier = before.get(item.id)
        if earlier is not None and (earlier.text, earlier.quotes) != (item.text, item.quotes):
            yield Part(f"{item.id} says otherwise: {item.text}", tuple(_quotes(earlier, item)))
    yield Part("withdrawn", tuple(withdrawn))
    yield Part("asked for again", tuple(again))
    yield Part("gone", tuple(gone))


def _quotes(old: Requirement, new: Requirement) -> Iterator[Item]:
    if old.text != new.text:
        yield Item(old.text, note="before")
        yield Item(new.text, note="now")
    yield from (Item(quote, "quoted", "no more") for quote in old.quotes if quote not in new.quotes)
    yield from (Item(quote, "quoted", "now") for quote in new.quotes if quote not in old.quotes)


def _orders(old: Sequence[WorkOrder], new: Sequence[WorkOrder]) -> Iterator[Part]:
    places: dict[str, list[str]] = {}
    for order in old:
        places.setdefault(_content(order), []).append(order.id)
    moved: dict[str, str] = {}
    rest: list[WorkOrder] = []
    for order in new:
        same = places.get(_content(order), [])
        if same:
            moved[order.id] = order.id if order.id in same else same[0]
            same.remove(moved[order.id])
        else:
            rest.append(order)
    left = {order.id: order for order in old if order.id not in moved.values()}
    yield Part("new", tuple(_line(order) for order in rest if order.id not in left))
    for order in rest:
        earlier = left.pop(order.id, None)
        if earlier is not None:
            yield Part(f"{order.id} changed: {order.title}", tuple(_fields(earlier, order)))
    yield Part("gone", tuple(_line(order) for order in left.values()))
    numbers = [Item(f"{before} is {now} now") for now, before in moved.items() if now != before]
    yield Part("moved", tuple(numbers))


def _line(order: WorkOrder) -> Item:
    return Item(f"{order.id}  {order.title}")


def _content(order: WorkOrder) -> str:
    plain = order.model_copy(update={"id": "WO-01", **dict.fromkeys(COMPUTED_FIELDS)})
    return repr(plain)


def _fields(old: WorkOrder, new: WorkOrder) -> Iterator[Item]:
    before, after = (
        old.model_dump(mode="json", exclude_defaults=True),
        new.model_dump(mode="json", exclude_defaults=True),
    )
    for name in sorted({*before, *after} - COMPUTED_FIELDS - {"id"}):
        yield from _changes(f"{name}: ", before.get(name), after.get(name))


def _changes(label: str, was: JsonValue, now: JsonValue) -> Iterator[Item]:
    if was == now:
        return
    if isinstance(was, list) or isinstance(now, list):
        gone, added = _missing(was, now), _missing(now, was)
        yield from (Item(f"{label}{_text(entry)}", note="no more") for entry in gone)
        yield from (Item(f"{label}{_text(entry)}", note="now") for entry in added)
        if not (gone or added):
            yield Item(f"{label}another order")
    else:
        for before, after in _passages(_text(was), _text(now)):
            yield Item(f"{label}{before}", note="before")
            yield Item(f"{label}{after}", note="now")


def _passages(was: str, now: str) -> Iterator[tuple[str, str]]:
    """The passages of two texts that differ, with a few words around them; of short or other texts all."""
    old, new = was.split(), now.split()
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if not _LEAST_WORDS <= max(len(old), len(new)) <= _MOST_WORDS or matcher.ratio() < _LEAST_ALIKE:
        yield was, now
        return
    groups = list(matcher.get_grouped_opcodes(_WORDS_AROUND))
    for group in groups:
        (_, first, _, other_first, _), (_, _, last, _, other_last) = group[0], group[-1]
        yield _passage(old, first, last), _passage(new, other_first, other_last)
    if not groups:
        # Only white space.
        yield was, now


def _passage(words: Sequence[str], first: int, last: int) -> str:
    before, after = "… " if first else "", " …" if last < len(words) else ""
    return f"{before}{' '.join(words[first:last])}{after}"


def _missing(these: JsonValue, those: JsonValue) -> list[JsonValue]:
    others = those if isinstance(those, list) else []
    return [entry for entry in (these if isinstance(these, list) else []) if entry not in others]


def _text(value: JsonValue) -> str:
    if isinstance(value, dict):
        return ", ".join(
            f"{name} {_text(inner)}" for name, inner in value.items() if inner not in (None, [], {})
        )
    if isinstance(value, list):
        return ", ".join(map(_text, value))
    return "nothing" if value is None else str(value)


def _plan(old: Plan, new: Plan) -> Iterator[Part]:
    before, after = (
        old.model_dump(mode="json", exclude_defaults=True),
        new.model_dump(mode="json", exclude_defaults=True),
    )
    for name, title in _OF_THE_PLAN.items():
        yield Part(title, tuple(_changes("", before.get(name), after.get(name))))

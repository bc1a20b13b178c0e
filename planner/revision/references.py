"""References in the answer of a revision: what stays as it is in the present plan is named, not copied.

An element `{"same_as": ID}` of `requirements` or `work_orders` stands for the element of the present plan
that has this id, `{"same_as": "ID to ID"}` for all from one to the other; in an answer that corrects another
one, for what that has. A work order that is named may have fields beside it, which change. Pure. What stands
for nothing stays as it is, and rule E211 tells of it.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final, TypeGuard

from factory.contract.strict_json import JsonObject, JsonValue
from factory.contract.work_order import (
    COMPUTED_FIELDS,
    COMPUTED_PLAN_FIELDS,
    COMPUTED_REQUIREMENT_FIELDS,
    Plan,
    number_of,
    work_order_id,
)

SAME_AS: Final = "same_as"

TO: Final = " to "
"""Stands between the first and the last of several elements that stay."""

SHOW: Final = "show"
"""What a model asks to see of the present plan, instead of answering."""

_LISTS: Final = ("requirements", "work_orders")
_CONDITIONS: Final = frozenset({"preconditions", "postconditions"})
_SINGLE: Final = ("system_overview", "verify_contract", "remarks", "services")


def as_answered(plan: Plan) -> JsonObject:
    """A plan as a model answers it: without what the planner computes and what is withdrawn."""
    asked = tuple(requirement for requirement in plan.requirements if not requirement.withdrawn)
    return plan.model_copy(update={"requirements": asked}).model_dump(
        mode="json",
        exclude={
            **dict.fromkeys(COMPUTED_PLAN_FIELDS, True),
            "requirements": {"__all__": set(COMPUTED_REQUIREMENT_FIELDS)},
            "work_orders": {"__all__": set(COMPUTED_FIELDS)},
        },
    )


def each_alone(answer: JsonValue, before: Plan) -> JsonValue:
    """An answer in which a reference to several elements is one to each of them.

    Args:
        answer: the answer as it was read.
        before: the present plan.
    """
    if not isinstance(answer, dict):
        return answer
    present = as_answered(before)
    lists = {name: elements for name in _LISTS if isinstance(elements := answer.get(name), list)}
    alone: JsonObject = {
        name: list(_one_by_one(elements, tuple(_by_id(present[name])))) for name, elements in lists.items()
    }
    return {**answer, **alone}


def resolved(answer: JsonObject, before: Plan, landed: Collection[str] = ()) -> JsonObject:
    """An answer with what its references stand for, and with what it leaves as it is.

    A work order gets the id of its place; where a part of the plan has landed, it keeps its own if that is
    free there, and what has landed keeps it in any case.

    Args:
        answer: the answer, each reference to one element.
        before: the present plan.
        landed: the ids of the work orders that have landed.
    """
    present = as_answered(before)
    single: JsonObject = {
        name: present[name] for name in _SINGLE if name in present and answer.get(name) is None
    }
    lists: JsonObject = {}
    for name in _LISTS:
        elements = answer.get(name)
        if isinstance(elements, list):
            known = _by_id(present[name])
            is_order = name == "work_orders"
            whole = [_whole(element, known, may_change=is_order) for element in elements]
            lists[name] = list(_numbered(whole, landed)) if is_order else [each for each, _ in whole]
    return {**{name: value for name, value in answer.items() if name != SHOW}, **single, **lists}


def corrected(answer: JsonValue, before: JsonValue, first: int | None = None) -> JsonValue:
    """An answer that corrects another one, with what it names of that, and with what it leaves out.

    Args:
        answer: the answer as it was read.
        before: the one before it, completed likewise; None if that could not be read.
        first: the number of the first work order, for those that are named to get the numbers of their
            places; None where they keep theirs.
    """
    if not isinstance(answer, dict) or not isinstance(before, dict):
        return answer
    made: JsonObject = {
        name: value for name, value in before.items() if name in _SINGLE and answer.get(name) is None
    }
    for name in _LISTS:
        elements, known = answer.get(name), before.get(name)
        if not isinstance(known, list):
            continue
        if elements is None:
            made[name] = known
        elif isinstance(elements, list):
            by_id = {each: element for element in known if (each := _id_of(element)) is not None}
            alone = list(_one_by_one(elements, tuple(by_id)))
            is_order = name == "work_orders"
            whole = [_whole(element, by_id, may_change=is_order) for element in alone]
            is_numbered = is_order and first is not None
            made[name] = list(_numbered(whole, (), first)) if is_numbered else [each for each, _ in whole]
    return {**answer, **made}


def _id_of(element: JsonValue) -> str | None:
    """The id of an element of an answer, or what it names; None without one."""
    name = element.get("id", element.get(SAME_AS)) if isinstance(element, dict) else None
    return name if isinstance(name, str) else None


def is_bare(element: JsonValue) -> TypeGuard[JsonObject]:
    """Whether an element of an answer is a reference to what stays as it is, without a change of it."""
    return (
        isinstance(element, dict)
        and SAME_AS in element
        and all(value is None for field, value in element.items() if field != SAME_AS)
    )


def references(document: JsonObject) -> Iterator[tuple[str, JsonObject]]:
    """The references of a document that stand for nothing, with their places."""
    for name in _LISTS:
        elements = document.get(name)
        for index, element in enumerate(elements if isinstance(elements, list) else ()):
            if isinstance(element, dict) and SAME_AS in element:
                yield f"/{name}/{index}", element


def named(name: str, ids: Sequence[str]) -> tuple[str, ...]:
    """The ids that a name stands for, itself if it is no `ID to ID` of these ids.

    Args:
        name: what was written.
        ids: those of the present plan, in order.
    """
    first, between, last = name.partition(TO)
    if not between or first not in ids or last not in ids:
        return (name,)
    # From a later to an earlier one: nothing that there is.
    return tuple(ids[ids.index(first) : ids.index(last) + 1]) or (name,)


def _one_by_one(elements: Iterable[JsonValue], ids: Sequence[str]) -> Iterator[JsonValue]:
    """Elements of an answer, a reference to several as one to each.

    Each element stands for one at most, so what names more than there is stays as it is: a small answer could
    become a very large one.
    """
    left = len(ids)
    for element in elements:
        name = element[SAME_AS] if is_bare(element) else None
        each = named(name, ids) if isinstance(name, str) else ()
        if not each or 1 < len(each) > left:
            yield element
            continue
        left -= len(each) if each[0] in ids else 0
        for one in each:
            yield {SAME_AS: one}


def _whole(element: JsonValue, known: dict[str, JsonValue], *, may_change: bool) -> tuple[JsonValue, bool]:
    """What a reference stands for, each at most once, and other elements as they are; whether it was one."""
    if not isinstance(element, dict) or SAME_AS not in element:
        return element, False
    # A field that is null stays, too: models whose answers are held to a schema write all of them.
    changed = {field: value for field, value in element.items() if field != SAME_AS and value is not None}
    if changed and (not may_change or "id" in changed):
        return element, False
    name = element[SAME_AS]
    whole = known.pop(name, None) if isinstance(name, str) else None
    if not isinstance(whole, dict):
        return element, False
    # Conditions are those of the files, and computed for others.
    stale = _CONDITIONS if "allowed_files" in changed else frozenset()
    return {**{field: value for field, value in whole.items() if field not in stale}, **changed}, True


def _numbered(
    elements: Iterable[tuple[JsonValue, bool]], landed: Collection[str], due: int | None = None
) -> Iterator[JsonValue]:
    """Work orders, those that references stood for with the numbers that they have here, from `due` on."""
    due = 1 if due is None else due
    for element, is_named in elements:
        name = _id_of(element)
        number = number_of(name) if name is not None else None
        if is_named and isinstance(element, dict) and name not in landed:
            number = number if landed and number is not None and number >= due else due
            yield {**element, "id": work_order_id(number)}
        else:
            yield element
        due = (due if number is None else number) + 1


def _by_id(elements: JsonValue) -> dict[str, JsonValue]:
    assert isinstance(elements, list)
    by_id: dict[str, JsonValue] = {}
    for element in elements:
        assert isinstance(element, dict)
        by_id[str(element["id"])] = element
    return by_id

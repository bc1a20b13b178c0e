"""What a model that revises a plan is shown of it: whole what a reason touches, of the rest a line.

So a prompt grows with what is touched, and not with the plan. What the model has to know more of it may ask
for once, see `asked_for`. Pure.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from factory.contract.reply import json_text
from factory.contract.strict_json import BadJson, JsonObject, JsonValue, read_json
from factory.contract.work_order import GIVEN_FIELDS, Plan
from planner.revision.amendment import Amendment, content
from planner.revision.references import SHOW, TO, as_answered, named

_OF_LANDED: Final = (
    "id",
    "title",
    "requirements",
    "intent",
    "allowed_files",
    "acceptance_commands",
    "provides",
)
_OF_OTHERS: Final = ("id", "title", "requirements", "allowed_files", "provides")
_NOT_ANSWERED: Final = GIVEN_FIELDS | {"preconditions", "postconditions"}
_MAX_ASKED: Final = 40

GIVEN: Final = "given_files"
"""Names, in a plan that is shown, the files of a work order that nobody is asked for."""


def asked_for(answer: str) -> tuple[str, ...]:
    """The ids of what an answer asks to see, as it gives them; none of a plan, or of what is no answer.

    Args:
        answer: the text of the answer.
    """
    try:
        document = read_json(json_text(answer), "the answer")
    except BadJson:
        return ()
    names = document.get(SHOW) if isinstance(document, dict) else None
    asked = [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
    return tuple(dict.fromkeys(asked))[:_MAX_ASKED]


def whole_text(plan: Plan) -> str:
    """All of a plan that somebody decided, an element a line.

    Args:
        plan: the plan. Of a work order that nobody is asked for, because its files are given, the names are
            shown.
    """
    document = as_answered(plan)
    orders: list[JsonValue] = []
    for order, raw in zip(plan.work_orders, _elements(document, "work_orders"), strict=True):
        given: JsonObject = {GIVEN: [str(file.path) for file in order.fixed_files]}
        orders.append(_chosen(raw, _OF_OTHERS) | given if order.fixed_files else _order(raw, ()))
    return _element_by_element({**document, "work_orders": orders})


def plan_text(amendment: Amendment, mentioned: str | None) -> str:
    """The present plan, an element a line.

    Args:
        amendment: what the answer will be held against.
        mentioned: what a user says about the plan; None if nobody says anything. Then what has not landed is
            shown whole, as are the work orders that it names.
    """
    touched = amendment.impact.dirty_requirements if amendment.impact is not None else ()
    return _text_in_part(
        amendment.before, whole_orders(amendment, mentioned), requirements=touched, landed=amendment.landed
    )


def changed_text(plan: Plan, changed: Collection[str]) -> str:
    """A revised plan for whoever looks at the revision, an element a line.

    Args:
        plan: the plan.
        changed: the ids of the work orders that are shown whole, see `changed_orders`.
    """
    return _text_in_part(plan, changed)


def changed_orders(amendment: Amendment, plan: Plan) -> frozenset[str]:
    """The ids of the work orders of a revised plan that say something else than any did before.

    Args:
        amendment: what the plan was held against.
        plan: the plan.
    """
    return frozenset(order.id for order in plan.work_orders if content(order) not in amendment.contents)


def whole_orders(amendment: Amendment, mentioned: str | None) -> frozenset[str]:
    """The ids of the work orders that are shown whole.

    Args:
        amendment: see `plan_text`.
        mentioned: see `plan_text`.
    """
    ids = [order.id for order in amendment.before.work_orders]
    whole: set[str] = set()
    if amendment.impact is not None:
        whole.update(amendment.impact.dirty_orders, amendment.impact.affected_orders)
    if amendment.failing in ids:
        whole.update(ids[ids.index(amendment.failing) :])
    if mentioned is not None:
        whole.update(name for name in ids if name not in amendment.landed or name in mentioned)
    return frozenset(whole)


def elements_text(amendment: Amendment, names: Sequence[str]) -> str:
    """What a model asked to see: work orders and requirements of the present plan, whole, a line each.

    Args:
        amendment: see `plan_text`.
        names: their ids; one that stands for nothing is said to.
    """
    document = as_answered(amendment.before)
    known = {str(item["id"]): item for item in _elements(document, "requirements")}
    orders = {str(item["id"]): _order(item, ()) for item in _elements(document, "work_orders")}
    known.update(orders)
    lists = (tuple(name for name in known if name not in orders), tuple(orders))
    return "\n".join(
        json.dumps(known.get(each, {"id": each, "is": "not in the present plan"}), ensure_ascii=False)
        for name in names
        for each in dict.fromkeys(each for ids in lists for each in named(name, ids) if each in known)
        or (name,)
    )


def _text_in_part(
    plan: Plan, whole: Collection[str], *, requirements: Iterable[str] = (), landed: Collection[str] = ()
) -> str:
    """A plan of which these work orders are shown whole, with their requirements and some others."""
    document = as_answered(plan)
    orders, required = _elements(document, "work_orders"), _elements(document, "requirements")
    ids = [str(item["id"]) for item in required]
    taken = {name for order in orders if order["id"] in whole for name in _texts(order, "requirements")}
    return _element_by_element(
        {
            **document,
            "requirements": list(_chosen_requirements(required, {*taken, *requirements})),
            "work_orders": [
                _order(order, landed) if order["id"] in whole else _line(order, ids) for order in orders
            ],
        }
    )


def _element_by_element(document: JsonObject) -> str:
    """A plan as JSON, each requirement and each work order on a line of its own, at the end."""
    lists = ("requirements", "work_orders")
    rest = {name: value for name, value in document.items() if name not in lists}
    parts = [f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in rest.items()]
    for name in lists:
        elements = _elements(document, name)
        lines = ",\n".join(json.dumps(element, ensure_ascii=False) for element in elements)
        parts.append(f"{json.dumps(name)}: [\n{lines}\n]" if elements else f"{json.dumps(name)}: []")
    return "{" + ",\n".join(parts) + "}"


def _order(order: JsonObject, landed: Collection[str]) -> JsonObject:
    if order["id"] in landed:
        return _chosen(order, _OF_LANDED)
    return _chosen(order, [name for name in order if name not in _NOT_ANSWERED])


def _line(order: JsonObject, ids: Sequence[str]) -> JsonObject:
    """A work order that is not touched; requirements that follow each other by the first and the last."""
    places = sorted(ids.index(name) for name in _texts(order, "requirements") if name in ids)
    runs: list[JsonValue] = []
    for _, run in groupby(enumerate(places), lambda item: item[1] - item[0]):
        first, *others = [ids[place] for _, place in run]
        runs.append(f"{first}{TO}{others[-1]}" if others else first)
    return _chosen({**order, "requirements": runs}, _OF_OTHERS)


def _chosen(order: JsonObject, names: Collection[str]) -> JsonObject:
    return {name: order[name] for name in names if order.get(name)}


def _chosen_requirements(requirements: Iterable[JsonObject], whole: Collection[str]) -> Iterator[JsonObject]:
    """Those that are shown whole, and in the place of each run of others which these are."""
    for is_whole, run in groupby(requirements, lambda item: item["id"] in whole):
        items = list(run)
        if is_whole:
            yield from items
        elif len(items) == 1:
            yield {"id": items[0]["id"]}
        else:
            yield {"id": f"{items[0]['id']}{TO}{items[-1]['id']}"}


def _elements(document: JsonObject, name: str) -> list[JsonObject]:
    return list(_objects(document[name]))


def _objects(values: JsonValue) -> Iterator[JsonObject]:
    assert isinstance(values, list)
    for value in values:
        assert isinstance(value, dict)
        yield value


def _texts(order: JsonObject, name: str) -> list[str]:
    values = order[name]
    assert isinstance(values, list)
    return [str(value) for value in values]

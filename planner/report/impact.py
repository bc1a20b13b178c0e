"""The impact of a changed specification as text or JSON. What comes from a model or a user is escaped."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final, assert_never

from factory.contract.strict_json import JsonObject, JsonValue
from factory.contract.work_order import Plan
from factory.plans.diagnostics.diagnostic import quote
from factory.plans.diagnostics.render import counted
from factory.specification.quotations import Passage
from planner.revision.impact import Impact
from planner.revision.reach import Affected

_SHOWN_CHARS: Final = 200
_SHOWN_FILES: Final = 5


class ImpactFormat(StrEnum):
    """How an impact is written."""

    TEXT = "text"
    JSON = "json"


def write_impact(
    impact: Impact, plan: Plan, landed: Collection[str] | None, impact_format: ImpactFormat
) -> str:
    """The impact without a final line break.

    Args:
        found: the impact.
        plan: the plan that it is about.
        landed: the ids of the work orders that have landed; None if nobody looked.
        impact_format: how it is written.
    """
    match impact_format:
        case ImpactFormat.TEXT:
            return "\n".join(_text(impact, plan, landed))
        case ImpactFormat.JSON:
            return json.dumps(_json(impact, plan, landed), indent=2)
        case _ as never:
            assert_never(never)


def counts(impact: Impact) -> str:
    """How much is touched, in one line."""
    return (
        f"{len(impact.dirty_requirements)} of {counted(len(impact.requirements), 'requirement')} dirty,"
        f" {counted(len(impact.new_lines), 'new line')},"
        f" {counted(len(impact.dirty_orders), 'work order')} dirty,"
        f" {len(impact.affected_orders)} more that may be affected"
    )


def _text(impact: Impact, plan: Plan, landed: Collection[str] | None) -> Iterator[str]:
    for requirement in impact.requirements:
        if requirement.is_dirty:
            takers = ", ".join(requirement.work_orders) or "nobody"
            yield f"{requirement.id}  dirty, taken by {takers}"
            for text in requirement.vanished:
                yield f"  vanished  {_quote(text)}"
                if text in requirement.respelt:
                    place = _place(requirement.respelt[text])
                    yield f"    only letter case or punctuation differs in {place}"
                elif text in impact.nearest:
                    yield f"    nearest is {_place(impact.nearest[text])}"
            yield from (f"  silenced  {_quote(text)}" for text in requirement.silenced)
            yield from (f"  kept      {_quote(text)}" for text in requirement.kept)
            yield from (f"  now says  {_place(passage)}" for passage in requirement.outgrown)
    yield from (f"new line  {_place(passage)}" for passage in impact.new_lines)
    states = _states(impact)
    reasons = {affected.id: affected for affected in impact.affected}
    for order in plan.work_orders:
        if order.id in states:
            state = f"{states[order.id]}{_landed(order.id, landed)}"
            yield f"{order.id}  {state}  {_quote(order.title)}"
        if order.id in reasons:
            yield from _why(reasons[order.id])
    if impact.is_empty:
        yield "nothing is touched"


def _why(affected: Affected) -> Iterator[str]:
    if affected.depends_on:
        yield f"  depends on {', '.join(affected.depends_on)}"
    for shared in affected.shares[:_SHOWN_FILES]:
        yield f"  writes {quote(shared.file, _SHOWN_CHARS)}, as {_doing(shared.work_orders)}"
    if len(affected.shares) > _SHOWN_FILES:
        yield f"  and {counted(len(affected.shares) - _SHOWN_FILES, 'more file')} like that"


def _doing(names: tuple[str, ...]) -> str:
    return f"{', '.join(names)} {'does' if len(names) == 1 else 'do'}"


def _place(passage: Passage) -> str:
    return f"line {passage.first}: {_quote(passage.text)}"


def _quote(text: str) -> str:
    """Text in backticks, or in quotation marks where it has some of its own."""
    shown = quote(text, _SHOWN_CHARS)
    return f'"{shown[1:-1]}"' if "`" in text else shown


def _states(impact: Impact) -> Mapping[str, str]:
    return {
        **dict.fromkeys(impact.dirty_orders, "dirty"),
        **dict.fromkeys(impact.affected_orders, "may be affected"),
    }


def _landed(name: str, landed: Collection[str] | None) -> str:
    if landed is None:
        return ""
    return ", landed" if name in landed else ", not landed"


def _json(impact: Impact, plan: Plan, landed: Collection[str] | None) -> JsonObject:
    states = _states(impact)
    reasons = {affected.id: affected for affected in impact.affected}
    requirements: list[JsonValue] = [
        {
            "id": requirement.id,
            "dirty": requirement.is_dirty,
            "kept": list(requirement.kept),
            "silenced": list(requirement.silenced),
            "vanished": list(requirement.vanished),
            "respelt": [{"quote": text, **_passage(place)} for text, place in requirement.respelt.items()],
            "nearest": [
                {"quote": text, **_passage(impact.nearest[text])}
                for text in requirement.vanished
                if text in impact.nearest
            ],
            "outgrown": [_passage(passage) for passage in requirement.outgrown],
            "work_orders": list(requirement.work_orders),
        }
        for requirement in impact.requirements
    ]
    orders: list[JsonValue] = [
        {
            "id": order.id,
            "title": order.title,
            "state": states.get(order.id, "unaffected"),
            "landed": None if landed is None else order.id in landed,
            "because": _because(
                [name for name in order.requirements if name in impact.dirty_requirements],
                reasons.get(order.id),
            ),
        }
        for order in plan.work_orders
    ]
    new_lines: list[JsonValue] = [_passage(passage) for passage in impact.new_lines]
    return {"requirements": requirements, "new_lines": new_lines, "work_orders": orders}


def _because(dirty: Sequence[str], reason: Affected | None) -> JsonObject:
    needed, shares = ((), ()) if reason is None else (reason.depends_on, reason.shares)
    return {
        "requirements": list(dirty),
        "depends_on": list(needed),
        "shares": [{"file": shared.file, "work_orders": list(shared.work_orders)} for shared in shares],
    }


def _passage(passage: Passage) -> JsonObject:
    return {"first": passage.first, "last": passage.last, "text": passage.text}

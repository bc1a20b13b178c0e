"""Which lines of a long specification a model that revises a plan, or reads a revision, is shown.

Shown are, as whole pieces under their headings, what the impact names, what the requirements of the work
orders quote that are shown whole, and what these passages name and is defined elsewhere. The model may ask
for more once, by its lines. Pure.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from factory.contract.work_order import Plan, Requirement
from factory.specification.passages import Specification
from factory.specification.quotations import Passage
from planner.revision.impact import Impact
from planner.specification.spec import Spec

WHOLE_BYTES: Final = 12_000
"""Up to this size a specification is shown whole: what could be left out is not worth a second question."""

_LINES: Final = re.compile(r"L([0-9]{1,6})(?:\s*(?:-|to)\s*L?([0-9]{1,6}))?")


def shown_lines(spec: Spec, plan: Plan, impact: Impact | None, whole: Iterable[str]) -> frozenset[int] | None:
    """The numbers of the lines that are shown; None for all of them.

    Args:
        spec: the specification, as it is now.
        plan: the plan whose work orders are shown.
        impact: what the specification touches; None if there is none to compare.
        whole: the ids of the work orders that are shown whole.
    """
    if len(spec.text.encode("utf-8", "surrogatepass")) <= WHOLE_BYTES:
        return None
    ids = set(whole)
    taken = {name for order in plan.work_orders if order.id in ids for name in order.requirements}
    taken.update(impact.dirty_requirements if impact is not None else ())
    quotes = _quotes(requirement for requirement in plan.requirements if requirement.id in taken)
    text = Specification(spec.text)
    lines = set(text.lines_of(quotes))
    if impact is not None:
        # What is said now in the place of what a requirement quotes, or beside it.
        touched = [*impact.new_lines, *impact.nearest.values()]
        touched += [passage for item in impact.requirements for passage in item.outgrown]
        touched += [passage for item in impact.requirements for passage in item.respelt.values()]
        lines |= text.lines_around(_lines(spec, touched))
    return frozenset(lines)


def lines_asked_for(name: str, spec: str) -> str | None:
    """The lines that a model asks for as `L12-L40`, numbered as it saw the others; None if it asks for none.

    Args:
        name: what it asks for.
        spec: the specification's text.
    """
    match = _LINES.fullmatch(name.strip())
    if match is None:
        return None
    first = int(match[1])
    lines = Specification(spec).outline.lines[first - 1 : int(match[2] or first)] if first else ()
    return "\n".join(f"L{number}| {line}" for number, line in enumerate(lines, start=first))


def _quotes(requirements: Iterable[Requirement]) -> dict[str, Sequence[str]]:
    return {requirement.id: requirement.quotes for requirement in requirements}


def _lines(spec: Spec, passages: Iterable[Passage]) -> frozenset[int]:
    words = spec.lines.words.all
    return frozenset(words[index].line for passage in passages for index in passage.words)

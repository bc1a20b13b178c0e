"""The matrix from a specification's lines to the commits that fulfil them. `report.trace` has its forms."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from factory.contract.work_order import Plan, Requirement
from factory.specification.quotations import Passage
from planner.repository.landed import Landing
from planner.specification.lines import is_covered
from planner.specification.spec import Spec


@dataclass(frozen=True)
class TracedLine:
    """A passage of the specification: one that asks for something, or one that a requirement quotes.

    Attributes:
        passage: its lines and words.
        normative: whether it asks for something.
        covered: whether requirements quote at least half of it.
        requirements: the ids of the requirements that quote any of it, in the plan's order.
    """

    passage: Passage
    normative: bool
    covered: bool
    requirements: tuple[str, ...]


@dataclass(frozen=True)
class TracedRequirement:
    """A requirement.

    Attributes:
        id: its id.
        text: what is asked for.
        lines: the numbers of the lines that it quotes, in order, counted from 1.
        misquoted: its quotes that are not in the specification.
        work_orders: the ids of the work orders that take it, in order.
        withdrawn: whether the specification asks for it no more; then it quotes an earlier one, and stands
            for none of these lines.
    """

    id: str
    text: str
    lines: tuple[int, ...]
    misquoted: tuple[str, ...]
    work_orders: tuple[str, ...]
    withdrawn: bool


@dataclass(frozen=True)
class TracedOrder:
    """A work order.

    Attributes:
        id: its id.
        title: what it achieves.
        requirements: the ids that it takes.
        acceptance_commands: what proves it.
        landing: the commit that landed it; None if none has, or no repository was looked at.
        skipped: why a person leaves it out; empty if nobody does.
    """

    id: str
    title: str
    requirements: tuple[str, ...]
    acceptance_commands: tuple[str, ...]
    landing: Landing | None
    skipped: str = ""


@dataclass(frozen=True)
class Trace:
    """The matrix.

    Attributes:
        lines: the passages, in the order of the specification.
        requirements: the requirements, in the order of the plan.
        work_orders: the work orders, in order.
        with_commits: whether a repository was looked at.
    """

    lines: tuple[TracedLine, ...]
    requirements: tuple[TracedRequirement, ...]
    work_orders: tuple[TracedOrder, ...]
    with_commits: bool

    @property
    def uncovered(self) -> tuple[TracedLine, ...]:
        """The normative passages that no requirement quotes."""
        return tuple(line for line in self.lines if line.normative and not line.covered)


def trace(
    plan: Plan,
    spec: Spec,
    landings: Mapping[str, Landing] | None = None,
    skipped: Mapping[str, str] = MappingProxyType({}),
) -> Trace:
    """Follow each line of a specification through a plan.

    Args:
        plan: the plan.
        spec: the specification that it is for.
        landings: the commit that landed each work order, by the work order's id; None if nobody looked.
        skipped: why a person leaves work orders out, by their ids.
    """
    present = [requirement for requirement in plan.requirements if not requirement.withdrawn]
    owners: dict[int, dict[str, None]] = {}
    for requirement in present:
        for index in spec.lines.covered(requirement.quotes):
            owners.setdefault(index, {})[requirement.id] = None
    requirements = tuple(_requirement(plan, planned, spec) for planned in plan.requirements)
    orders = tuple(
        TracedOrder(
            id=order.id,
            title=order.title,
            requirements=order.requirements,
            acceptance_commands=order.acceptance_commands,
            landing=landings.get(order.id) if landings is not None else None,
            skipped=skipped.get(order.id, ""),
        )
        for order in plan.work_orders
    )
    return Trace(_lines(present, spec, owners), requirements, orders, landings is not None)


def _requirement(plan: Plan, requirement: Requirement, spec: Spec) -> TracedRequirement:
    quotes = () if requirement.withdrawn else requirement.quotes
    return TracedRequirement(
        id=requirement.id,
        text=requirement.text,
        lines=tuple(sorted({line for text in quotes for line in spec.lines.lines(text)})),
        misquoted=tuple(text for text in quotes if not spec.lines.places(text)),
        work_orders=tuple(order.id for order in plan.work_orders if requirement.id in order.requirements),
        withdrawn=requirement.withdrawn,
    )


def _lines(
    requirements: Sequence[Requirement], spec: Spec, owners: Mapping[int, Mapping[str, None]]
) -> tuple[TracedLine, ...]:
    position = {requirement.id: index for index, requirement in enumerate(requirements)}
    quoted = frozenset(owners)

    def traced(passage: Passage, normative: bool) -> TracedLine:
        ids = {name for index in passage.words for name in owners.get(index, ())}
        ordered = tuple(sorted(ids, key=position.__getitem__))
        return TracedLine(passage, normative, is_covered(passage, quoted), ordered)

    lines = {passage.words: traced(passage, True) for passage in spec.lines.normative}
    asked = {index for words in lines for index in words}
    for requirement in requirements:
        for text in requirement.quotes:
            for place in spec.lines.places(text):
                # What is quoted and asks for nothing, a row of a table for example, is a line of its own.
                if asked.isdisjoint(place.words):
                    lines.setdefault(place.words, traced(place, False))
    return tuple(sorted(lines.values(), key=lambda line: line.passage.words))

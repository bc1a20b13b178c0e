"""What a changed specification means for a plan: its requirements, its work orders, and who depends on them.

Pure and without a model. Its forms are in `report.impact`; what a revision may do about it is for the rules.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Final

from factory.contract.work_order import Plan, Requirement
from factory.specification.quotations import Passage
from planner.revision.reach import Affected, affected
from planner.specification.lines import is_covered
from planner.specification.spec import Spec

MAX_SOUGHT: Final = 50
"""For how many quotes that vanished the specification is searched for what is like them."""

_LABEL: Final = re.compile(
    r"[*_(\[]*(?:[0-9]+(?:\.[0-9]+)*|[A-Za-z]|[ivx]+|[A-Z][A-Z0-9]{0,15}-?[0-9]{1,9}(?:\.[0-9]+)*)[*_.:)\]]+"
    r"|[0-9]+(?:\.[0-9]+)+"
)
"""What numbers a passage, as its first word: `1.2.3`, `(b)`, `REQ-04:`."""


@dataclass(frozen=True)
class RequirementImpact:
    """What became of one requirement.

    Attributes:
        id: its id.
        kept: its quotes that are still in the specification.
        silenced: those that are, too, but where nothing is asked for now, such as among what is out of scope,
            or under another id.
        vanished: its quotes that are not.
        respelt: where some of those are still there but for letter case and punctuation, by the quote.
        outgrown: passages of the changed specification that say more than what it quotes of them.
        work_orders: the ids of the work orders that take it, in order.
    """

    id: str
    kept: tuple[str, ...]
    silenced: tuple[str, ...]
    vanished: tuple[str, ...]
    respelt: Mapping[str, Passage]
    outgrown: tuple[Passage, ...]
    work_orders: tuple[str, ...]

    @property
    def is_dirty(self) -> bool:
        """Whether the specification no longer asks for what the requirement quotes, or asks for more."""
        return bool(self.vanished or self.silenced or self.outgrown)


@dataclass(frozen=True)
class Impact:
    """What a changed specification touches.

    Attributes:
        requirements: the requirements that the plan still has, in order; withdrawn ones are left out.
        new_lines: what is asked for and no requirement quotes, or under an id that the plan does not have.
        dirty_orders: the ids of the work orders that take a dirty requirement, in order.
        affected: others that depend on one of these or write the same file, at any distance, in order.
        unaffected_orders: the ids of the rest.
        nearest: for quotes that vanished, at most `MAX_SOUGHT`, the sentence of the changed specification
            that is most like them, if one is and no requirement quotes it.
    """

    requirements: tuple[RequirementImpact, ...]
    new_lines: tuple[Passage, ...]
    dirty_orders: tuple[str, ...]
    affected: tuple[Affected, ...]
    unaffected_orders: tuple[str, ...]
    nearest: Mapping[str, Passage]

    @cached_property
    def affected_orders(self) -> tuple[str, ...]:
        """The ids of those that may be affected."""
        return tuple(affected.id for affected in self.affected)

    @cached_property
    def dirty_requirements(self) -> tuple[str, ...]:
        """The ids of the requirements that are dirty."""
        return tuple(requirement.id for requirement in self.requirements if requirement.is_dirty)

    @property
    def is_empty(self) -> bool:
        """Whether the specification asks for nothing else than before."""
        return not self.dirty_requirements and not self.new_lines


def impact(
    plan: Plan,
    dependencies: tuple[tuple[str, ...], ...],
    spec: Spec,
    old_spec: Spec | None = None,
    writes: Sequence[Collection[str]] | None = None,
) -> Impact:
    """Compare a plan with a changed specification.

    Args:
        plan: the plan.
        dependencies: for each of its work orders the ids of those it directly depends on.
        spec: the changed specification.
        old_spec: the one that the plan was made for. With it, lines that no requirement has ever quoted are
            not new, and a line that grew around a quote, or that asks for nothing any more, is noticed.
        writes: for each of its work orders the files that it writes; None if nobody looked, and then
            dependencies alone count.
    """
    present = tuple(requirement for requirement in plan.requirements if not requirement.withdrawn)
    known = frozenset() if old_spec is None else frozenset(_folded(old_spec, old_spec.demands))
    changed = _unknown(spec, known) if old_spec is not None else ()
    quotes = [text for item in present for text in item.quotes]
    quoted, held = spec.lines.covered(quotes), spec.lines.held(quotes)
    unquoted = tuple(passage for passage in changed if not held.issuperset(passage.words))
    requirements = tuple(_requirement(plan, item, spec, old_spec, unquoted) for item in present)
    fresh = changed if old_spec is not None else spec.lines.normative
    new_lines = {passage for passage in fresh if not is_covered(passage, quoted)}
    names = {item.id for item in present}
    new_lines.update(passage for name, passage in spec.passages.items() if name not in names)
    dirty_names = {item.id for item in requirements if item.is_dirty}
    dirty = {order.id for order in plan.work_orders if dirty_names.intersection(order.requirements)}
    ids = [order.id for order in plan.work_orders]
    others = affected(ids, dependencies, [()] * len(ids) if writes is None else writes, dirty)
    reached = dirty.union(item.id for item in others)
    return Impact(
        requirements=requirements,
        new_lines=tuple(sorted(new_lines, key=lambda passage: passage.words)),
        dirty_orders=tuple(name for name in ids if name in dirty),
        affected=others,
        unaffected_orders=tuple(name for name in ids if name not in reached),
        nearest=_nearest(spec, requirements, quoted),
    )


def _requirement(
    plan: Plan, requirement: Requirement, spec: Spec, old_spec: Spec | None, unquoted: Iterable[Passage]
) -> RequirementImpact:
    """What became of a requirement, given the changed passages of which no requirements quote all."""
    given = spec.passages.get(requirement.id)
    is_given_up = bool(spec.given) and given is None
    if given is not None:
        # What a specification says under an id belongs to that requirement alone.
        outgrown = [] if spec.lines.held(requirement.quotes).issuperset(given.words) else [given]
    elif is_given_up:
        outgrown = []
    else:
        quoted = spec.lines.covered(requirement.quotes)
        outgrown = [passage for passage in unquoted if not quoted.isdisjoint(passage.words)]
    vanished = tuple(text for text in requirement.quotes if not spec.lines.places(text))
    there = tuple(text for text in requirement.quotes if spec.lines.places(text))
    silenced = tuple(text for text in there if is_given_up or _is_silenced(text, spec, old_spec))
    return RequirementImpact(
        id=requirement.id,
        kept=tuple(text for text in there if text not in silenced),
        silenced=silenced,
        vanished=vanished,
        respelt={text: place for text in vanished if (place := spec.lines.respelt(text)) is not None},
        outgrown=tuple(outgrown),
        work_orders=tuple(order.id for order in plan.work_orders if requirement.id in order.requirements),
    )


def _nearest(
    spec: Spec, requirements: Iterable[RequirementImpact], quoted: Collection[int]
) -> Mapping[str, Passage]:
    vanished = (
        text
        for requirement in requirements
        for text in requirement.vanished
        if text not in requirement.respelt
    )
    sought = ((text, spec.lines.nearest(text)) for text in islice(vanished, MAX_SOUGHT))
    return {
        text: spec.lines.words.sentence(passage)
        for text, passage in sought
        # What is quoted is what another requirement says.
        if passage is not None and not all(word in quoted for word in passage.words)
    }


def _is_silenced(text: str, spec: Spec, old_spec: Spec | None) -> bool:
    return old_spec is not None and old_spec.lines.asks_for(text) and not spec.lines.asks_for(text)


def _unknown(spec: Spec, known: frozenset[str]) -> tuple[Passage, ...]:
    """What is asked for in words that are not known."""
    return tuple(
        passage
        for passage, words in zip(spec.demands, _folded(spec, spec.demands), strict=True)
        if words not in known
    )


def _folded(spec: Spec, passages: Iterable[Passage]) -> Iterable[str]:
    """What passages say, without the numbers before them: another one in front changes those of the rest."""
    words = spec.lines.words.all
    for passage in passages:
        said = [words[index].folded for index in passage.words]
        yield " ".join(said[1:] if len(said) > 1 and _LABEL.fullmatch(said[0]) else said)

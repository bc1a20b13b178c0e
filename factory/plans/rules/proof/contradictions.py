"""Commands that demand different values of one expression, outright or by what they demand of every value.

Judging them is for E405 and W405.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from factory.plans.commands.code.claims import Claim, claims, part_of
from factory.plans.commands.code.properties import Property, derived, properties
from factory.plans.commands.code.uses import Use, outright
from factory.plans.commands.needs import is_test_file
from factory.plans.rules.rule import Subject
from factory.plans.states.product import Product
from factory.plans.states.writers import Writers

_FILE: Final = re.compile(
    r"[\w./~-]*(?:/[\w.-]+|\w\.[A-Za-z]\w{0,4})"
    r"|AUTHORS|CHANGES|COPYING|HISTORY|LICEN[CS]E|NEWS|NOTICE|README|TODO|VERSION"
)
"""A text that may be the name of a file."""


_MOST_PAIRS: Final = 1_000
"""More demands than that are not held against equations for one command."""


@dataclass(frozen=True)
class Contradiction:
    """Two values of one expression.

    Attributes:
        pointer: the later command.
        index: its work order.
        earlier_index: the work order of the earlier command.
        expression: what both compute.
        value: what the later one demands.
        earlier: what the earlier one does.
        reason: what one of the values follows from, if no command spells it out; else empty.
    """

    pointer: str
    index: int
    earlier_index: int
    expression: str
    value: str
    earlier: str
    reason: str = ""


@dataclass(frozen=True)
class _Demand:
    """A value that a command demands, or that follows from what it demands of every value."""

    index: int
    claim: Claim
    reason: str = ""


def contradictions(subject: Subject) -> Iterator[Contradiction]:
    """The demands that can't hold beside an earlier one, each with the first such."""
    product, writers = subject.product, subject.writers
    if product is None or writers is None:
        return
    demands: dict[str, list[_Demand]] = {}
    parts: dict[str, list[_Demand]] = {}
    known: list[_Demand] = []
    held: list[tuple[int, Property]] = []
    for index, command, reading in subject.acceptance_commands:
        program = outright(reading)
        tree = program.code.tree if program is not None and program.code is not None else None
        if tree is None:
            continue
        fresh = [_Demand(index, claim) for claim in _written_out(tree, product, index)]
        equations = [(index, equation) for equation in properties(tree)]
        held += equations
        # What is new on one of the two sides; the rest was paired before.
        pairs = [(demand, pair) for demand in fresh for pair in held]
        pairs += [(demand, pair) for demand in known for pair in equations]
        following = [
            _Demand(index, claim, f"`{equation.text}` with {demand.claim.expression} as {demand.claim.value}")
            for demand, (since, equation) in pairs[:_MOST_PAIRS]
            for claim in derived(demand.claim, equation)
            if _is_held(
                subject, writers, _sources(claim, index, product, writers), min(since, demand.index), index
            )
        ]
        known += fresh
        is_told = False
        for demand in (*fresh, *following):
            sources = _sources(demand.claim, index, product, writers)
            if not sources:
                continue
            earlier = demands.setdefault(demand.claim.expression, [])
            for before in earlier:
                other = before.claim.value
                if other != demand.claim.value and _is_held(subject, writers, sources, before.index, index):
                    # Two that follow from the same are one mistake.
                    if is_told and demand.reason:
                        break
                    is_told = True
                    yield Contradiction(
                        command.pointer,
                        index,
                        before.index,
                        demand.claim.expression,
                        demand.claim.value,
                        other,
                        demand.reason or before.reason,
                    )
                    break
            earlier.append(demand)
            for parted in _parted(demand, command.pointer, demands, parts):
                if _is_held(subject, writers, sources, parted.earlier_index, index):
                    yield parted
                    break


def _written_out(tree: ast.Module, product: Product, index: int) -> Iterator[Claim]:
    """The demands of code, each name at the address where it is defined."""
    for claim in claims(tree):
        yield replace(claim, expression=product.written_out(claim.expression, claim.modules, index))


def _parted(
    demand: _Demand,
    pointer: str,
    demands: Mapping[str, Sequence[_Demand]],
    parts: dict[str, list[_Demand]],
) -> list[Contradiction]:
    """What can't hold beside a new demand: earlier ones of what it is a part of, or of its parts.

    Args:
        demand: the new one.
        pointer: the command that it is from.
        demands: the earlier ones, by expression.
        parts: those of parts, by the expression of the whole; the new one is added.
    """
    pairs = [(whole, demand, steps) for text, steps in demand.claim.wholes for whole in demands.get(text, ())]
    pairs += [
        (demand, part, steps)
        for part in parts.get(demand.claim.expression, ())
        for text, steps in part.claim.wholes
        if text == demand.claim.expression
    ]
    for text, _ in demand.claim.wholes:
        parts.setdefault(text, []).append(demand)
    found = []
    for whole, part, steps in pairs:
        said, before = part_of(whole.claim.value, steps), min(whole.index, part.index)
        if said and said != part.claim.value:
            expression, value = part.claim.expression, part.claim.value
            reason = f"`{whole.claim.expression}` as {whole.claim.value}"
            found.append(Contradiction(pointer, demand.index, before, expression, value, said, reason))
    return found


def _sources(claim: Claim, index: int, product: Product, writers: Writers) -> frozenset[str]:
    """The files of the product that give a value; empty if a file made at run time may."""
    files = {text for text in claim.files if _FILE.fullmatch(text)}
    if not files <= writers.paths:
        return frozenset()
    for module, name in claim.modules:
        files.update(product.files(product.place(Use(module, name), index)[0], index))
    return frozenset(files)


def _is_held(subject: Subject, writers: Writers, sources: frozenset[str], before: int, index: int) -> bool:
    """Whether what a work order proved still holds at a later one, or its tests at least."""
    rewriting = {writer for path in sources for writer in writers.of(path, index) if before < writer <= index}
    if not rewriting:
        return True
    orders = {placed.index: placed.order for placed in subject.orders}
    tests = {path for path in orders[before].allowed_files if is_test_file(path)}
    rewritten = {path for writer in rewriting for path in orders[writer].allowed_files}
    return bool(tests) and tests.isdisjoint(rewritten)

"""Commands that demand different values of one expression; judging them is for E405 and W405."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from factory.plans.commands.code.claims import Claim, claims
from factory.plans.commands.code.uses import Use, outright
from factory.plans.commands.needs import is_test_file
from factory.plans.rules.rule import Subject
from factory.plans.states.product import Product
from factory.plans.states.writers import Writers

_FILE: Final = re.compile(r"[\w./~-]*(?:/[\w.-]+|\w\.[A-Za-z]\w{0,4})|[A-Z]{4,}")
"""A text that may be the name of a file."""


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
    """

    pointer: str
    index: int
    earlier_index: int
    expression: str
    value: str
    earlier: str


def contradictions(subject: Subject) -> Iterator[Contradiction]:
    """The demands that can't hold beside an earlier one, each with the first such."""
    product, writers = subject.product, subject.writers
    if product is None or writers is None:
        return
    demands: dict[str, list[tuple[int, str]]] = {}
    for index, command, reading in subject.acceptance_commands:
        program = outright(reading)
        tree = program.code.tree if program is not None and program.code is not None else None
        for claim in claims(tree) if tree is not None else ():
            sources = _sources(claim, index, product, writers)
            if not sources:
                continue
            earlier = demands.setdefault(claim.expression, [])
            for before, value in earlier:
                if value != claim.value and _is_held(subject, writers, sources, before, index):
                    yield Contradiction(command.pointer, index, before, claim.expression, claim.value, value)
                    break
            earlier.append((index, claim.value))


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

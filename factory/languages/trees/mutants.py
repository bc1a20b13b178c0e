"""Mutants of a source by a table of node types: small changes, one at a time, that tests notice.

Changes are made at the positions of nodes, so that comments and layout stay as they are. Whether a mutant
compiles is not known here; it has no error of syntax that the source didn't have.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from factory.languages.edits import Edit, replacing, shown, spread
from factory.languages.port import Mutant
from factory.languages.trees.tree import Grammar, line_of, parse, text

if TYPE_CHECKING:
    from tree_sitter import Node

OPERATORS: Final = ("comparison", "boolean", "arithmetic", "constant", "statement")
"""The names of the operators, those first that tests should notice first."""

COMPARISONS: Final[Mapping[str, tuple[str, ...]]] = {
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "==": ("!=",),
    "!=": ("==",),
}
BOOLEANS: Final[Mapping[str, str]] = {"&&": "||", "||": "&&"}
ARITHMETIC: Final[Mapping[str, str]] = {
    "+": "-",
    "-": "+",
    "*": "/",
    "/": "*",
    "%": "*",
    "<<": ">>",
    ">>": "<<",
    "&": "|",
    "|": "&",
    "^": "&",
}
ASSIGNED: Final[Mapping[str, str]] = {
    **{f"{old}=": f"{new}=" for old, new in ARITHMETIC.items()},
    "++": "--",
    "--": "++",
}
"""The operators that assign."""

_DECIMAL: Final = re.compile(r"(?P<digits>0|[1-9][0-9]{0,30})(?P<suffix>[iun](?:[0-9]+|size)?)?")


@dataclass(frozen=True)
class Table:
    """What of a language's trees is changed, and how.

    Attributes:
        operations: kinds with an operator, in a field `operator` or as a sign; where it stands between two
            operands, they are the fields `left` and `right`.
        comparisons: what operators of comparison become.
        booleans: what operators between conditions become.
        arithmetic: what operators between numbers become, those that assign included.
        texts: kinds that are texts, between which another operator would only fail.
        negations: kinds that begin with `!`, which is left out.
        conditions: kinds with a condition that is turned round, and its field.
        opaque: kinds of conditions that can't be turned round.
        constants: by kind, what the text of a constant becomes; an empty text for a constant that stays.
        statements: kinds that are left out.
        nothing: what stands in the place of what is left out.
        is_untested: whether neither a node nor anything inside it is changed.
        more: further changes of a node.
    """

    operations: Collection[str]
    comparisons: Mapping[str, tuple[str, ...]]
    booleans: Mapping[str, str]
    arithmetic: Mapping[str, str]
    texts: Collection[str]
    negations: Collection[str]
    conditions: Mapping[str, str]
    opaque: Collection[str]
    constants: Mapping[str, Callable[[str], str]]
    statements: Collection[str]
    nothing: str
    is_untested: "Callable[[Node], bool]"
    more: "Callable[[Node], Iterator[Edit]]" = lambda _: iter(())


def mutants(
    grammar: Grammar, table: Table, source: str, lines: Collection[int], *, limit: int
) -> tuple[Mutant, ...]:
    """Mutants of the lines that count, by position; all differ from the source and from each other.

    Args:
        grammar: the source's.
        table: what is changed.
        source: the text.
        lines: the numbers of the lines that may be changed, from 1.
        limit: the most mutants that are made; if there are more, they are spread over the lines.

    Returns:
        Nothing for a source that can't be read.
    """
    if limit < 1 or not lines:
        return ()
    tree = parse(grammar, source.encode("utf-8"))
    if tree.root is None or tree.problem:
        return ()
    edits = [edit for edit in _edits(tree.root, table) if edit.line in lines]
    made: dict[str, Mutant] = {}
    for edit in spread(edits, OPERATORS, limit):
        data = edit.applied(tree.data)
        if data != tree.data and not parse(grammar, data).problem:
            changed = data.decode("utf-8")
            made.setdefault(changed, Mutant(edit.line, edit.operator, edit.description, changed))
    return tuple(made.values())


def next_number(written: str) -> str:
    """A whole number and one more, with the suffix of its type; empty for what is no plain decimal number."""
    number = _DECIMAL.fullmatch(written)
    return f"{int(number['digits']) + 1}{number['suffix'] or ''}" if number is not None else ""


def changed_text(written: str) -> str:
    """A text in double quotes as an empty one, and an empty one as another."""
    return '"mutated"' if written == '""' else '""'


def _edits(root: "Node", table: Table) -> Iterator[Edit]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if not table.is_untested(node):
            yield from _of(node, table)
            waiting.extend(reversed(node.children))


def _of(node: "Node", table: Table) -> Iterator[Edit]:
    kind = node.type
    if kind in table.operations:
        yield from _operation(node, table)
    if kind in table.negations and text(node.child(0)) == "!":
        sign = node.child(0)
        what = f"`{shown(text(node))}` loses its `!`"
        yield Edit(line_of(node), "boolean", what, sign.start_byte, sign.end_byte, "")
    if kind in table.conditions:
        yield from _condition(node.child_by_field_name(table.conditions[kind]), table)
    if kind in table.constants:
        written = text(node)
        new = table.constants[kind](written)
        if new:
            yield replacing(line_of(node), "constant", node.start_byte, node.end_byte, written, new)
    if kind in table.statements:
        what = f"`{shown(text(node))}` is left out"
        yield Edit(line_of(node), "statement", what, node.start_byte, node.end_byte, table.nothing)
    yield from table.more(node)


def _operation(node: "Node", table: Table) -> Iterator[Edit]:
    signs = [child for child in node.children if not child.is_named]
    sign = node.child_by_field_name("operator") or (signs[0] if signs else None)
    if sign is None:
        return
    written = text(sign)
    place = (sign.start_byte, sign.end_byte, written)
    for new in table.comparisons.get(written, ()):
        yield replacing(line_of(sign), "comparison", *place, new)
    if written in table.booleans:
        yield replacing(line_of(sign), "boolean", *place, table.booleans[written])
    sides = (node.child_by_field_name("left"), node.child_by_field_name("right"))
    is_text = any(side is not None and side.type in table.texts for side in sides)
    if written in table.arithmetic and not is_text:
        yield replacing(line_of(sign), "arithmetic", *place, table.arithmetic[written])


def _condition(test: "Node | None", table: Table) -> Iterator[Edit]:
    while test is not None and test.type == "parenthesized_expression" and test.named_child_count == 1:
        test = test.named_child(0)
    if test is None or test.type in table.opaque or test.type in table.negations:
        return
    written = text(test)
    what = f"the condition `{shown(written)}` is turned round"
    yield Edit(line_of(test), "boolean", what, test.start_byte, test.end_byte, f"!({written})")

"""What the code of a command expects of the product: expressions, each with the literal it is compared with.

The code is parsed, never run.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from factory.languages.typescript.translation.code import written_as
from factory.plans.commands.programs import read_command
from factory.plans.commands.python_code import text_of
from factory.plans.commands.words import UnsplittableCommand

MAX_EXPECTATIONS: Final = 20
"""The most that are taken from one command."""

_LITERAL: Final = (
    ast.Constant, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.UnaryOp, ast.USub, ast.UAdd, ast.Load
)  # fmt: skip


@dataclass(frozen=True)
class Expectation:
    """One comparison.

    Attributes:
        before: the statements before it that are no assertions, such as imports, as they are written.
        expression: what is computed, a call of the product in it, as it is written.
        expected: the literal, in Python.
        setup: the statements before it, in Python.
        computed: what is computed, in Python.
    """

    before: str
    expression: str
    expected: str
    setup: tuple[ast.stmt, ...] = field(default=(), compare=False, repr=False)
    computed: str = field(default="", compare=False)


def expectations(command: str) -> tuple[Expectation, ...]:
    """The comparisons that the assertions of a command's own code demand; none of other commands."""
    try:
        reading = read_command(command)
    except UnsplittableCommand:
        return ()
    trees = [invocation.code.tree for invocation in reading.invocations if invocation.code is not None]
    comparisons = (comparison for tree in trees if tree is not None for comparison in _in_code(tree))
    return tuple(islice(comparisons, MAX_EXPECTATIONS))


def _in_code(tree: ast.Module) -> Iterator[Expectation]:
    before: list[ast.stmt] = []
    for statement in tree.body:
        if not isinstance(statement, ast.Assert):
            before.append(statement)
            continue
        for test in _conjunction(statement.test):
            comparison = _comparison(test)
            if comparison is not None:
                expression, expected = comparison
                setup = [written_as(earlier) or text_of(earlier) for earlier in before]
                computed, value = text_of(expression), text_of(expected)
                if computed and value and all(setup):
                    shown = written_as(expression) or computed
                    yield Expectation("\n".join(dict.fromkeys(setup)), shown, value, tuple(before), computed)


def _conjunction(test: ast.expr) -> list[ast.expr]:
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return [part for value in test.values for part in _conjunction(value)]
    return [test]


def _comparison(test: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """The computed side and the literal of an equality; None of anything else."""
    if (
        not isinstance(test, ast.Compare)
        or len(test.ops) != 1
        or not isinstance(test.ops[0], ast.Eq | ast.Is)
    ):
        return None
    for computed, literal in ((test.left, test.comparators[0]), (test.comparators[0], test.left)):
        if _is_literal(literal) and any(isinstance(node, ast.Call) for node in ast.walk(computed)):
            return computed, literal
    return None


def _is_literal(node: ast.expr) -> bool:
    return all(isinstance(inner, _LITERAL) for inner in ast.walk(node))

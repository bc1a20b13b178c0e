"""The operators of mutation: which small changes a syntax tree offers. See `mutants`.

Changes are made at the positions of nodes, so that a mutant is formatted as its source is: a check that
refuses another layout would notice every mutant that was written anew from the tree.
"""

import ast
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from factory.languages.edits import Edit, shown
from factory.languages.python.mutation.changeable import (
    Around,
    asks_a_stream,
    changeable,
    is_for_others,
    last_name,
    plain_name,
)
from factory.languages.python.mutation.replacements import ARITHMETIC, CALLS, COMPARISONS
from factory.languages.python.mutation.source_text import SourceText

OPERATORS: Final = (
    "comparison",
    "condition",
    "boolean",
    "arithmetic",
    "return",
    "off-by-one",
    "loop",
    "call",
    "number",
    "negation",
    "statement",
    "string",
)
"""The names of the operators, those first that tests should notice first."""


class Finder:
    """Finds what can be changed in a tree.

    Args:
        tree: the syntax tree.
        text: the source that it was made from.
    """

    def __init__(self, tree: ast.Module, text: SourceText) -> None:
        self._tree = tree
        self._text = text

    def edits(self) -> Iterator[Edit]:
        """Every change, in no particular order."""
        for node, around in changeable(self._tree):
            if isinstance(node, ast.stmt):
                yield from self._of_statement(node, around)
            else:
                yield from self._of_expression(node, around)

    def _of_statement(self, node: ast.stmt, around: Around) -> Iterator[Edit]:
        match node:
            case ast.AugAssign(target=target, value=value) if not _is_text(value):
                yield from self._arithmetic(target, value)
            case ast.If(test=test) if not is_for_others(test):
                yield from self._condition(test, ("True", "False"))
            case ast.While(test=test):
                # A condition that is always true would only run into the time limit.
                yield from self._condition(test, ("False",))
            case ast.Return(value=ast.expr() as value) if not _is_nothing(value):
                said = shown(self._text.written(value))
                yield self._replaced(value, "None", "return", f"`return {said}` becomes `return None`")
            case ast.Break() if around.loop == "for":
                yield self._replaced(node, "continue", "loop", "`break` becomes `continue`")
            case ast.Continue():
                yield self._replaced(node, "break", "loop", "`continue` becomes `break`")
            case (
                ast.Expr(value=ast.Call() | ast.Await())
                | ast.Raise()
                | ast.Delete()
                | ast.Assign(targets=[ast.Attribute() | ast.Subscript(), *_])
            ):
                said = shown(self._text.written(node))
                yield self._replaced(node, "pass", "statement", f"`{said}` is left out")

    def _of_expression(self, node: ast.AST, around: Around) -> Iterator[Edit]:
        match node:
            case ast.Compare():
                yield from self._comparison(node)
            case ast.BoolOp():
                yield from self._boolean(node)
            case ast.BinOp(left=left, right=right) if not _is_text(left) and not _is_text(right):
                yield from self._arithmetic(left, right)
            case ast.UnaryOp(op=ast.Not() | ast.USub()):
                yield from self._negation(node)
            case ast.IfExp(test=test):
                yield from self._condition(test, ("True", "False"))
            case ast.comprehension(ifs=tests):
                for test in tests:
                    yield from self._condition(test, ("True",))
            case ast.Constant():
                yield from self._constant(node, around)
            case ast.Call():
                yield from self._call(node)
            case ast.Subscript(slice=ast.Slice(lower=lower, upper=upper)):
                yield from self._incremented(lower)
                yield from self._incremented(upper)

    def _comparison(self, node: ast.Compare) -> Iterator[Edit]:
        sides = [node.left, *node.comparators]
        for left, right in pairwise(sides):
            words = self._text.operators(left, right)
            written = " ".join(word for _, _, word in words)
            for new in COMPARISONS.get(written, ()):
                yield self._edit("comparison", words[0][0], words[-1][1], written, new)

    def _boolean(self, node: ast.BoolOp) -> Iterator[Edit]:
        for left, right in pairwise(node.values):
            for start, end, written in self._text.operators(left, right):
                yield self._edit("boolean", start, end, written, "or" if written == "and" else "and")

    def _arithmetic(self, left: ast.expr, right: ast.expr) -> Iterator[Edit]:
        for start, end, written in self._text.operators(left, right):
            plain = written.removesuffix("=")
            if plain in ARITHMETIC:
                yield self._edit("arithmetic", start, end, written, written.replace(plain, ARITHMETIC[plain]))

    def _negation(self, node: ast.UnaryOp) -> Iterator[Edit]:
        if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            # The number itself is changed.
            return
        start = self._text.start(node)
        written = "not" if isinstance(node.op, ast.Not) else "-"
        end = start + len(written)
        while self._text.data[end : end + 1] in (b" ", b"\t"):
            end += 1
        yield Edit(
            self._text.line(start), "negation", f"`{shown(self._text.written(node))}` loses its `{written}`",
            start, end, "",
        )  # fmt: skip

    def _condition(self, test: ast.expr, values: tuple[str, ...]) -> Iterator[Edit]:
        if isinstance(test, ast.Constant) or asks_a_stream(test):
            return
        for value in values:
            said = shown(self._text.written(test))
            yield self._replaced(test, value, "condition", f"the condition `{said}` becomes `{value}`")

    def _constant(self, node: ast.Constant, around: Around) -> Iterator[Edit]:
        value = node.value
        if isinstance(value, bool):
            yield self._replaced(node, str(not value), "boolean", f"`{value}` becomes `{not value}`")
        elif isinstance(value, int) and abs(value) < 10**100:
            yield self._replaced(node, str(value + 1), "number", f"`{value}` becomes `{value + 1}`")
        elif isinstance(value, float) and abs(value) < 1e15:
            yield self._replaced(node, repr(value + 1), "number", f"`{value}` becomes `{value + 1}`")
        elif isinstance(value, str | bytes) and not around.is_message:
            mark = "b" if isinstance(value, bytes) else ""
            new = f'{mark}""' if value else f'{mark}"mutated"'
            said = shown(self._text.written(node))
            yield self._replaced(node, new, "string", f"`{said}` becomes `{new}`")

    def _call(self, node: ast.Call) -> Iterator[Edit]:
        function = node.func
        name = last_name(function)
        if name in CALLS:
            end = self._text.end(function)
            yield self._edit("call", end - len(name), end, name, CALLS[name])
        if plain_name(function) == "range" and node.args and not isinstance(node.args[0], ast.Starred):
            yield from self._incremented(node.args[1] if len(node.args) > 1 else node.args[0])

    def _incremented(self, bound: ast.expr | None) -> Iterator[Edit]:
        if bound is None or isinstance(bound, ast.Constant | ast.Starred):
            return
        written = self._text.written(bound)
        said = shown(written)
        yield self._replaced(bound, f"({written}) + 1", "off-by-one", f"`{said}` becomes `({said}) + 1`")

    def _edit(self, operator: str, start: int, end: int, old: str, new: str) -> Edit:
        return Edit(self._text.line(start), operator, f"`{old}` becomes `{new}`", start, end, new)

    def _replaced(self, node: ast.expr | ast.stmt, new: str, operator: str, description: str) -> Edit:
        start = self._text.start(node)
        return Edit(self._text.line(start), operator, description, start, self._text.end(node), new)


def _is_text(node: ast.expr) -> bool:
    """Whether an operand is a text, with which another operator would only fail."""
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
    )


def _is_nothing(node: ast.expr) -> bool:
    """Whether a result is a constant that callers rarely tell from `None`, as an exit code of 0."""
    return isinstance(node, ast.Constant) and not node.value

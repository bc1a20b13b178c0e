"""Values in a command that only running code could tell.

Looks at the words and the parsed code of a command; runs nothing. It leans towards silence: a finding should
be right nearly always.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final

from factory.plans.commands.programs import Invocation
from factory.plans.commands.python_code import called, dotted

_LONG_TEXT: Final = 120
_MANY_LINES: Final = 6
_MANY_ITEMS: Final = 24
_MANY_DIGITS: Final = 9
_SEARCHING: Final = frozenset({"grep", "egrep", "fgrep", "rg", "test", "["})
_DIGEST: Final = re.compile(r"(?<![0-9A-Za-z])[0-9a-fA-F]{32,}(?![0-9A-Za-z])")
_BASE64: Final = re.compile(r"(?<![0-9A-Za-z+/_-])[0-9A-Za-z+/]{38,}={0,2}(?![0-9A-Za-z+/_=-])")
_FLOAT: Final = re.compile(r"(?<![\w.])-?\d+\.\d{9,}(?![\w.])")
_DIFFERENT_DIGITS: Final = 6
_FOLLOWED: Final = 20
"""How many names are followed to what they stand for."""

_HASH_CALLS: Final = frozenset({"hash", "id"})
_SEEDS: Final = frozenset({"Random", "RandomState", "default_rng", "seed"})
_SEED_PARAMETERS: Final = frozenset({"random_state", "seed"})
_WITHOUT_CHANCE: Final = frozenset({"Counter", "len", "set", "sorted", "sum", "type"})
"""Functions whose result tells nothing of what a random generator drew."""

_COMPARING: Final = frozenset(
    {"assertAlmostEqual", "assertDictEqual", "assertEqual", "assertEquals", "assertListEqual", "isclose"}
)
_WITHIN: Final = frozenset({"Decimal", "abs", "approx", "round"})
"""Functions that hand on what they compare with."""


@dataclass(frozen=True)
class Prediction:
    """What a command compares with although only running code could tell it.

    Attributes:
        what: that in words.
        values: as text; where a specification states them all, nobody predicted them. Empty if none can.
    """

    what: str
    values: tuple[str, ...] = ()


def predictions(invocation: Invocation) -> Iterator[Prediction]:
    """What a program's arguments compare with although only running code could tell it."""
    if invocation.code is not None and invocation.code.tree is not None:
        yield from _in_code(invocation.code.tree)
    elif invocation.name in _SEARCHING:
        for argument in invocation.arguments:
            prediction = _text(argument, searched=True)
            if prediction:
                yield Prediction(prediction, (argument,))


def demanded_texts(invocation: Invocation) -> Iterator[tuple[str, str]]:
    """The texts that a program's code demands of a result, each with all those that the result is made of."""
    tree = invocation.code.tree if invocation.code is not None else None
    if tree is None:
        return
    values = _values(tree)
    for left, right in _equalities(tree):
        for expected, actual in ((left, right), (right, left)):
            if _is_constant(expected) and not _is_constant(actual):
                inputs = _inputs(actual, values)
                yield from ((text, inputs) for text in _texts_of(expected))


def _in_code(tree: ast.Module) -> Iterator[Prediction]:
    is_seeded = any(
        isinstance(node, ast.Call) and called(node) in _SEEDS and (node.args or node.keywords)
        for node in ast.walk(tree)
    )
    values = _values(tree)
    for left, right in _equalities(tree):
        for expected, actual in ((left, right), (right, left)):
            if isinstance(expected, ast.Name) and isinstance(actual, ast.Call | ast.Name):
                expected = values.get(expected.id, expected)
            if isinstance(actual, ast.Name):
                actual = values.get(actual.id, actual)
            if _is_constant(expected) and not _is_constant(actual):
                inputs = _inputs(actual, values)
                yield from _in_literal(expected, inputs)
                if _hashes(actual):
                    yield Prediction("the result of hash() or id()")
                elif (
                    (is_seeded or _is_seeded(actual))
                    and _is_telling(expected)
                    and not _calls(actual) & _WITHOUT_CHANCE
                    and not all(text in inputs for text in _texts_of(expected))
                ):
                    yield Prediction("the output of seeded randomness", tuple(_texts_of(expected)))


def _values(tree: ast.Module) -> dict[str, ast.expr]:
    """What the names that are assigned once stand for."""
    by_name: dict[str, list[ast.expr]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            by_name.setdefault(node.targets[0].id, []).append(node.value)
    return {name: values[0] for name, values in by_name.items() if len(values) == 1}


def _equalities(tree: ast.Module) -> Iterator[tuple[ast.expr, ast.expr]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            for operator, left, right in zip(node.ops, sides, sides[1:], strict=False):
                if isinstance(operator, ast.Eq | ast.In):
                    yield _within(left), _within(right)
                elif isinstance(operator, ast.Lt | ast.LtE) and isinstance(left, ast.Call):
                    # abs(result - 1.5) < 1e-9
                    difference = _within(left)
                    if isinstance(difference, ast.BinOp) and isinstance(difference.op, ast.Sub):
                        yield difference.left, difference.right
        elif isinstance(node, ast.Call) and called(node) in _COMPARING:
            yield from zip(node.args[:1], node.args[1:2], strict=False)
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("startswith", "endswith")
        ):
            yield from ((node.func.value, argument) for argument in node.args[:1])


def _within(node: ast.expr) -> ast.expr:
    if isinstance(node, ast.Call) and called(node) in _WITHIN and node.args:
        return node.args[0]
    return node


def _is_seeded(node: ast.expr) -> bool:
    """Whether a result was drawn with a seed that the command gives."""
    return isinstance(node, ast.Call | ast.Subscript) and any(
        isinstance(inner, ast.keyword) and inner.arg in _SEED_PARAMETERS for inner in ast.walk(node)
    )


def _is_constant(node: ast.expr) -> bool:
    allowed = (
        ast.Constant, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.UnaryOp, ast.USub, ast.UAdd, ast.Load
    )  # fmt: skip
    return all(isinstance(inner, allowed) for inner in ast.walk(node))


def _inputs(node: ast.expr, values: Mapping[str, ast.expr]) -> str:
    """The constants in an expression: what comes out as it went in, was not computed."""
    pending = [node]
    followed: set[str] = set()
    for expression in islice(pending, _FOLLOWED):
        names = {inner.id for inner in ast.walk(expression) if isinstance(inner, ast.Name)} - followed
        pending.extend(values[name] for name in sorted(names) if name in values)
        followed |= names
    texts = [text for expression in pending for text in _texts_of(expression)]
    # A number may be written in groups of digits.
    return "\0".join([*texts, *(text.replace(",", "").replace("_", "").replace(" ", "") for text in texts)])


def _texts_of(node: ast.expr) -> list[str]:
    return [
        str(inner.value)
        for inner in ast.walk(node)
        if isinstance(inner, ast.Constant) and not _is_huge(inner)
    ]


def _is_huge(node: ast.Constant) -> bool:
    # Python refuses to write it down.
    return isinstance(node.value, int) and abs(node.value) >= 10**100


def _in_literal(node: ast.expr, inputs: str) -> Iterator[Prediction]:
    constants = [inner.value for inner in ast.walk(node) if isinstance(inner, ast.Constant)]
    if len(constants) > _MANY_ITEMS:
        yield Prediction(f"a literal of {len(constants)} values", tuple(_texts_of(node)))
    for value in constants:
        description = ""
        if (isinstance(value, int) and abs(value) >= 10**100) or str(value) in inputs:
            continue
        if isinstance(value, float):
            digits = len(repr(abs(value)).partition("e")[0].replace(".", "").strip("0"))
            description = f"a number with {digits} digits" if digits >= _MANY_DIGITS else ""
        elif isinstance(value, int) and not isinstance(value, bool):
            digits = len(str(abs(value)).rstrip("0"))
            description = (
                f"a number with {digits} digits" if digits >= _MANY_DIGITS and not _round(value) else ""
            )
        elif isinstance(value, str | bytes):
            description = _text(value if isinstance(value, str) else value.decode("latin-1"))
        if description:
            said = value.decode("latin-1") if isinstance(value, bytes) else str(value)
            yield Prediction(description, (said,))


def _text(text: str, *, searched: bool = False) -> str:
    """What makes a text look computed; empty if nothing does."""
    for match in _DIGEST.finditer(text):
        if len(set(match[0].lower())) >= _DIFFERENT_DIGITS:
            return "a digest"
    for match in _BASE64.finditer(text):
        piece = match[0]
        if (
            "/" not in piece
            and re.search("[a-z]", piece)
            and re.search("[A-Z]", piece)
            and re.search("[0-9]", piece)
        ):
            return "an encoded text"
    if _FLOAT.search(text):
        return "a number with many digits"
    if searched:
        return ""
    if text.strip("\n").count("\n") >= _MANY_LINES:
        return "a text of many lines"
    return f"a text of {len(text)} characters" if len(text) > _LONG_TEXT else ""


def _is_telling(node: ast.expr) -> bool:
    """Whether a constant is more than nothing, one, a truth value or an empty collection."""
    values = [inner.value for inner in ast.walk(node) if isinstance(inner, ast.Constant)]
    return any(value not in (None, True, False, 0, 1, "", b"") for value in values)


def _round(value: int) -> bool:
    """Whether a number is one that people know: a power of two, or next to one or to a power of ten."""
    size = abs(value)
    return any(number.bit_count() == 1 or str(number).strip("0") == "1" for number in (size, size + 1))


def _hashes(node: ast.expr) -> bool:
    # A method of that name is the product's own.
    return any(isinstance(inner, ast.Call) and dotted(inner.func) in _HASH_CALLS for inner in ast.walk(node))


def _calls(node: ast.expr) -> set[str]:
    return {called(inner) for inner in ast.walk(node) if isinstance(inner, ast.Call)}

"""Values in a command that only running code could tell.

Looks at the words and the parsed code of a command; runs nothing. It leans towards silence: a finding should
be right nearly always.
"""

import ast
import re
from collections.abc import Iterator
from typing import Final

from planner.command_words import Invocation
from planner.python_code import called, dotted

_LONG_TEXT: Final = 120
_MANY_LINES: Final = 6
_MANY_ITEMS: Final = 24
_MANY_DIGITS: Final = 9
_SEARCHING: Final = frozenset({"grep", "egrep", "fgrep", "rg", "test", "["})
_DIGEST: Final = re.compile(r"(?<![0-9A-Za-z])[0-9a-fA-F]{32,}(?![0-9A-Za-z])")
_BASE64: Final = re.compile(r"(?<![0-9A-Za-z+/_-])[0-9A-Za-z+/]{38,}={0,2}(?![0-9A-Za-z+/_=-])")
_FLOAT: Final = re.compile(r"(?<![\w.])-?\d+\.\d{9,}(?![\w.])")
_DIFFERENT_DIGITS: Final = 6
_HASH_CALLS: Final = frozenset({"hash", "id"})
_SEEDS: Final = frozenset({"Random", "RandomState", "default_rng", "seed"})
_ASSERTIONS: Final = frozenset({"assertEqual", "assertEquals", "assertListEqual", "assertDictEqual"})


def predictions(found: Invocation) -> Iterator[str]:
    """What a program's arguments compare with although only running code could tell it, in words."""
    if found.code is not None and found.code.tree is not None:
        yield from _in_code(found.code.tree)
    elif found.name in _SEARCHING:
        for argument in found.arguments:
            told = _text(argument, searched=True)
            if told:
                yield told


def _in_code(tree: ast.Module) -> Iterator[str]:
    is_seeded = any(
        isinstance(node, ast.Call) and called(node) in _SEEDS and (node.args or node.keywords)
        for node in ast.walk(tree)
    )
    for left, right in _equalities(tree):
        for expected, actual in ((left, right), (right, left)):
            if _is_constant(expected) and not _is_constant(actual):
                yield from _in_literal(expected, _inputs(actual))
                if _hashes(actual):
                    yield "the result of hash() or id()"
                elif is_seeded and _is_telling(expected) and "len" not in _calls(actual):
                    yield "the output of seeded randomness"


def _equalities(tree: ast.Module) -> Iterator[tuple[ast.expr, ast.expr]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            for operator, left, right in zip(node.ops, sides, sides[1:], strict=False):
                if isinstance(operator, ast.Eq | ast.In):
                    yield left, right
        elif isinstance(node, ast.Call) and called(node) in _ASSERTIONS:
            yield from zip(node.args[:1], node.args[1:2], strict=False)


def _is_constant(node: ast.expr) -> bool:
    allowed = (
        ast.Constant, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.UnaryOp, ast.USub, ast.UAdd, ast.Load
    )  # fmt: skip
    return all(isinstance(inner, allowed) for inner in ast.walk(node))


def _inputs(node: ast.expr) -> str:
    """The constants in an expression: what comes out as it went in, was not computed."""
    return "\0".join(
        str(inner.value)
        for inner in ast.walk(node)
        if isinstance(inner, ast.Constant) and not _is_huge(inner)
    )


def _is_huge(node: ast.Constant) -> bool:
    # Python refuses to write it down.
    return isinstance(node.value, int) and abs(node.value) >= 10**100


def _in_literal(node: ast.expr, inputs: str) -> Iterator[str]:
    constants = [inner.value for inner in ast.walk(node) if isinstance(inner, ast.Constant)]
    if len(constants) > _MANY_ITEMS:
        yield f"a literal of {len(constants)} values"
    for value in constants:
        told = ""
        if (isinstance(value, int) and abs(value) >= 10**100) or str(value) in inputs:
            continue
        if isinstance(value, float):
            digits = len(repr(abs(value)).partition("e")[0].replace(".", "").strip("0"))
            told = f"a number with {digits} digits" if digits >= _MANY_DIGITS else ""
        elif isinstance(value, int) and not isinstance(value, bool):
            digits = len(str(abs(value)).rstrip("0"))
            told = f"a number with {digits} digits" if digits >= _MANY_DIGITS and not _round(value) else ""
        elif isinstance(value, str | bytes):
            told = _text(value if isinstance(value, str) else value.decode("latin-1"))
        if told:
            yield told


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

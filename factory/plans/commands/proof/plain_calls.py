"""Calls that say all there is to say: a name and literals."""

import ast
from dataclasses import dataclass
from typing import Final, TypeAlias

from factory.plans.commands.python_code import dotted

_MAX_CHARS: Final = 2_000

Literal: TypeAlias = object
"""A value as `ast.literal_eval` gives it; tuples as lists, since prose takes them for the same."""


@dataclass(frozen=True)
class PlainCall:
    """A call of a function with literals.

    Attributes:
        name: the name of the function, without what stands before it; of a method of what a call gives, that
            call with its literals before it.
        arguments: the arguments, each as Python writes it; of keywords with their names, sorted.
    """

    name: str
    arguments: tuple[str, ...]


def plain_call(expression: str) -> tuple[str, PlainCall] | None:
    """The dotted name that is called, and the call; None of anything else, and of a call without arguments.

    Without arguments, what a function returns depends on something else. Of a method of what a call gives,
    as in `Spline([0, 2]).at(1)`, the name is that of the first call.
    """
    tree = _parsed(expression)
    return _plain_call(tree) if isinstance(tree, ast.Call) else None


def literal(text: str) -> tuple[Literal] | None:
    """The value of a literal, in a tuple; None of anything else."""
    tree = _parsed(text)
    value = _NONE if tree is None else _value(tree)
    return None if value is _NONE else (value,)


_NONE: Final = object()


def _plain_call(tree: ast.Call) -> tuple[str, PlainCall] | None:
    if not (tree.args or tree.keywords):
        return None
    name = dotted(tree.func)
    shown = name.rpartition(".")[2]
    if isinstance(tree.func, ast.Attribute) and isinstance(tree.func.value, ast.Call):
        made = _plain_call(tree.func.value)
        if made is None:
            return None
        name, before = made
        shown = f"{before.name}({', '.join(before.arguments)}).{tree.func.attr}"
    positional = [_value(argument) for argument in tree.args]
    named = [(keyword.arg or "*", _value(keyword.value)) for keyword in tree.keywords]
    if not name or _NONE in positional or any(key == "*" or value is _NONE for key, value in named):
        return None
    arguments = (
        *(repr(value) for value in positional),
        *sorted(f"{key}={value!r}" for key, value in named),
    )
    return name, PlainCall(shown, arguments)


def _parsed(text: str) -> ast.expr | None:
    if len(text) > _MAX_CHARS:
        return None
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _value(node: ast.expr) -> Literal:
    try:
        value = ast.literal_eval(node)
        return _NONE if "Ellipsis" in repr(value) else _with_lists(value)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return _NONE


def _with_lists(value: Literal) -> Literal:
    if isinstance(value, list | tuple):
        return [_with_lists(element) for element in value]
    if isinstance(value, dict):
        return {key: _with_lists(element) for key, element in value.items()}
    return value

"""What a symbol can be: a function, a value, a class; and whether one shape is what another promised."""

import ast
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from factory.languages.python.symbols.signature import Signature

_BUILTINS: Final = frozenset(
    {"bool", "bytes", "complex", "dict", "float", "frozenset", "int", "list", "set", "str", "tuple"}
)
"""Types of which a value is one or none: no display of a list is a tuple."""

_WIDENED: Final = frozenset({("bool", "int"), ("int", "float"), ("bool", "float"), ("float", "complex")})


@dataclass(frozen=True)
class Function:
    """A function or method.

    Attributes:
        signature: as it is written.
        binding: empty, `classmethod` or `staticmethod`.
        manager: the type of context manager that a decorator makes of its result; empty without one.
    """

    signature: Signature
    binding: str = ""
    manager: str = ""


@dataclass(frozen=True)
class Value:
    """A constant, attribute or property.

    Attributes:
        type: its normalised type; None if that is not known.
        is_property: whether a method computes it.
        is_guess: whether the type is not written, but that of a value.
    """

    type: str | None
    is_property: bool = False
    is_guess: bool = False


@dataclass(frozen=True)
class Named:
    """A class, or what is only named."""


@dataclass(frozen=True)
class Unknown:
    """Something whose nature can't be told: by reading the source, or by a promise of its name alone."""


Shape: TypeAlias = Function | Value | Named | Unknown


def shape_keeps(actual: Shape, promised: Shape) -> bool:
    """Whether what is there is what was promised."""
    match actual, promised:
        case (Unknown(), _) | (_, Unknown()):
            return True
        case Function(mine, binding, manager), Function(theirs, promised_binding):
            if manager and (theirs.returns or "").partition("[")[0] == manager:
                # What callers get, instead of what is written above the `yield`.
                theirs = replace(theirs, returns=mine.returns, is_async=mine.is_async)
            return binding == promised_binding and mine.keeps(theirs)
        case Value(mine_type, _, is_guess), Value(their_type):
            if is_guess:
                promised_type = _builtin(their_type)
                # `LIMIT = None` may well be the value of `LIMIT: int | None`.
                are_both_known = mine_type in _BUILTINS and promised_type in _BUILTINS
                return (
                    not are_both_known or promised_type == mine_type or (mine_type, promised_type) in _WIDENED
                )
            return mine_type is None or their_type in (None, mine_type)
        case ((Named() | Value()), Named()):
            return True
        case Named(), Value(their_type):
            # `Alias: type[Base]` is kept by a class.
            return their_type is not None and their_type.partition("[")[0] in ("type", "TypeAlias")
        case _:
            return False


def _builtin(written: str | None) -> str:
    """A type without what it holds, as far as it may be a built-in one; a union is none."""
    name, _, held = (written or "").partition("[")
    return "" if "] | " in held else name


def shape_filling(actual: Shape, promised: Shape) -> Shape:
    """What was promised, with what `actual`, which keeps it, says beyond it and callers can rely on."""
    match actual, promised:
        case Function(mine, _, manager), Function(theirs):
            known = replace(mine, returns=_managed(mine.returns, manager)) if manager else mine
            return replace(promised, signature=known.filling(theirs))
        case Value(mine_type, is_property, is_guess), Value(None) | Named() if mine_type and not is_guess:
            return Value(mine_type, is_property)
        case _:
            return promised


def _managed(yielded: str | None, manager: str) -> str | None:
    """What callers of a context manager get whose function is annotated with the iterator that it is."""
    try:
        node = ast.parse(yielded or "None", mode="eval").body
    except SyntaxError:
        # What is too large to be read.
        return None
    if not isinstance(node, ast.Subscript):
        return None
    first = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
    return f"{manager}[{ast.unparse(first)}]"

"""How parts of Rust are spelt: as they are written, and as they bind."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from factory.languages.trees.spelling import BLANK, joined, plain, tokens
from factory.languages.trees.tree import text

if TYPE_CHECKING:
    from tree_sitter import Node

NOTHING: Final = "()"
"""The result of a function that has none."""

_AROUND: Final = ("->", "+", "=", "where", "as")
_BEHIND: Final = (",", ";", ":", "dyn", "impl", "mut", "const")
_LEAVES: Final = ("string_literal", "raw_string_literal", "char_literal", "lifetime")
_LISTS: Final = ("type_arguments", "type_parameters")

_NAME: Final = r"(?!_\b)\w+"
_PATH: Final = rf"{_NAME}(?:::{_NAME})*"
_REFERENCE: Final = r"(?:&(?:mut )?)?"


def _around(inner: str) -> str:
    """A pattern of types, by that of the types in their brackets."""
    listed = rf"{inner}(?:, {inner})"
    named = rf"(?:dyn |impl )?{_PATH}(?:<{listed}*>)?"
    return rf"{_REFERENCE}(?:{named}|\[{inner}(?:; \w+)?\]|\((?:{listed}+)?\))"


_TYPE: Final = _around(_around(_REFERENCE + _PATH))
_PARAMETER: Final = rf"\w+: {_TYPE}"
_PARAMETERS: Final = rf"\((?:(?:{_REFERENCE}self|{_PARAMETER})(?:, {_PARAMETER})*)?\)"
_PLAIN: Final = rf"{_PARAMETERS}|{_TYPE}"

SIMPLE: Final = rf"(?:{_PARAMETERS}(?: -> {_TYPE})?|: {_TYPE})?"
"""What stands behind a name where nothing can be misread: types of names, without lifetimes and bounds."""


def written(node: "Node") -> str:
    """A part as it is written, names of parameters included."""
    return plain(node, _PLAIN, {}) or _line(tokens(node, _as_written))


def bound(node: "Node | None", names: Mapping[str, str]) -> str:
    """A type as it binds: without lifetimes, whose names and number callers rarely see.

    Args:
        node: the type; None for no type.
        names: what type parameters are called instead.
    """
    if node is None:
        return ""
    short = plain(node, _TYPE, names)
    if short:
        return short

    def parts(part: "Node") -> "Iterator[Node | str] | None":
        if part.type in _LISTS:
            return _without_lifetimes(part)
        if part.type in ("reference_type", "self_parameter"):
            return (child for child in part.children if child.type != "lifetime")
        if part.type in ("type_identifier", "identifier"):
            return iter((names.get(text(part), text(part)),))
        if part.type == "bounded_type":
            return _summed(part)
        if part.type == "higher_ranked_trait_bound":
            return iter(filter(None, (part.child_by_field_name("type"),)))
        return _as_written(part)

    return _line(tokens(node, parts))


def bounds(node: "Node | None", names: Mapping[str, str]) -> tuple[str, ...]:
    """What a type must be, in an order of its own, without lifetimes; empty for nothing."""
    if node is None:
        return ()
    kinds = (child for child in node.named_children if child.type != "lifetime" and not child.is_extra)
    return tuple(sorted({bound(kind, names) for kind in kinds}))


def _without_lifetimes(part: "Node") -> "Iterator[Node | str]":
    kept = [child for child in part.named_children if child.type not in ("lifetime", "lifetime_parameter")]
    if kept:
        yield "<"
        for number, child in enumerate(kept):
            if number:
                yield ","
            yield child
        yield ">"


def _summed(part: "Node") -> "Iterator[Node | str]":
    kept = [child for child in part.named_children if child.type != "lifetime"]
    for number, child in enumerate(kept):
        if number:
            yield "+"
        yield child


def _as_written(part: "Node") -> "Iterator[Node | str] | None":
    """With blanks where the signs alone don't tell where they belong."""
    if part.type in _LEAVES:
        return iter((text(part),))
    if part.type in ("reference_type", "self_parameter"):
        # Behind a lifetime there is a blank, behind the sign none.
        return (
            piece
            for child in part.children
            for piece in ((child, BLANK) if child.type == "lifetime" else (child,))
        )
    if part.type == "tuple_type" and part.named_child_count == 1:
        # The comma makes it a tuple.
        return iter(("(", part.named_children[0], ",)"))
    return None


def _line(words: list[str]) -> str:
    return joined(words, _AROUND, _BEHIND)

"""How types of Go are spelt: as they are written, and as they bind."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from factory.languages.trees.spelling import BLANK, joined, plain, tokens
from factory.languages.trees.tree import text

if TYPE_CHECKING:
    from tree_sitter import Node

NOTHING: Final = "()"
"""The result of a function that has none."""

_AROUND: Final = ("|",)
_BEHIND: Final = (",", ";")
_LEAVES: Final = ("interpreted_string_literal", "raw_string_literal")
_PARAMETERS: Final = ("parameter_declaration", "variadic_parameter_declaration")
_NAMED: Final = (*_PARAMETERS, "field_declaration", "type_parameter_declaration")

_NAME: Final = r"\w+(?:\.\w+)?"


def _around(inner: str) -> str:
    """A pattern of types, by that of the types in their brackets."""
    return rf"(?:\*|\[\])*(?:map\[{inner}\]{inner}|{_NAME})"


_TYPE: Final = _around(_around(rf"\*?{_NAME}"))
_PARAMETER: Final = rf"(?:\w+ )?(?:\.\.\.)?{_TYPE}"
_LIST: Final = rf"\((?:{_PARAMETER}(?:, {_PARAMETER})*)?\)"
_PLAIN: Final = rf"{_LIST}|{_TYPE}"

SIMPLE: Final = rf"(?:{_LIST}(?: (?:{_TYPE}|{_LIST}))?| (?!\[){_TYPE})?"
"""What stands behind a name where nothing can be misread: types of names, without generics and channels."""


def written(node: "Node") -> str:
    """A part as it is written, names of parameters included."""
    return plain(node, _PLAIN, {}) or _line(tokens(node, _as_written))


def bound(node: "Node | None", names: Mapping[str, str]) -> str:
    """A type as it binds: without the names of parameters, `any` for an empty interface.

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
        if part.type in _PARAMETERS:
            return _types(part)
        if part.type == "type_identifier":
            return iter((names.get(text(part), text(part)),))
        return _as_written(part)

    words = [word for word in tokens(node, parts) if word != BLANK or node.type != "parameter_list"]
    return _line(words).replace("interface{}", "any")


def parameters(node: "Node | None", names: Mapping[str, str]) -> tuple[str, ...]:
    """The types of a parameter list, one for each parameter."""
    found: list[str] = []
    for declared in node.named_children if node is not None else ():
        if declared.type in _PARAMETERS:
            variadic = "..." if declared.type.startswith("variadic") else ""
            spelt = variadic + bound(declared.child_by_field_name("type"), names)
            found += [spelt] * max(1, len(declared.children_by_field_name("name")))
    return tuple(found)


def result(node: "Node | None", names: Mapping[str, str]) -> str:
    """The type of a result, named or not; of several in brackets."""
    if node is None:
        return NOTHING
    if node.type != "parameter_list":
        return bound(node, names)
    types = parameters(node, names)
    return types[0] if len(types) == 1 else f"({', '.join(types)})"


def _types(declared: "Node") -> "Iterator[Node | str]":
    kind = declared.child_by_field_name("type")
    for number in range(max(1, len(declared.children_by_field_name("name")))):
        if number:
            yield ","
        if declared.type.startswith("variadic"):
            yield "..."
        if kind is not None:
            yield kind


def _as_written(part: "Node") -> "Iterator[Node | str] | None":
    """With blanks where the signs alone don't tell where they belong."""
    kind = part.type
    if kind in _LEAVES:
        return iter((text(part),))
    if kind == "channel_type":
        return _channel(part)
    if kind in ("field_declaration_list", "interface_type"):
        return _listed(part)
    if kind in _NAMED and part.child_by_field_name("name") is not None:
        return _named(part)
    if kind in ("function_type", "method_elem") and part.child_by_field_name("result") is not None:
        last = part.child_by_field_name("result")
        return (piece for child in part.children for piece in ((BLANK, child) if child == last else (child,)))
    return None


def _named(part: "Node") -> "Iterator[Node | str]":
    kind = part.child_by_field_name("type")
    if part.type.startswith("variadic"):
        yield from part.children_by_field_name("name")
        yield from (BLANK, "...")
        if kind is not None:
            yield kind
        return
    for child in part.children:
        if child == kind:
            yield BLANK
        if child.type not in _LEAVES:
            yield child


def _listed(part: "Node") -> "Iterator[Node | str]":
    """What is between braces, with semicolons, which a line's end stands for."""
    yield "interface{" if part.type == "interface_type" else "{"
    for number, child in enumerate(child for child in part.named_children if not child.is_extra):
        if number:
            yield ";"
        yield child
    yield "}"


def _channel(part: "Node") -> "Iterator[Node | str]":
    value = part.child_by_field_name("value")
    yield "".join(text(child) for child in part.children if child != value)
    yield BLANK
    if value is not None:
        yield value


def _line(words: list[str]) -> str:
    return joined(words, _AROUND, _BEHIND)

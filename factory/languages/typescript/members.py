"""The members of a class, an interface, a type of objects, an enumeration or an object. Pure."""

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Final

from factory.languages.trees.tree import text
from factory.languages.typescript.types import first, key_text

if TYPE_CHECKING:
    from tree_sitter import Node

CLASSES: Final = ("abstract_class_declaration", "class", "class_declaration")
"""The kinds of nodes that are classes."""

_HIDDEN: Final = ("private", "protected")
_FIELDS: Final = ("public_field_definition", "field_definition")
_METHODS: Final = ("abstract_method_signature", "method_definition", "method_signature")


def members(node: "Node") -> "Iterator[tuple[str, Node]]":
    """The public members of what a node declares, each with its name."""
    if node.type in CLASSES:
        yield from _of_class(node.child_by_field_name("body"))
    elif node.type == "interface_declaration" or node.type == "enum_declaration":
        yield from _of_body(node.child_by_field_name("body"))
    elif node.type == "type_alias_declaration":
        yield from _of_types(node.child_by_field_name("value"))
    elif node.type == "variable_declarator":
        kind, value = node.child_by_field_name("type"), node.child_by_field_name("value")
        if kind is not None:
            yield from _of_types(first(kind))
        else:
            yield from _of_value(value)


def is_closed(node: "Node") -> bool:
    """Whether a node's members are all that there are: it extends nothing, and is no other's name."""
    if node.type in CLASSES or node.type == "interface_declaration":
        return not any(
            child.type in ("extends_clause", "extends_type_clause")
            or (child.type == "class_heritage" and _extends(child))
            for child in node.children
        )
    if node.type == "type_alias_declaration":
        value = node.child_by_field_name("value")
        return value is not None and value.type == "object_type"
    return node.type in ("enum_declaration", "function_declaration", "function_signature")


def _extends(heritage: "Node") -> bool:
    kinds = {child.type for child in heritage.children}
    return "extends_clause" in kinds or "extends" in kinds


def _of_class(body: "Node | None") -> "Iterator[tuple[str, Node]]":
    signed: set[str] = set()
    listed = [] if body is None else body.named_children
    fields = {text(child.child_by_field_name("property")) for child in listed if child.type in _FIELDS}
    for child in listed:
        name = child.child_by_field_name("name") or child.child_by_field_name("property")
        if name is None or name.type not in ("property_identifier", "string") or _is_hidden(child):
            continue
        shown = key_text(name)
        if child.type == "method_signature":
            signed.add(shown)
        elif child.type == "method_definition" and shown in signed:
            # The body behind its overloads is nobody's to call.
            continue
        if child.type in (*_FIELDS, *_METHODS):
            yield shown, child
        if shown == "constructor":
            yield from _of_constructor(child, fields)


def _of_constructor(node: "Node", fields: Collection[str]) -> "Iterator[tuple[str, Node]]":
    """The parameters that are properties of the class, too, and properties that nothing else declares."""
    listed = node.child_by_field_name("parameters")
    for child in [] if listed is None else listed.named_children:
        kinds = {part.type for part in child.children}
        if kinds & {"accessibility_modifier", "readonly"} and not _is_hidden(child):
            yield text(child.child_by_field_name("pattern")), child
    known = set(fields)
    body = node.child_by_field_name("body")
    for statement in [] if body is None else body.named_children:
        assigned = first(statement) if statement.type == "expression_statement" else None
        left = assigned.child_by_field_name("left") if assigned is not None else None
        if assigned is None or left is None or assigned.type != "assignment_expression":
            continue
        name = text(left.child_by_field_name("property")) if left.type == "member_expression" else ""
        if (
            text(left.child_by_field_name("object")) == "this"
            and name not in known
            and not name.startswith("#")
        ):
            known.add(name)
            yield name, assigned


def _of_body(body: "Node | None") -> "Iterator[tuple[str, Node]]":
    for child in [] if body is None else body.named_children:
        if child.type == "property_identifier":
            yield text(child), child
        elif child.type in ("property_signature", "method_signature", "enum_assignment"):
            yield key_text(child.child_by_field_name("name")), child


def _of_types(kind: "Node | None") -> "Iterator[tuple[str, Node]]":
    if kind is not None and kind.type == "object_type":
        yield from _of_body(kind)


def _of_value(value: "Node | None") -> "Iterator[tuple[str, Node]]":
    while value is not None and value.type in ("as_expression", "satisfies_expression", "call_expression"):
        # `Object.freeze({…})` is what it is given.
        if value.type == "call_expression":
            given = value.child_by_field_name("arguments")
            is_frozen = text(value.child_by_field_name("function")) == "Object.freeze"
            value = first(given) if is_frozen and given is not None else None
        else:
            value = first(value)
    if value is None:
        return
    if value.type == "class":
        yield from _of_class(value.child_by_field_name("body"))
    for child in value.named_children if value.type == "object" else []:
        if child.type == "pair":
            yield key_text(child.child_by_field_name("key")), child
        elif child.type == "method_definition":
            yield text(child.child_by_field_name("name")), child
        elif child.type == "shorthand_property_identifier":
            yield text(child), child


def _is_hidden(node: "Node") -> bool:
    return any(child.type == "accessibility_modifier" and text(child) in _HIDDEN for child in node.children)

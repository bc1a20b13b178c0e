"""Where the functions, methods and types of a source stand."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from factory.languages.port import Span
from factory.languages.trees.tree import Grammar, line_of, parse, text

if TYPE_CHECKING:
    from tree_sitter import Node

_NAMED: Final = frozenset(
    {
        # TypeScript and JavaScript
        *("function_declaration", "generator_function_declaration", "function_signature"),
        *("class_declaration", "abstract_class_declaration", "interface_declaration"),
        *("type_alias_declaration", "enum_declaration", "method_definition", "variable_declarator"),
        # Go
        *("method_declaration", "type_spec"),
        # Rust
        *("function_item", "struct_item", "enum_item", "union_item", "trait_item", "type_item"),
    }
)
_FRONT: Final = frozenset(
    {"export_statement", "lexical_declaration", "variable_declaration", "type_declaration"}
)
"""What stands around a declaration and belongs to it."""

_FUNCTIONS: Final = frozenset({"arrow_function", "function_expression", "generator_function", "class"})
_BODIES: Final = frozenset({"class_body", "declaration_list"})


def spans(grammar: Grammar, data: bytes) -> tuple[Span, ...]:
    """See `Language`."""
    tree = parse(grammar, data)
    return tuple(_at_the_top(tree.root)) if tree.root is not None else ()


def _at_the_top(root: "Node") -> Iterator[Span]:
    for node in root.named_children:
        for declared in _declared(node):
            yield from _with_methods(node if node.type in _FRONT else declared, declared)


def _declared(node: "Node") -> Iterator["Node"]:
    if node.type in _FRONT:
        for child in node.named_children:
            yield from _declared(child)
    elif node.type in _NAMED or node.type == "impl_item":
        yield node


def _with_methods(whole: "Node", node: "Node") -> Iterator[Span]:
    name = text(node.child_by_field_name("name"))
    if node.type == "impl_item":
        name = _plain(text(node.child_by_field_name("type")))
    elif node.type == "variable_declarator":
        value = node.child_by_field_name("value")
        if value is None or value.type not in _FUNCTIONS:
            return
        yield Span(name, line_of(whole), _end(whole))
    elif node.type == "method_declaration":
        yield Span(f"{_receiver(node)}.{name}", line_of(node), _end(node))
    else:
        yield Span(name, line_of(whole), _end(whole))
    for body in node.named_children:
        for method in body.named_children if body.type in _BODIES else ():
            if method.type in _NAMED:
                inner = text(method.child_by_field_name("name"))
                yield Span(f"{name}.{inner}", line_of(method), _end(method))


def _receiver(node: "Node") -> str:
    """The type of Go's receiver: `(b *Board[T])` is of `Board`."""
    given = text(node.child_by_field_name("receiver")).strip("()").split()
    return _plain(given[-1].lstrip("*")) if given else ""


def _plain(name: str) -> str:
    """A type without what its brackets hold."""
    return name.partition("<")[0].partition("[")[0].strip()


def _end(node: "Node") -> int:
    return int(node.end_point[0]) + 1

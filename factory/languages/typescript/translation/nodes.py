"""What nodes of a tree of JavaScript hold."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from factory.languages.trees.tree import text

if TYPE_CHECKING:
    from tree_sitter import Node

_ESCAPES: Final = {"0": "\0", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}


def plain(node: "Node | None") -> "Node":
    """What brackets hold."""
    assert node is not None
    while node.type == "parenthesized_expression" and node.named_children:
        node = node.named_children[0]
    return node


def arguments_of(node: "Node") -> "list[Node]":
    """What a call is given, without comments."""
    arguments = node.child_by_field_name("arguments")
    children = arguments.named_children if arguments is not None else []
    return [child for child in children if child.type != "comment"]


def destructured(pattern: "Node") -> Iterator[tuple[str, str]]:
    """The names that a pattern takes out of an object, each with that under which it is known then."""
    if pattern.type != "object_pattern":
        return
    for child in pattern.named_children:
        if child.type == "shorthand_property_identifier_pattern":
            yield text(child), text(child)
        elif child.type == "pair_pattern":
            value = child.child_by_field_name("value")
            if value is not None and value.type == "identifier":
                yield text(child.child_by_field_name("key")), text(value)


def string(node: "Node | None") -> str:
    """The text that a literal stands for; empty for anything else."""
    if node is None or node.type not in ("string", "template_string"):
        return ""
    parts = [
        text(part) if part.type == "string_fragment" else _escape(text(part)) for part in node.named_children
    ]
    return "".join(parts)


def _escape(written: str) -> str:
    code = re.fullmatch(r"\\(?:u\{?|x)([0-9a-fA-F]{1,6})\}?", written)
    if code is not None and int(code[1], 16) < 0xD800:
        return chr(int(code[1], 16))
    return _ESCAPES.get(written[1:], "" if written[1:] == "\n" else written[1:])

"""What mutants of Rust change; see `trees.mutants`.

Left alone is what no test should notice, or what can't be read: attributes, macros and what is handed to
them, types, and what is compiled for tests alone.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from factory.languages.edits import Edit, shown
from factory.languages.rust.declarations import is_for_tests
from factory.languages.trees.mutants import (
    ARITHMETIC,
    ASSIGNED,
    BOOLEANS,
    COMPARISONS,
    Table,
    changed_text,
    next_number,
)
from factory.languages.trees.tree import line_of, text

if TYPE_CHECKING:
    from tree_sitter import Node

_UNTESTED: Final = (
    "attribute_item",
    "inner_attribute_item",
    "macro_definition",
    "macro_invocation",
    "array_type",
    "extern_modifier",
    "type_arguments",
    "type_parameters",
)
_LEFT_OUT: Final = (
    "assignment_expression",
    "await_expression",
    "call_expression",
    "compound_assignment_expr",
    "try_expression",
)


def _is_untested(node: "Node") -> bool:
    return node.type in _UNTESTED or (node.type.endswith("_item") and is_for_tests(node))


def _left_out(node: "Node") -> Iterator[Edit]:
    """A statement that is left out; not one that decides what comes next, nor one that prints."""
    inner = node.named_children[0].type if node.type == "expression_statement" else ""
    if inner in _LEFT_OUT and text(node).endswith(";"):
        what = f"`{shown(text(node).rstrip(';'))}` is left out"
        yield Edit(line_of(node), "statement", what, node.start_byte, node.end_byte, "")


TABLE: Final = Table(
    operations=("binary_expression", "compound_assignment_expr"),
    comparisons=COMPARISONS,
    booleans=BOOLEANS,
    arithmetic={**ARITHMETIC, **ASSIGNED},
    texts=("string_literal", "raw_string_literal"),
    negations=("unary_expression",),
    conditions={"if_expression": "condition", "match_pattern": "condition"},
    opaque=("let_condition", "let_chain"),
    constants={
        "integer_literal": next_number,
        "boolean_literal": lambda written: "false" if written == "true" else "true",
        "string_literal": lambda written: changed_text(written) if written.startswith('"') else "",
    },
    statements=(),
    nothing="",
    is_untested=_is_untested,
    more=_left_out,
)
"""What is changed, and how."""

BLOCKS: Final = ("block",)
"""What holds statements."""

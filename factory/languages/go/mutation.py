"""What mutants of Go change; see `trees.mutants`.

Left alone is what no test should notice: imports, tags of fields, lengths of array types, texts of errors, of
logs and of panics.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from factory.languages.edits import Edit, replacing
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

_UNTESTED: Final = ("import_declaration", "package_clause", "array_type")
_MESSAGES: Final = ("errors.New", "fmt.Errorf", "panic")
_LOGS: Final = ("log.", "slog.", "logger.")


def _is_untested(node: "Node") -> bool:
    if node.type in ("inc_statement", "dec_statement"):
        # The other way round, a loop would only run into the time limit.
        return node.parent is not None and node.parent.type == "for_clause"
    if node.type == "expression_statement":
        return _called(node.named_children[0]).startswith(_LOGS)
    return node.type in _UNTESTED or _called(node) in _MESSAGES


def _called(node: "Node") -> str:
    """The name of the function that a call calls."""
    return text(node.child_by_field_name("function")) if node.type == "call_expression" else ""


def _swallowed(node: "Node") -> Iterator[Edit]:
    """An error that is not handed on."""
    if node.type != "return_statement" or node.named_child_count != 1:
        return
    values = node.named_children[0].named_children
    if not values:
        return
    last = values[-1]
    written = text(last)
    is_error = last.type == "identifier" and written.startswith(("err", "Err"))
    if is_error or _called(last) in ("errors.New", "fmt.Errorf"):
        yield replacing(line_of(last), "constant", last.start_byte, last.end_byte, written, "nil")


TABLE: Final = Table(
    operations=("binary_expression", "assignment_statement", "inc_statement", "dec_statement"),
    comparisons=COMPARISONS,
    booleans=BOOLEANS,
    arithmetic={**ARITHMETIC, **ASSIGNED, "&^": "&"},
    texts=("interpreted_string_literal", "raw_string_literal"),
    negations=("unary_expression",),
    conditions={"if_statement": "condition"},
    opaque=(),
    constants={
        "int_literal": next_number,
        "true": lambda _: "false",
        "false": lambda _: "true",
        "interpreted_string_literal": changed_text,
    },
    statements=(
        "expression_statement",
        "assignment_statement",
        "inc_statement",
        "dec_statement",
        "send_statement",
        "defer_statement",
        "go_statement",
    ),
    nothing="",
    is_untested=_is_untested,
    more=_swallowed,
)
"""What is changed, and how."""

BLOCKS: Final = ("statement_list",)
"""What holds statements."""

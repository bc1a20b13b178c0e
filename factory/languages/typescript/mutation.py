"""What of a source a mutant changes, and the statement that marks a line as executed. Pure.

Left alone is what no test should notice: types and their annotations, imports, decorators, what is printed by
`console` or a logger, what errors say, and what only runs when the file is run as a program. A mutant parses;
whether it compiles is not known here: `tsc` refuses one whose changed condition narrows another type, or that
leaves out what a type asks for. Runners of tests take types out and run it all the same.
"""

import json
import re
from typing import TYPE_CHECKING, Final

from factory.languages.trees.mutants import ARITHMETIC, ASSIGNED, BOOLEANS, COMPARISONS, Table, next_number
from factory.languages.trees.tree import text
from factory.languages.typescript.types import first

if TYPE_CHECKING:
    from tree_sitter import Node

_UNTESTED: Final = frozenset(
    {
        "ambient_declaration", "asserts_annotation", "comment", "decorator", "export_clause",
        "function_signature", "import_statement", "interface_declaration", "literal_type", "method_signature",
        "template_string", "type_alias_declaration", "type_annotation", "type_arguments", "type_parameters",
        "type_predicate_annotation", "regex", "jsx_attribute", "jsx_text",
    }
)  # fmt: skip
_TYPES: Final = re.compile(r".*_type")
_LOGGERS: Final = re.compile(r"(?:\w+\.)*(?:console|log|logger|[\w$]+Logger)\.\w+", re.IGNORECASE)
_LOADS: Final = ("import", "require", "require.resolve")
_AS_PROGRAM: Final = re.compile(r"\brequire\.main\b|\bimport\.meta\b")
_NAMES_OF_ERRORS: Final = re.compile(r"(?:.*\.)?\w*(?:Error|Exception)")

BLOCKS: Final = ("program", "statement_block")
"""The kinds whose children are statements."""


def is_untested(node: "Node") -> bool:
    """Whether neither a node nor anything inside it is changed."""
    if node.type in _UNTESTED or _TYPES.fullmatch(node.type):
        return True
    match node.type:
        case "export_statement":
            return node.child_by_field_name("source") is not None
        case "expression_statement":
            inner = first(node)
            # A text alone is a directive, such as "use strict".
            return inner is None or inner.type == "string" or _is_log(inner)
        case "arguments":
            return _is_said(node)
        case "if_statement":
            return bool(_AS_PROGRAM.search(text(node.child_by_field_name("condition"))))
        case _:
            return False


def _is_log(node: "Node") -> bool:
    if node.type == "await_expression":
        return False
    function = node.child_by_field_name("function") if node.type == "call_expression" else None
    return function is not None and bool(_LOGGERS.fullmatch(text(function)))


def _is_said(arguments: "Node") -> bool:
    """Whether arguments are what an error says, or name a module."""
    made = arguments.parent
    if made is None:
        return False
    if made.type == "new_expression":
        return bool(_NAMES_OF_ERRORS.fullmatch(text(made.child_by_field_name("constructor"))))
    return made.type == "call_expression" and text(made.child_by_field_name("function")) in _LOADS


def _other_text(written: str) -> str:
    quote = written[:1]
    return f"{quote}mutated{quote}" if len(written) == 2 else quote * 2


TABLE: Final = Table(
    operations=("binary_expression", "augmented_assignment_expression"),
    comparisons={**COMPARISONS, "===": ("!==",), "!==": ("===",)},
    booleans={**BOOLEANS, "&&=": "||=", "||=": "&&="},
    arithmetic={**ARITHMETIC, **ASSIGNED, "**": "*", "**=": "*=", ">>>": "<<"},
    texts=("string", "template_string"),
    negations=("unary_expression",),
    conditions={"if_statement": "condition", "ternary_expression": "condition"},
    opaque=("true", "false"),
    constants={
        "true": lambda _: "false",
        "false": lambda _: "true",
        "number": next_number,
        "string": _other_text,
    },
    statements=("expression_statement", "throw_statement"),
    nothing=";",
    is_untested=is_untested,
)
"""What is changed."""


def mark(path: str) -> str:
    """A statement that makes a file, in modules of both kinds."""
    # A module of ECMAScript has no `require`, and Node.js before 20.16 no `getBuiltinModule`.
    return (
        'try { const files = process.getBuiltinModule?.("node:fs") ?? require("node:fs");'
        f' files.closeSync(files.openSync({json.dumps(path)}, "a", 0o600)); }} catch {{}} '
    )

"""Symbols of Go as a plan writes them: `FILE:DECLARATION`.

| symbol | written |
|---|---|
| function | `slug/slug.go:Slugify(text string, max ...int) (string, error)` |
| generic function | `slug/slug.go:Map[T, U any](items []T, f func(T) U) []U` |
| method, of a type or an interface | `slug/slug.go:Slugger.Next(text string) string` |
| type | `slug/slug.go:Slugger`, `slug/slug.go:Set[T comparable]` |
| field | `slug/slug.go:Options.Max int` |
| constant, variable | `slug/slug.go:Limit int`, or `slug/slug.go:Limit` for any type |

Names of parameters don't bind, nor whether a method's receiver is a pointer.
"""

from typing import TYPE_CHECKING, Final

from factory.languages.go.declarations import function, named_type, value
from factory.languages.go.grammar import grammar
from factory.languages.port import BadSymbol
from factory.languages.trees.declared import Declared, Head, split
from factory.languages.trees.tree import parse, walk

if TYPE_CHECKING:
    from tree_sitter import Node

_FORMS: Final = (
    "write `slug/slug.go:Slugify(text string) (string, error)`, "
    "`slug/slug.go:Slugger.Next(text string) string`, `slug/slug.go:Slugger` or `slug/slug.go:Limit int`"
)


def parse_symbol(written: str) -> Declared:
    """A symbol of Go from its written form.

    Raises:
        BadSymbol: it is none.
    """
    head = split(written, (), _FORMS)
    scope, _, last = head.name.rpartition(".")
    if not head.rest:
        return Declared(head.module, head.name, "named")
    prefix = f"{scope}." if scope else ""
    # Behind a type, the brackets of a function would begin later.
    is_function = head.rest.startswith(("(", "["))
    declared = _only(f"func {last}{head.rest}", "function_declaration") if is_function else None
    if declared is not None and declared.child_by_field_name("body") is None:
        return function(head.module, prefix, declared)
    declared = _only(f"type {last}{head.rest} struct{{}}", "type_declaration")
    if declared is not None and head.rest.startswith("[") and not scope:
        return named_type(head.module, declared.named_children[0])
    declared = _only(f"var {last} {head.rest}", "var_declaration")
    if declared is not None:
        return _value(head, declared.named_children[0])
    raise BadSymbol("is not followed by what Go allows there", where=head.rest[:80], hint=_FORMS)


def _value(head: Head, spec: "Node") -> Declared:
    kind = spec.child_by_field_name("type")
    if spec.child_by_field_name("value") is not None or kind is None:
        raise BadSymbol("has a value", where=head.rest[:80], hint="leave out the value")
    return value(head.module, head.name, kind)


def _only(code: str, kind: str) -> "Node | None":
    """The declaration that a text is, if it is one of that kind and nothing else."""
    tree = parse(grammar, f"package p\n{code}\n".encode())
    if tree.root is None or tree.problem:
        return None
    declared = tree.root.named_children[1:]
    if len(declared) != 1 or declared[0].type != kind or any(node.is_extra for node in walk(declared[0])):
        return None
    return declared[0]

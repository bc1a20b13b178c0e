"""Symbols of Rust as a plan writes them: `FILE:DECLARATION`.

| symbol | written |
|---|---|
| function | `src/lib.rs:slugify(text: &str, max: Option<usize>) -> String` |
| generic function | `src/lib.rs:largest<T: PartialOrd>(items: &[T]) -> Option<&T>` |
| method, of a type or a trait | `src/lib.rs:Slugger.next(&mut self, text: &str) -> String` |
| asynchronous function | `src/lib.rs:async fetch(url: &str) -> String` |
| type, trait, module | `src/lib.rs:Slugger`, `src/lib.rs:Set<T>` |
| field | `src/lib.rs:Options.max: usize` |
| variant | `src/lib.rs:Shape.Empty`, `src/lib.rs:Shape.Circle(f64)` |
| constant, static variable | `src/lib.rs:LIMIT: usize` |

Names of parameters don't bind, nor do lifetimes; types, bounds of generics and how `self` is taken do. `Self`
is the type that it stands for.
"""

from typing import TYPE_CHECKING, Final

from factory.languages.port import BadSymbol
from factory.languages.rust.declarations import WORDS, function, named_type, value
from factory.languages.rust.grammar import grammar
from factory.languages.trees.declared import Declared, split
from factory.languages.trees.tree import parse, walk

if TYPE_CHECKING:
    from tree_sitter import Node

_FORMS: Final = (
    "write `src/lib.rs:slugify(text: &str) -> String`, "
    "`src/lib.rs:Slugger.next(&mut self, text: &str) -> String`, "
    "`src/lib.rs:Slugger` or `src/lib.rs:LIMIT: usize`"
)


def parse_symbol(written: str) -> Declared:
    """A symbol of Rust from its written form.

    Raises:
        BadSymbol: it is none.
    """
    head = split(written, WORDS, _FORMS)
    scope, _, last = head.name.rpartition(".")
    prefix = f"{scope}." if scope else ""
    if head.rest.startswith(("(", "<")):
        declared = _only(f"{head.before}fn {last}{head.rest};", "function_signature_item")
        if declared is not None:
            return function(head.module, prefix, declared)
    if head.before:
        raise BadSymbol("has a word in front that only functions have", where=head.before, hint=_FORMS)
    if not head.rest:
        return Declared(head.module, head.name, "named")
    if head.rest.startswith("<"):
        declared = _only(f"struct {last}{head.rest};", "struct_item")
        if declared is not None:
            return named_type(head.module, head.name, declared)
    declared = _only(f"const {last}{head.rest};", "const_item") if head.rest.startswith(":") else None
    if declared is None:
        raise BadSymbol("is not followed by what Rust allows there", where=head.rest[:80], hint=_FORMS)
    if declared.child_by_field_name("value") is not None:
        raise BadSymbol("has a value", where=head.rest[:80], hint="leave out the value")
    return value(head.module, head.name, declared.child_by_field_name("type"))


def _only(code: str, kind: str) -> "Node | None":
    """The item that a text is, if it is one of that kind and nothing else."""
    tree = parse(grammar, f"{code}\n".encode())
    if tree.root is None or tree.problem:
        return None
    declared = tree.root.named_children
    if len(declared) != 1 or declared[0].type != kind or any(node.is_extra for node in walk(declared[0])):
        return None
    return declared[0]

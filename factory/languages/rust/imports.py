"""The crates that a source of Rust uses."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from factory.languages.rust.declarations import reexports
from factory.languages.trees.tree import text, walk

if TYPE_CHECKING:
    from tree_sitter import Node

_NONE: Final = frozenset({"alloc", "core", "crate", "proc_macro", "self", "std", "super", "test", "Self", ""})
_WIDTHS: Final = ("8", "16", "32", "64", "128", "size")
_PRIMITIVE: Final = frozenset(
    ["bool", "char", "str", "f32", "f64", *(f"{sign}{width}" for sign in "iu" for width in _WIDTHS)]
)


def used_crates(root: "Node") -> frozenset[str]:
    """The first names of the paths of `use`, `extern crate` and of code that names a crate on the spot.

    Left out are the crates that come with the compiler, and names that the source declares or brings in.
    """
    brought: set[str] = set()
    named: set[str] = set()
    on_the_spot: set[str] = set()
    for node in walk(root, ("use_declaration",)):
        match node.type:
            case "use_declaration":
                for used in reexports(node.child_by_field_name("argument")):
                    first = used.path.removeprefix("::").partition("::")[0]
                    named.add(first)
                    if used.name != first:
                        brought.add(used.name)
            case "extern_crate_declaration":
                named.add(text(node.child_by_field_name("name")))
                brought.add(text(node.child_by_field_name("alias")))
            case "mod_item":
                brought.add(text(node.child_by_field_name("name")))
            case "scoped_identifier" | "scoped_type_identifier":
                path = node.child_by_field_name("path")
                if path is not None and path.type == "identifier":
                    on_the_spot.add(text(path))
    crates = {name for name in on_the_spot - brought - _PRIMITIVE if name == name.lower()}
    return frozenset((named - _modules(root) | crates) - _NONE)


def _modules(root: "Node") -> set[str]:
    return set(_module_names(root))


def _module_names(root: "Node") -> Iterator[str]:
    for node in walk(root, ("block",)):
        if node.type == "mod_item":
            yield text(node.child_by_field_name("name"))

"""What a source of Rust declares: functions, types with what is in them, values, modules, re-exports.

Of a type's methods the file of their `impl` counts, which need not be that of the type. What is in a module
inside the file has its name in front: `inner.Slugger.next`. Tests inside a source declare nothing.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from factory.languages.rust.spelling import NOTHING, bound, bounds, written
from factory.languages.trees.declared import Declared
from factory.languages.trees.tree import text, walk

if TYPE_CHECKING:
    from tree_sitter import Node

FUNCTIONS: Final = ("function_item", "function_signature_item")
_TYPES: Final = ("struct_item", "enum_item", "union_item", "trait_item", "type_item", "associated_type")
_VALUES: Final = ("const_item", "static_item")
_MAX_MODULES: Final = 20
"""How deep modules inside a file are looked into."""

WORDS: Final = ("async", "unsafe")
"""What callers see of the words in front of `fn`."""

_GENERICS: Final = (
    "type_parameter",
    "const_parameter",
    "constrained_type_parameter",
    "optional_type_parameter",
)
_FOR_TESTS: Final = re.compile(
    r"#\[\s*(?:cfg\(\s*(?:all\([^]]*)?\btest\b|(?:\w+\s*::\s*)*(?:test|bench|rstest)\b)"
)


@dataclass(frozen=True)
class Item:
    """A symbol of a source.

    Attributes:
        symbol: the symbol.
        is_public: whether other modules see it.
        path: of a name that is exported from elsewhere, where it comes from, such as `crate::slug::Slugger`;
            empty for what is declared here.
    """

    symbol: Declared
    is_public: bool
    path: str = ""


@dataclass(frozen=True)
class _Scope:
    """Where items are.

    Attributes:
        path: the file.
        prefix: the names around them, with a dot behind.
        is_public: whether what is around them can be seen.
        all_public: whether they need no `pub`, as in a trait.
    """

    path: str
    prefix: str = ""
    is_public: bool = True
    all_public: bool = False


def items(path: str, root: "Node") -> Iterator[Item]:
    """All that a source declares, in its order."""
    yield from _items(root, _Scope(path), 0)


@dataclass(frozen=True)
class Used:
    """A name that `use` brings in.

    Attributes:
        name: what it is called here; `*` for all that is there.
        path: where it comes from.
    """

    name: str
    path: str


def reexports(argument: "Node | None") -> Iterator[Used]:
    """The names of a `use`, each with its path."""
    waiting = [("", argument)]
    while waiting:
        before, node = waiting.pop()
        if node is None:
            continue
        match node.type:
            case "use_list":
                waiting += [(before, child) for child in reversed(node.named_children)]
            case "scoped_use_list":
                path = text(node.child_by_field_name("path"))
                waiting.append((f"{before}{path}::" if path else before, node.child_by_field_name("list")))
            case "use_as_clause":
                path, alias = text(node.child_by_field_name("path")), text(node.child_by_field_name("alias"))
                yield Used(alias, f"{before}{path}".removesuffix("::self"))
            case "use_wildcard":
                yield Used(
                    "*", f"{before}{text(node).removesuffix('*').removesuffix('::')}".removesuffix("::")
                )
            case "identifier" | "scoped_identifier" | "self" | "crate" | "super":
                path = f"{before}{text(node)}".removesuffix("::self")
                yield Used(path.rpartition("::")[2], path)


def is_for_tests(node: "Node") -> bool:
    """Whether an item is compiled for tests alone, or is one."""
    before = node.prev_named_sibling
    while before is not None and before.type in ("attribute_item", "line_comment", "block_comment"):
        if before.type == "attribute_item" and _FOR_TESTS.match(text(before)):
            return True
        before = before.prev_named_sibling
    return False


def tests(root: "Node") -> Iterator[str]:
    """The names of the functions that are tests."""
    for node in walk(root, ("block",)):
        if node.type == "function_item" and is_for_tests(node):
            yield text(node.child_by_field_name("name"))


def function(path: str, prefix: str, node: "Node") -> Declared:
    """A function or method as a symbol.

    Args:
        path: its file.
        prefix: the names around it, with a dot behind; empty for none.
        node: its declaration.
    """
    generics = node.child_by_field_name("type_parameters")
    taken, given = node.child_by_field_name("parameters"), node.child_by_field_name("return_type")
    where = next((child for child in node.named_children if child.type == "where_clause"), None)
    names, form = _generics(generics, where, prefix.rstrip(".").rpartition(".")[2])
    line = (written(generics) if generics is not None else "") + (written(taken) if taken is not None else "")
    if given is not None:
        line += f" -> {written(given)}"
    if where is not None:
        line += f" {written(where).rstrip(',')}"
    modifiers = next((child for child in node.children if child.type == "function_modifiers"), None)
    words = [word for word in text(modifiers).split() if word in WORDS]
    return Declared(
        path,
        prefix + text(node.child_by_field_name("name")),
        "function",
        line,
        before="".join(f"{word} " for word in words),
        form=form,
        parameters=tuple(_parameters(taken, names)),
        result=NOTHING if given is None else bound(given, names),
    )


def named_type(path: str, name: str, node: "Node") -> Declared:
    """A type or a trait as a symbol; generics count, bounds of them do not."""
    generics = node.child_by_field_name("type_parameters")
    kinds = (
        [child for child in generics.named_children if child.type != "lifetime_parameter"] if generics else []
    )
    return Declared(
        path, name, "type", written(generics) if generics is not None else "", form=str(len(kinds) or "")
    )


def value(path: str, name: str, kind: "Node | None") -> Declared:
    """A constant, a static variable or a field as a symbol."""
    line = f": {written(kind)}" if kind is not None else ""
    return Declared(path, name, "value", line, result=bound(kind, {}))


def _items(parent: "Node", scope: _Scope, depth: int) -> Iterator[Item]:
    for node in parent.named_children:
        if is_for_tests(node):
            continue
        name = f"{scope.prefix}{text(node.child_by_field_name('name'))}"
        is_public = scope.is_public and (scope.all_public or _is_public(node))
        if node.type in FUNCTIONS:
            yield Item(function(scope.path, scope.prefix, node), is_public)
            continue
        body = node.child_by_field_name("body")
        inner = _Scope(scope.path, f"{name}.", is_public, scope.all_public)
        if node.type in _TYPES:
            yield Item(named_type(scope.path, name, node), is_public)
            if body is not None and node.type == "trait_item":
                yield from _items(body, replace(inner, all_public=True), depth)
            elif body is not None:
                yield from _members(body, inner)
        elif node.type in _VALUES:
            yield Item(value(scope.path, name, node.child_by_field_name("type")), is_public)
        elif node.type == "impl_item" and body is not None:
            of = _last_name(node.child_by_field_name("type"))
            of_trait = node.child_by_field_name("trait") is not None
            if of:
                around = replace(scope, prefix=f"{scope.prefix}{of}.", all_public=of_trait)
                yield from _items(body, around, depth)
        elif node.type == "mod_item":
            yield Item(Declared(scope.path, name, "type"), is_public)
            if body is not None and depth < _MAX_MODULES:
                yield from _items(body, inner, depth + 1)
        elif node.type == "use_declaration" and _is_public(node):
            for used in reexports(node.child_by_field_name("argument")):
                yield Item(_reexport(scope, used), is_public, used.path)


def _reexport(scope: _Scope, used: Used) -> Declared:
    return Declared(scope.path, f"{scope.prefix}{used.name}", "unknown", f" from {used.path}")


def _members(body: "Node", scope: _Scope) -> Iterator[Item]:
    """The fields of a structure, the variants of an enumeration."""
    for node in body.named_children:
        name = f"{scope.prefix}{text(node.child_by_field_name('name'))}"
        if node.type == "field_declaration":
            is_public = scope.is_public and _is_public(node)
            yield Item(value(scope.path, name, node.child_by_field_name("type")), is_public)
        elif node.type == "enum_variant":
            yield Item(_variant(scope.path, name, node), scope.is_public)


def _variant(path: str, name: str, node: "Node") -> Declared:
    body = node.child_by_field_name("body")
    if body is None:
        return Declared(path, name, "value")
    if body.type == "ordered_field_declaration_list":
        kinds = body.children_by_field_name("type")
        line = f"({', '.join(map(written, kinds))})"
        return Declared(
            path, name, "function", line, parameters=tuple(bound(kind, {}) for kind in kinds), result=NOTHING
        )
    return Declared(path, name, "type")


def _parameters(taken: "Node | None", names: Mapping[str, str]) -> Iterator[str]:
    for node in taken.named_children if taken is not None else ():
        kind = node.child_by_field_name("type")
        if node.type == "self_parameter":
            yield (
                bound(node, names).replace("mut self", "self")
                if "&" not in text(node)
                else bound(node, names)
            )
        elif node.type == "parameter":
            is_self = text(node.child_by_field_name("pattern")) == "self"
            yield f"self: {bound(kind, names)}" if is_self else bound(kind, names)
        elif node.type == "variadic_parameter":
            yield "..."
        elif node.type != "attribute_item" and not node.is_extra:
            yield bound(node, names)


def _generics(node: "Node | None", where: "Node | None", type_name: str) -> tuple[Mapping[str, str], str]:
    """What type parameters are called by their places; what is demanded of them and others, as a text."""
    names: dict[str, str] = {"Self": type_name} if type_name else {}
    demands: dict[str, set[str]] = {}
    declared = [child for child in node.named_children if child.type in _GENERICS] if node is not None else []
    for number, child in enumerate(declared, start=1):
        names[text(child.child_by_field_name("name"))] = f"${number}"
    for child in declared:
        kind = child.child_by_field_name("bounds") or child.child_by_field_name("type")
        demanded = (bound(kind, names),) if child.type == "const_parameter" else bounds(kind, names)
        demands[names[text(child.child_by_field_name("name"))]] = {*demanded}
    for predicate in where.named_children if where is not None else ():
        left = predicate.child_by_field_name("left")
        if left is not None and left.type != "lifetime":
            demanded = bounds(predicate.child_by_field_name("bounds"), names)
            demands.setdefault(bound(left, names), set()).update(demanded)
    return names, "; ".join(f"{name}: {' + '.join(sorted(said))}" for name, said in sorted(demands.items()))


def _is_public(node: "Node") -> bool:
    """Whether an item says `pub`, and not only to its own crate or module."""
    return any(child.type == "visibility_modifier" and text(child) == "pub" for child in node.children)


def _last_name(node: "Node | None") -> str:
    """The last name of a type: `Other` of `&pkg::Other<T>`."""
    while node is not None and node.type not in ("type_identifier", "primitive_type"):
        node = node.child_by_field_name("name") or node.child_by_field_name("type")
    return text(node)

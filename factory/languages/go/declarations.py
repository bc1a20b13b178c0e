"""What a source of Go declares at its top: functions, methods, types with what is in them, values."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from factory.languages.go.spelling import bound, parameters, result, written
from factory.languages.trees.declared import Declared
from factory.languages.trees.tree import text

if TYPE_CHECKING:
    from tree_sitter import Node

_TYPES: Final = ("type_spec", "type_alias")


def declarations(path: str, root: "Node") -> "Iterator[tuple[Declared, Node]]":
    """Each symbol and where it is declared, in the order of the source."""
    for node in root.named_children:
        match node.type:
            case "function_declaration":
                yield function(path, "", node), node
            case "method_declaration":
                scope = _receiver(node.child_by_field_name("receiver"))
                if scope:
                    yield function(path, f"{scope}.", node), node
            case "type_declaration":
                for spec in node.named_children:
                    if spec.type in _TYPES:
                        yield from _type(path, spec)
            case "const_declaration" | "var_declaration":
                yield from _values(path, node)


def function(path: str, scope: str, node: "Node") -> Declared:
    """A function or method as a symbol.

    Args:
        path: its file.
        scope: its type and a dot; empty for none.
        node: its declaration.
    """
    generics = node.child_by_field_name("type_parameters")
    names, form = _generics(generics)
    taken, given = node.child_by_field_name("parameters"), node.child_by_field_name("result")
    line = (written(generics) if generics is not None else "") + (written(taken) if taken is not None else "")
    if given is not None:
        line += f" {written(given)}"
    return Declared(
        path,
        scope + text(node.child_by_field_name("name")),
        "function",
        line,
        form=form,
        parameters=parameters(taken, names),
        result=result(given, names),
    )


def named_type(path: str, spec: "Node") -> Declared:
    """A type as a symbol."""
    generics = spec.child_by_field_name("type_parameters")
    line = written(generics) if generics is not None else ""
    return Declared(path, text(spec.child_by_field_name("name")), "type", line, form=_generics(generics)[1])


def value(path: str, name: str, kind: "Node | None") -> Declared:
    """A constant, a variable or a field as a symbol; without a type it leaves that open."""
    line = f" {written(kind)}" if kind is not None else ""
    return Declared(path, name, "value", line, result=bound(kind, {}))


def _type(path: str, spec: "Node") -> "Iterator[tuple[Declared, Node]]":
    outer = named_type(path, spec)
    yield outer, spec
    inner = spec.child_by_field_name("type")
    if inner is None:
        return
    if inner.type == "struct_type":
        fields = [node for child in inner.named_children for node in child.named_children]
        for field in fields:
            if field.type == "field_declaration":
                kind = field.child_by_field_name("type")
                names = [text(name) for name in field.children_by_field_name("name")] or [_last_name(kind)]
                yield from ((value(path, f"{outer.name}.{name}", kind), field) for name in names if name)
    elif inner.type == "interface_type":
        for method in inner.named_children:
            if method.type == "method_elem":
                yield function(path, f"{outer.name}.", method), method


def _values(path: str, node: "Node") -> "Iterator[tuple[Declared, Node]]":
    specs = [spec for child in node.named_children for spec in (child, *child.named_children)]
    repeated: Node | None = None
    for spec in specs:
        if spec.type in ("const_spec", "var_spec"):
            kind = spec.child_by_field_name("type")
            if spec.type == "const_spec":
                # A constant without a value repeats the last one's type.
                is_repeated = spec.child_by_field_name("value") is None
                kind = repeated = repeated if is_repeated and kind is None else kind
            for name in spec.children_by_field_name("name"):
                if name.is_named:
                    yield value(path, text(name), kind), spec


def _generics(node: "Node | None") -> tuple[Mapping[str, str], str]:
    """What type parameters are called by their places, and their constraints."""
    names: dict[str, str] = {}
    constraints: list[tuple[str, Node | None]] = []
    for declared in node.named_children if node is not None else ():
        for name in declared.children_by_field_name("name"):
            if name.is_named:
                names[text(name)] = f"${len(names) + 1}"
                constraints.append((text(name), declared.child_by_field_name("type")))
    form = ", ".join(bound(constraint, names) for _, constraint in constraints)
    return names, f"[{form}]" if constraints else ""


def _receiver(node: "Node | None") -> str:
    """The name of the type that a method belongs to."""
    declared = next((child for child in (node.named_children if node is not None else ())), None)
    return _last_name(declared.child_by_field_name("type")) if declared is not None else ""


def _last_name(node: "Node | None") -> str:
    """The last name of a type: `Other` of `*pkg.Other[int]`."""
    while node is not None and node.type != "type_identifier":
        inner = node.child_by_field_name("name") or node.child_by_field_name("type")
        if inner is None and node.named_child_count == 1:
            inner = node.named_child(0)
        node = inner
    return text(node)

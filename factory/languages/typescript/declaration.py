"""What a declaration of TypeScript or JavaScript declares, as a symbol. Pure."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from factory.languages.trees.declared import ANY, Declared
from factory.languages.trees.tree import text, walk
from factory.languages.typescript.types import (
    Parameter,
    first,
    parameter_names,
    parameters,
    type_parameters,
    type_text,
)

if TYPE_CHECKING:
    from tree_sitter import Node

INFERRED: Final = "inferred"
"""The form of a value whose type is not written, and is that of its literal."""

OPTIONAL: Final = "?"
"""The form of a member that may be left out."""

PRIMITIVES: Final = frozenset({"bigint", "boolean", "number", "string"})

FUNCTIONS: Final = frozenset(
    {
        "abstract_method_signature", "arrow_function", "function_declaration", "function_expression",
        "function_signature", "function_type", "generator_function", "generator_function_declaration",
        "method_definition", "method_signature",
    }
)  # fmt: skip
_LITERALS: Final[Mapping[str, str]] = {
    "number": "number", "string": "string", "template_string": "string",
    "true": "boolean", "false": "boolean",
}  # fmt: skip
_TYPES: Final = frozenset(
    {
        "abstract_class_declaration", "class", "class_declaration", "enum_declaration",
        "interface_declaration", "internal_module", "type_alias_declaration",
    }
)  # fmt: skip


def declared(module: str, name: str, node: "Node", around: Mapping[str, str] | None = None) -> Declared:
    """The symbol that a node declares.

    Args:
        module: the file that it is asked for in.
        name: its name there.
        node: the declaration, the member, or the value of a constant.
        around: what names of type parameters around it are replaced by.

    Raises:
        TooDeep: its types are nested too deeply.
    """
    made = _made(module, name, node, dict(around or {}), signs := _signs(node))
    return replace(made, before="static ") if "static" in signs else made


def _made(module: str, name: str, node: "Node", names: dict[str, str], signs: frozenset[str]) -> Declared:
    if node.type in FUNCTIONS:
        accessor = _accessor(node, signs)
        if accessor is not None:
            return _value(Declared(module, name, "value"), accessor, names)
        return _function(module, name, node, names)
    if node.type in _TYPES:
        return Declared(module, name, "type")
    if node.type == "enum_assignment":
        return Declared(module, name, "value")
    kind = node.child_by_field_name("type")
    value = node.child_by_field_name("value")
    made = Declared(module, name, "value", form=OPTIONAL if "?" in signs else "")
    if kind is not None:
        bare = _bare(kind)
        if bare.type == "function_type" and not made.form:
            return _function(module, name, bare, names)
        return _value(made, kind, names)
    inner = _unwrapped(value) if value is not None else node
    if inner.type in FUNCTIONS:
        return _function(module, name, inner, names)
    if inner.type in _TYPES:
        return Declared(module, name, "type")
    guess = _LITERALS.get(inner.type, ANY)
    return replace(made, result=guess, form=INFERRED, written=f": {guess}") if guess else made


def as_type(symbol: Declared) -> str:
    """The type of a function as a value."""
    shown = [
        f"{mark if mark != '.' else ''}{kind or 'any'}"
        for mark, kind in zip(_marks(symbol.form), symbol.parameters, strict=True)
    ]
    return f"(({', '.join(shown)}) => {symbol.result or 'any'})"


def arity(marks: list[str]) -> str:
    """How parameters are passed, a letter each: `.` must be, `?` may be, `*` takes the rest."""
    return "".join({"": ".", "?": "?", "...": "*"}[mark] for mark in marks)


def _marks(form: str) -> list[str]:
    return [{".": "", "?": "?", "*": "..."}[letter] for letter in form.partition("<")[0]]


def _function(module: str, name: str, node: "Node", names: dict[str, str]) -> Declared:
    given = parameters(node)
    renamed = {**names, **type_parameters(node, names), **parameter_names(given)}
    kinds = tuple(_passed(mark, type_text(kind, renamed)) for mark, kind, _ in given)
    annotation = node.child_by_field_name("return_type")
    result = type_text(annotation, renamed)
    generics = _bounds(node, renamed)
    returned = _one_line(annotation).removeprefix(":").strip()
    # Nobody calls what a constructor returns.
    if name.endswith("constructor"):
        result, returned = ANY, ""
    return Declared(
        module,
        name,
        "function",
        written=_one_line(node.child_by_field_name("type_parameters"))
        + _shown_parameters(given)
        + (f": {returned}" if returned else ""),
        form=arity([mark for mark, _, _ in given]) + generics,
        parameters=kinds,
        result=result,
    )


def _passed(mark: str, kind: str) -> str:
    """What callers pass: where they may leave it out, `undefined` is no more than that."""
    if mark == "?" and kind.startswith("(") and "=>" not in kind:
        members = [member for member in kind[1:-1].split(" | ") if member != "undefined"]
        return members[0] if len(members) == 1 else f"({' | '.join(members)})"
    return kind


def _bounds(node: "Node", names: Mapping[str, str]) -> str:
    """What type parameters must be: empty for none, `<>` for one without a bound."""
    listed = node.child_by_field_name("type_parameters")
    if listed is None:
        return ""
    bounds = [
        " ".join(type_text(part, names) for part in _constraint(child))
        for child in listed.named_children
        if child.type == "type_parameter"
    ]
    return f"<{', '.join(bounds)}>"


def _constraint(parameter: "Node") -> "list[Node]":
    constraint = parameter.child_by_field_name("constraint")
    return [] if constraint is None else constraint.named_children[:1]


def _shown_parameters(given: list[Parameter]) -> str:
    """The parameters as they are written, without values and modifiers."""
    shown: list[str] = []
    for mark, kind, pattern in given:
        is_name = pattern.type in ("identifier", "rest_pattern")
        name = " ".join(text(pattern).split()) if is_name else f"value{len(shown) + 1}"
        shown.append(f"{name}{mark if mark == '?' else ''}{_one_line(kind)}")
    return f"({', '.join(shown)})"


def _accessor(node: "Node", signs: frozenset[str]) -> "Node | None":
    """The node with the type of a property that is read or written by a method; None for other methods."""
    if node.type not in ("method_definition", "method_signature") or not signs & {"get", "set"}:
        return None
    if "get" in signs:
        return node.child_by_field_name("return_type") or node
    taken = parameters(node)
    return taken[0].kind if taken and taken[0].kind is not None else node


def _value(made: Declared, kind: "Node", names: Mapping[str, str]) -> Declared:
    if kind.type not in ("type_annotation", "type_predicate_annotation"):
        return made
    written = _one_line(kind).removeprefix(":").strip()
    result = type_text(kind, names)
    if made.form == OPTIONAL:
        result = _passed("?", result)
    return replace(made, result=result, written=f"{made.form}: {written}")


def _signs(node: "Node") -> frozenset[str]:
    """The words and signs of a declaration itself, such as `static`, `get` and `?`."""
    return frozenset(child.type for child in node.children if not child.is_named)


def _bare(kind: "Node") -> "Node":
    """A type without its colon and the brackets around it."""
    while kind.type in ("type_annotation", "parenthesized_type") and kind.named_child_count == 1:
        inner = first(kind)
        if inner is None:
            break
        kind = inner
    return kind


def _unwrapped(value: "Node") -> "Node":
    """A value without brackets, `as const` and `satisfies`."""
    while value.type in ("parenthesized_expression", "as_expression", "satisfies_expression"):
        inner = first(value)
        if inner is None:
            break
        value = inner
    return value


def _one_line(node: "Node | None") -> str:
    """What is written there, in one line, without comments, and with a separator behind every member."""
    if node is None:
        return ""
    written = text(node)
    # Most types have neither comments nor several lines, and a walk takes long.
    if re.search(r"[\n\r]|//|/\*", written) is None:
        return _spaced(written)
    data = written.encode("utf-8")
    changes: dict[tuple[int, int], bytes] = {}
    for part in walk(node):
        if part.type == "comment":
            changes[part.start_byte - node.start_byte, part.end_byte - node.start_byte] = b" "
        elif part.type in ("object_type", "interface_body"):
            for place in _unparted(part):
                changes[place - node.start_byte, place - node.start_byte] = b"; "
    for (start, end), new in sorted(changes.items(), reverse=True):
        data = data[:start] + new + data[end:]
    return _spaced(data.decode("utf-8"))


def _spaced(written: str) -> str:
    shown = " ".join(written.split())
    return shown.replace(" ,", ",").replace(" ;", ";").replace("( ", "(").replace(" )", ")")


def _unparted(node: "Node") -> "Iterator[int]":
    """Where the members of an object's type end that only the end of a line parts from the next."""
    parts = [child for child in node.children if child.type != "comment"]
    for member, behind in pairwise(parts):
        if member.is_named and behind.is_named:
            yield member.end_byte

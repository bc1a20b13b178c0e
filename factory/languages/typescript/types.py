"""Types in a form in which two spellings of one type are one text. Pure.

Members of unions and intersections have no order; `T[]` is `Array<T>`, `readonly T[]` is `ReadonlyArray<T>`;
quotes, blanks, brackets that change nothing, trailing separators and names of parameters don't count. Names
are taken as they are written: whether an alias stands for something else is not known here.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from factory.contract.errors import WorkorderError
from factory.languages.trees.tree import text

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_DEPTH: Final = 60
"""How deeply a type may be nested."""

_FUNCTIONS: Final = (
    "function_type",
    "constructor_type",
    "method_signature",
    "call_signature",
    "construct_signature",
    "abstract_method_signature",
    "method_definition",
)
_NAME: Final = r"[A-Za-z_$][\w$]*"
_PLAIN: Final = re.compile(rf"{_NAME}(?:<{_NAME}(?:, {_NAME})*>)?")
"""A type that is written in its one form, as most are: a name, with names in its brackets."""

_WORD: Final = re.compile(r"[\w$]+")
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)


class TooDeep(WorkorderError):
    """A type or declaration that is nested too deeply to be read."""


def type_text(node: "Node | None", names: Mapping[str, str], depth: int = 0) -> str:
    """A type in its one form; empty for none.

    Args:
        node: the type, or its annotation.
        names: what names of type parameters, and of parameters that a predicate names, are replaced by.
        depth: how deeply it is nested already.

    Raises:
        TooDeep: it is nested too deeply.
    """
    if node is None:
        return ""
    if depth > MOST_DEPTH:
        raise TooDeep("is nested too deeply", hint="give the types names")
    if not depth and node.type == "type_annotation":
        said = text(node).removeprefix(":").strip()
        if _PLAIN.fullmatch(said) and names.keys().isdisjoint(_WORD.findall(said)):
            return said
    inner = node.named_children

    def of(child: "Node | None") -> str:
        return type_text(child, names, depth + 1)

    match node.type:
        case "type_annotation" | "type_predicate_annotation" | "asserts_annotation" | "parenthesized_type":
            return of(first(node))
        case "union_type":
            return _joined(_members(node, "union_type"), " | ", of)
        case "intersection_type":
            return _joined(_members(node, "intersection_type"), " & ", of)
        case "array_type":
            return f"Array<{of(first(node))}>"
        case "readonly_type":
            element = of(first(node))
            return f"Readonly{element}" if element.startswith("Array<") else f"readonly {element}"
        case "generic_type":
            name = text(node.child_by_field_name("name"))
            arguments = node.child_by_field_name("type_arguments")
            listed = [of(child) for child in _named(arguments)]
            return f"{name}<{', '.join(listed)}>"
        case kind if kind in _FUNCTIONS:
            return function_text(node, names, depth + 1)
        case "object_type" | "interface_body":
            return "{" + "; ".join(sorted(_member(child, names, depth + 1) for child in _named(node))) + "}"
        case "tuple_type":
            return "[" + ", ".join(_element(child, names, depth + 1) for child in _named(node)) + "]"
        case "literal_type" if len(inner) == 1 and inner[0].type == "string":
            return _quoted(inner[0])
        case "string" if node.is_named:
            return _quoted(node)
        case "predefined_type":
            return text(node)
        case "identifier" | "type_identifier":
            return names.get(text(node), text(node))
        case _:
            if not node.children:
                return text(node)
            return " ".join(of(child) for child in node.children if child.type != "comment")


def function_text(node: "Node", names: Mapping[str, str], depth: int = 0) -> str:
    """The type of a function in its one form, names of its parameters left out."""
    given = parameters(node)
    names = {**names, **type_parameters(node, names), **parameter_names(given)}
    shown = [f"{mark}{type_text(kind, names, depth + 1) or 'any'}" for mark, kind, _ in given]
    result = type_text(node.child_by_field_name("return_type"), names, depth + 1)
    made = "new " if node.type in ("constructor_type", "construct_signature") else ""
    return f"({made}({', '.join(shown)}) => {result or 'any'})"


def type_parameters(node: "Node", names: Mapping[str, str]) -> dict[str, str]:
    """What the names of a declaration's type parameters are replaced by: their places behind those around it.

    Args:
        node: the declaration.
        names: what names around it are replaced by.
    """
    listed = node.child_by_field_name("type_parameters")
    if listed is None:
        return {}
    start = sum(place.startswith("$") for place in names.values())
    given = [child.child_by_field_name("name") for child in _named(listed)]
    return {text(name): f"${start + number}" for number, name in enumerate(given)}


class Parameter(NamedTuple):
    """A parameter that callers pass.

    Attributes:
        mark: `?` where callers may leave it out, `...` where it takes the rest, else empty.
        kind: its type; None where it has none.
        pattern: what names it, or takes it apart.
    """

    mark: str
    kind: "Node | None"
    pattern: "Node"


def parameters(node: "Node") -> list[Parameter]:
    """The parameters of a function that callers pass, so without `this`."""
    listed = node.child_by_field_name("parameters")
    if listed is None:
        alone = node.child_by_field_name("parameter")
        return [] if alone is None else [Parameter("", None, alone)]
    made: list[Parameter] = []
    for child in _named(listed):
        form = child.type
        pattern = child.child_by_field_name("pattern") or child.child_by_field_name("left")
        if pattern is None:
            inner = child.named_children if form != "rest_pattern" else []
            pattern = next((part for part in inner if part.type in ("identifier", "this")), child)
        if pattern.type == "this":
            continue
        if "rest_pattern" in (form, pattern.type):
            mark = "..."
        elif form in ("optional_parameter", "assignment_pattern") or child.child_by_field_name("value"):
            mark = "?"
        else:
            mark = ""
        made.append(Parameter(mark, child.child_by_field_name("type"), pattern))
    return made


def parameter_names(given: Iterable[Parameter]) -> dict[str, str]:
    """What the names of a function's parameters are replaced by where its result names them."""
    return {
        text(pattern): f"#{number}"
        for number, (_, _, pattern) in enumerate(given)
        if pattern.type == "identifier"
    }


def _members(node: "Node", kind: str) -> list["Node"]:
    """What a union or an intersection joins, those inside of brackets included."""
    made: list[Node] = []
    waiting = [node]
    while waiting:
        reached = waiting.pop()
        if reached.type == kind or (reached.type == "parenthesized_type" and reached.named_child_count == 1):
            waiting.extend(reversed(_named(reached)))
        else:
            made.append(reached)
    return made


def _joined(members: list["Node"], sign: str, of) -> str:  # type: ignore[no-untyped-def]
    made = sorted({of(member) for member in members})
    return made[0] if len(made) == 1 else f"({sign.join(made)})"


def _member(node: "Node", names: Mapping[str, str], depth: int) -> str:
    """A member of an object's type."""
    if node.type in ("call_signature", "construct_signature", "index_signature"):
        return type_text(node, names, depth) if node.type != "index_signature" else _index(node, names, depth)
    name = key_text(node.child_by_field_name("name"))
    children = {child.type for child in node.children}
    mark = "?" if "?" in children else ""
    before = "readonly " if "readonly" in children else ""
    if node.type == "method_signature":
        return f"{name}{mark}: {function_text(node, names, depth)}"
    return f"{before}{name}{mark}: {type_text(node.child_by_field_name('type'), names, depth) or 'any'}"


def _index(node: "Node", names: Mapping[str, str], depth: int) -> str:
    key = type_text(node.child_by_field_name("index_type"), names, depth)
    return f"[{key}]: {type_text(node.child_by_field_name('type'), names, depth)}"


def _element(node: "Node", names: Mapping[str, str], depth: int) -> str:
    """An element of a tuple, whose label doesn't count."""
    if node.type in ("required_parameter", "optional_parameter"):
        pattern = first(node)
        rest = "..." if pattern is not None and pattern.type == "rest_pattern" else ""
        mark = "?" if node.type == "optional_parameter" else ""
        return f"{rest}{type_text(node.child_by_field_name('type'), names, depth)}{mark}"
    if node.type in ("rest_type", "optional_type"):
        inner = type_text(first(node), names, depth)
        return f"...{inner}" if node.type == "rest_type" else f"{inner}?"
    return type_text(node, names, depth)


def key_text(node: "Node | None") -> str:
    """The name of a member, without quotes where it needs none."""
    if node is not None and node.type == "string":
        inner = text(node)[1:-1]
        return inner if re.fullmatch(r"[A-Za-z_$][\w$]*", inner) else _quoted(node)
    return text(node)


def _quoted(node: "Node") -> str:
    inner = text(node)[1:-1]
    return json.dumps(_ESCAPED.sub(lambda match: match[1] if match[1] in "'\"" else match[0], inner))


def first(node: "Node") -> "Node | None":
    """The first named child that is no comment; None for none."""
    return next(iter(_named(node)), None)


def _named(node: "Node | None") -> list["Node"]:
    return [] if node is None else [child for child in node.named_children if child.type != "comment"]

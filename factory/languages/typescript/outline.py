"""The outline of a source: its exported names, as a plan writes them in `provides` and `consumes`. Pure.

A line without `//` can be copied into a plan; what has no such form is in lines with it.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from factory.languages.port import Outlined
from factory.languages.trees.declared import Declared
from factory.languages.trees.tree import text, walk
from factory.languages.typescript.declaration import declared
from factory.languages.typescript.members import members
from factory.languages.typescript.module import DEFAULT, Elsewhere, Module, read_module
from factory.languages.typescript.types import TooDeep, first, type_parameters
from factory.languages.typescript.written import stands_alone

if TYPE_CHECKING:
    from tree_sitter import Node

_MOST_LINES: Final = 400
_MOST_NAMES: Final = 20
_TESTS: Final = frozenset({"describe", "it", "suite", "test"})


def outline(path: str, data: bytes) -> Outlined:
    """The exported names of a source with their signatures, and the public members of its types."""
    module = read_module(path, data)
    if module.problem:
        return Outlined("", f"its source {module.problem}")
    lines = list(dict.fromkeys(_lines(module)))
    if not lines:
        return Outlined("")
    more = [f"//   … and {len(lines) - _MOST_LINES} more"] if len(lines) > _MOST_LINES else []
    return Outlined("\n".join([_heading(module), *lines[:_MOST_LINES], *more]))


def names(path: str, data: bytes) -> Outlined:
    """The names that a source exports or declares, and the titles of its tests, in a line or two."""
    module = read_module(path, data)
    if module.problem:
        return Outlined("", f"its source {module.problem}")
    known = [*(name for name in module.exports if name != DEFAULT), *_titles(module.root)]
    known = list(dict.fromkeys(known or module.declarations))
    if not known:
        return Outlined("")
    more = f", … and {len(known) - _MOST_NAMES} more" if len(known) > _MOST_NAMES else ""
    return Outlined(f"{_heading(module)}\n//   {', '.join(known[:_MOST_NAMES])}{more}")


def _heading(module: Module) -> str:
    # The implementer is shown a file that it changes whole, so its size matters to a plan.
    return f"// {module.path}, {module.lines:,} line{'' if module.lines == 1 else 's'}"


def _lines(module: Module) -> Iterator[str]:
    for name, exported in module.exports.items():
        nodes: list[Node] = []
        for each in exported:
            if isinstance(each, Elsewhere):
                there = f" ({each.name})" if each.name not in (name, "") else ""
                yield f"//   exports {name}{there} of {each.specifier}"
            elif isinstance(each, str) and each in module.imports:
                yield f"//   exports {name} of {module.imports[each].specifier}"
            else:
                nodes += module.declarations.get(each, []) if isinstance(each, str) else [each]
        if any(node.type == "function_signature" for node in nodes):
            nodes = [node for node in nodes if node.type != "function_declaration"]
        for node in nodes:
            yield from _of(module.path, name, node)
    for specifier in module.stars:
        yield f"//   exports all of {specifier}"


def _of(path: str, name: str, node: "Node") -> Iterator[str]:
    try:
        yield _line(declared(path, name, node))
        around = {key: key for key in type_parameters(node, {})}
        for member, inner in members(node):
            yield _line(declared(path, f"{name}.{member}", inner, around))
    except TooDeep:
        yield f"//   {name} is nested too deeply to be read"


def _line(symbol: Declared) -> str:
    is_plain = all(part.isidentifier() for part in symbol.name.replace("$", "_").split("."))
    if not is_plain or not symbol.text.isprintable():
        return f"//   {ascii(symbol.name)[1:-1]}"
    if symbol.kind in ("type", "value") and not symbol.written and not stands_alone(symbol.name):
        return f"//   {symbol.text}{', of a type that is not written' if symbol.kind == 'value' else ''}"
    return symbol.text


def _titles(root: "Node | None") -> Iterator[str]:
    """The titles of tests: the first texts of `test`, `it` and `describe`."""
    for node in walk(root) if root is not None else ():
        if node.type != "call_expression":
            continue
        called = text(node.child_by_field_name("function")).partition(".")[0]
        given = node.child_by_field_name("arguments")
        title = first(given) if given is not None and called in _TESTS else None
        if title is not None and title.type == "string" and text(title).isprintable():
            yield text(title)[1:-1]

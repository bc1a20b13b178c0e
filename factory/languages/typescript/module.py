"""A source as a module: what it declares, what it exports and from where. Pure.

Of CommonJS, `exports.NAME = …`, `module.exports = {…}` and `module.exports = VALUE` at the top are read.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from factory.languages.trees.tree import text
from factory.languages.typescript.grammar import parse_source
from factory.languages.typescript.types import first, key_text

if TYPE_CHECKING:
    from tree_sitter import Node

DEFAULT: Final = "default"
"""The name of a default export."""

_DECLARATIONS: Final = frozenset(
    {
        "abstract_class_declaration", "class_declaration", "enum_declaration", "function_declaration",
        "function_signature", "generator_function_declaration", "interface_declaration", "internal_module",
        "type_alias_declaration",
    }
)  # fmt: skip
_CONSTANTS: Final = ("lexical_declaration", "variable_declaration")


@dataclass(frozen=True)
class Elsewhere:
    """A name of another module.

    Attributes:
        specifier: the module, as it is named.
        name: the name there; empty for the whole module.
    """

    specifier: str
    name: str


@dataclass
class Module:
    """A source.

    Attributes:
        path: its path.
        problem: why it can't be read, as what is said of the file; empty if it can.
        declarations: what each name at the top is declared by; several for overloads and merged types.
        imports: what each imported name stands for.
        exports: by the name under which it is exported, the name here, the node or the name elsewhere.
        stars: the modules of which all is exported again.
        is_open: whether it exports what can't be told.
        lines: how many lines it has.
        root: its tree; None if it can't be read.
    """

    path: str
    problem: str = ""
    declarations: "dict[str, list[Node]]" = field(default_factory=lambda: defaultdict(list))
    imports: dict[str, Elsewhere] = field(default_factory=dict)
    exports: "dict[str, list[str | Node | Elsewhere]]" = field(default_factory=lambda: defaultdict(list))
    stars: list[str] = field(default_factory=list)
    is_open: bool = False
    lines: int = 0
    root: "Node | None" = None


def read_module(path: str, data: bytes) -> Module:
    """The module that a source is; what could be read of one with errors."""
    tree = parse_source(path, data)
    module = Module(path, tree.problem, lines=len(data.splitlines()), root=tree.root)
    if tree.root is None or tree.problem:
        return module
    for statement in tree.root.named_children:
        match statement.type:
            case "export_statement":
                _export(module, statement)
            case "import_statement":
                _import(module, statement)
            case "expression_statement":
                _commonjs(module, first(statement))
            case _:
                for name, node in _declared(statement):
                    module.declarations[name].append(node)
    return module


def _declared(node: "Node | None") -> "list[tuple[str, Node]]":
    """The names that a statement declares, each with what declares it."""
    if node is None:
        return []
    if node.type == "ambient_declaration":
        return [pair for child in node.named_children for pair in _declared(child)]
    if node.type == "expression_statement" and node.named_child_count == 1:
        return _declared(first(node))
    if node.type in _DECLARATIONS:
        return [(text(node.child_by_field_name("name")), node)]
    if node.type in _CONSTANTS:
        return [pair for child in node.named_children for pair in _constant(child)]
    return []


def _constant(node: "Node") -> "list[tuple[str, Node]]":
    name = node.child_by_field_name("name")
    if node.type != "variable_declarator" or name is None:
        return []
    if name.type == "identifier":
        return [(text(name), node)]
    # `const { a, b: c } = …`: the names have no type of their own.
    return [
        (text(part), part)
        for child in name.named_children
        for part in (child.child_by_field_name("value") or child,)
        if part.type in ("identifier", "shorthand_property_identifier_pattern")
    ]


def _export(module: Module, statement: "Node") -> None:
    source = statement.child_by_field_name("source")
    specifier = text(source)[1:-1]
    kinds = {child.type for child in statement.children}
    declaration = statement.child_by_field_name("declaration")
    if declaration is not None:
        for name, node in _declared(declaration):
            module.declarations[name].append(node)
            module.exports[DEFAULT if DEFAULT in kinds else name].append(node)
        if DEFAULT in kinds and not _declared(declaration):
            module.exports[DEFAULT].append(declaration)
        return
    value = statement.child_by_field_name("value")
    if value is not None:
        module.exports[DEFAULT].append(text(value) if value.type == "identifier" else value)
        return
    for child in statement.named_children:
        if child.type == "export_clause":
            for inner in child.named_children:
                if inner.type == "export_specifier":
                    name = key_text(inner.child_by_field_name("name"))
                    shown = key_text(inner.child_by_field_name("alias")) or name
                    module.exports[shown].append(Elsewhere(specifier, name) if source is not None else name)
        elif child.type == "namespace_export":
            shown = text(first(child))
            module.exports[shown].append(Elsewhere(specifier, ""))
        elif child.type == "identifier" and "=" in kinds:
            module.exports[DEFAULT].append(text(child))
    if "*" in kinds and source is not None:
        module.stars.append(specifier)


def _import(module: Module, statement: "Node") -> None:
    specifier = text(statement.child_by_field_name("source"))[1:-1]
    for clause in statement.named_children:
        if clause.type != "import_clause":
            continue
        for part in clause.named_children:
            if part.type == "identifier":
                module.imports[text(part)] = Elsewhere(specifier, DEFAULT)
            elif part.type == "namespace_import":
                module.imports[text(first(part))] = Elsewhere(specifier, "")
            elif part.type == "named_imports":
                for inner in part.named_children:
                    if inner.type == "import_specifier":
                        name = key_text(inner.child_by_field_name("name"))
                        shown = text(inner.child_by_field_name("alias")) or name
                        module.imports[shown] = Elsewhere(specifier, name)


def _commonjs(module: Module, expression: "Node | None") -> None:
    if expression is None or expression.type != "assignment_expression":
        return
    left, right = expression.child_by_field_name("left"), expression.child_by_field_name("right")
    target = "".join(text(left).split())
    if right is None:
        return
    if target == "module.exports":
        # `module.exports = exports = …`
        _whole(module, right)
        return
    for before in ("module.exports.", "exports."):
        name = target.removeprefix(before)
        if name != target and name.isidentifier():
            module.exports[name].append(text(right) if right.type == "identifier" else right)
            return


def _whole(module: Module, right: "Node") -> None:
    if right.type != "object":
        module.exports[DEFAULT].append(text(right) if right.type == "identifier" else right)
        return
    for child in right.named_children:
        if child.type == "shorthand_property_identifier":
            module.exports[text(child)].append(text(child))
        elif child.type == "pair":
            value = child.child_by_field_name("value")
            if value is not None:
                name = key_text(child.child_by_field_name("key"))
                module.exports[name].append(text(value) if value.type == "identifier" else value)
        elif child.type == "method_definition":
            module.exports[text(child.child_by_field_name("name"))].append(child)
        elif child.type == "spread_element":
            module.is_open = True

"""The public names of one module, line by line: what can be copied into a plan, and with `#` what can't."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from factory.languages.python.outline.copyable import is_copyable
from factory.languages.python.symbols.annotation import last_name
from factory.languages.python.symbols.classes import has_fields, instance_attributes
from factory.languages.python.symbols.definition import Definition
from factory.languages.python.symbols.module import Module
from factory.languages.python.symbols.scope import Binding, Import, Scope, class_scope, is_overload
from factory.languages.python.symbols.shapes import Function
from factory.languages.python.symbols.sources import PythonSources
from factory.languages.python.symbols.symbol import Symbol
from factory.system.terminal.console import one_line

_DOCSTRING_CHARS: Final = 120
_MAX_NESTING: Final = 2
"""How many classes inside each other are shown."""

_TYPE_VARIABLES: Final = frozenset({"TypeVar", "ParamSpec", "TypeVarTuple", "NewType"})


class ModuleLines:
    """The lines of one module.

    Args:
        sources: where its names lead to.
        module: the module, as it was read without a problem.
    """

    def __init__(self, sources: PythonSources, module: Module) -> None:
        self._sources = sources
        self._module = module

    def lines(self, *, is_package: bool) -> list[str]:
        """What it defines, then what has no written form, then what it imports for others.

        Raises:
            RecursionError: its source is nested too deeply.
        """
        exports = self._module.exports or frozenset()
        names = {
            name: bound
            for name, bound in self._module.scope.names.items()
            if name in exports or not name.startswith("_")
        }
        lines: list[str] = []
        unwritable: list[str] = []
        for name, bound in names.items():
            if _is_defined(bound):
                written = list(self._definition(name, bound))
                lines += written
                unwritable += [] if written else [name]
        if unwritable:
            lines.append(f"# also: {', '.join(unwritable)}")
        if is_package:
            lines += [f"# everything from {star}" for star in self._module.scope.stars]
        return lines + self._imports(names, exports, is_package=is_package)

    def _imports(
        self, names: Mapping[str, Sequence[Binding]], exports: frozenset[str], *, is_package: bool
    ) -> list[str]:
        """What is imported to be used by others: what is exported, and what a package takes from its own."""
        by_origin: dict[str, list[str]] = {}
        for name, bound in names.items():
            origin = next((binding.module for binding in bound if isinstance(binding, Import)), None)
            if origin is not None and (
                name in exports or (is_package and self._sources.module(origin) is not None)
            ):
                by_origin.setdefault(origin, []).append(name)
        return [f"# from {origin}: {', '.join(imported)}" for origin, imported in by_origin.items()]

    def _definition(self, name: str, bound: Sequence[Binding]) -> Iterator[str]:
        node = next((binding for binding in bound if isinstance(binding, ast.ClassDef)), None)
        if node is not None:
            yield from self._class(name, node, 1)
        else:
            yield from self._written(name, bound)

    def _class(self, name: str, node: ast.ClassDef, depth: int) -> Iterator[str]:
        scope = class_scope(node, self._module.package)
        made = self._constructor(name, node, scope)
        own = self._written(name, [node])
        yield from _about(name, node, is_writable=bool(own))
        yield from own
        if made is not None and is_copyable(made):
            yield made.text
        fields: frozenset[str] = frozenset()
        if made is not None and isinstance(made.shape, Function) and has_fields(node):
            fields = frozenset(member.name for member in made.shape.signature.parameters)
        unwritable: list[str] = []
        for inner, bound in scope.names.items():
            if _is_shown_member(inner, bound) and inner not in fields:
                written = list(self._member(f"{name}.{inner}", bound, depth))
                yield from written
                unwritable += [] if written else [inner]
        attributes = (attribute for attribute, _, _ in instance_attributes(node))
        unwritable += [
            member for member in attributes if not member.startswith("_") and member not in scope.names
        ]
        if unwritable:
            yield f"#   {name} also has: {', '.join(dict.fromkeys(unwritable))}"

    def _member(self, name: str, bound: Sequence[Binding], depth: int) -> Iterator[str]:
        nested = next((binding for binding in bound if isinstance(binding, ast.ClassDef)), None)
        if nested is not None and depth < _MAX_NESTING:
            yield from self._class(name, nested, depth + 1)
        elif not name.rpartition(".")[2].startswith("__"):
            yield from self._attributes(name, bound)

    def _constructor(self, name: str, node: ast.ClassDef, scope: Scope) -> Symbol | None:
        """The constructor that the class itself has; an inherited one is shown where it is defined."""
        if "__init__" not in scope.names and not has_fields(node):
            return None
        definitions = self._sources.find(self._module.name, f"{name}.__init__").definitions
        return next(
            (definition for definition in definitions if isinstance(definition.shape, Function)), None
        )

    def _attributes(self, name: str, bound: Sequence[Binding]) -> tuple[str, ...]:
        """The written forms of what a name is bound to in a class."""
        shown = bound[-1:] if any(is_overload(binding) for binding in bound) else bound
        symbols = [
            Symbol(self._module.name, name, Definition(self._module, binding, in_class=True).shape)
            for binding in shown
            if isinstance(binding, ast.FunctionDef | ast.AsyncFunctionDef | ast.AnnAssign)
        ]
        return tuple(dict.fromkeys(binding.text for binding in symbols if is_copyable(binding)))

    def _written(self, name: str, bound: Sequence[Binding]) -> list[str]:
        """The written forms of what a name is bound to; several where a condition decides."""
        symbols = self._sources.find(self._module.name, name).definitions
        # Of a function with overloads the last definition is the one that runs.
        shown = symbols[-1:] if any(is_overload(symbol) for symbol in bound) else symbols
        return [symbol.text for symbol in shown if is_copyable(symbol)]


def first_line(docstring: str) -> str:
    """The first line of a docstring, shortened."""
    line = one_line(docstring.strip().partition("\n")[0].strip())
    return line if len(line) <= _DOCSTRING_CHARS else line[: _DOCSTRING_CHARS - 1] + "…"


def _about(name: str, node: ast.ClassDef, *, is_writable: bool) -> Iterator[str]:
    """What a class inherits and what it is for; also its name, if a plan can't write that alone."""
    bases = ", ".join(filter(None, (last_name(base) for base in node.bases)))
    said = first_line(ast.get_docstring(node) or "")
    if bases or said or not is_writable:
        yield f"# class {name}" + (f"({bases})" if bases else "") + (f": {said}" if said else "")


def _is_defined(bound: Sequence[Binding]) -> bool:
    """Whether a name of a module stands for something of its own: no import, no type variable."""
    if any(isinstance(binding, Import) for binding in bound):
        return False
    if any(isinstance(binding, ast.ClassDef) for binding in bound):
        return True
    return any(binding is not None for binding in bound) and not any(
        _is_type_variable(binding) for binding in bound
    )


def _is_shown_member(name: str, bound: Sequence[Binding]) -> bool:
    if name.startswith("__"):
        is_function = any(isinstance(binding, ast.FunctionDef | ast.AsyncFunctionDef) for binding in bound)
        return is_function and name not in ("__init__", "__post_init__", "__repr__")
    return not name.startswith("_") and any(binding is not None for binding in bound)


def _is_type_variable(binding: Binding) -> bool:
    return (
        isinstance(binding, ast.Assign)
        and isinstance(binding.value, ast.Call)
        and last_name(binding.value.func) in _TYPE_VARIABLES
    )

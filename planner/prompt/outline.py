"""The outline of Python modules: their public names, as a plan writes them in `provides` and `consumes`.

A line without `#` can be copied into a plan and passes the rules about symbols; what has no such form, and
what helps to choose, is in lines with `#`. Sources are read with `ast`; nothing is imported.
"""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from factory.contract.symbols.classes import (
    instance_attributes,
    is_dataclass,
    is_named_tuple,
    last_name,
)
from factory.contract.symbols.definition import Definition
from factory.contract.symbols.module import Module, imported_names, parse_module
from factory.contract.symbols.scope import Binding, Import, Scope, class_scope, is_overload
from factory.contract.symbols.shapes import Function
from factory.contract.symbols.sources import PythonSources, Read
from factory.contract.symbols.symbol import Symbol
from factory.contract.symbols.written import BadSymbol, parse_symbol
from planner.diagnostics.diagnostic import one_line
from planner.repository.module_files import INIT, ModuleFiles, is_test

_DOCSTRING_CHARS: Final = 120
_MAX_NAMES: Final = 20
"""How many names of a module, or of those that it uses, are listed where only names are."""

_MAX_NESTING: Final = 2
"""How many classes inside each other are shown."""

_TYPE_VARIABLES: Final = frozenset({"TypeVar", "ParamSpec", "TypeVarTuple", "NewType"})


@dataclass(frozen=True)
class Outlined:
    """A module's outline.

    Attributes:
        text: its lines; empty if it has no public names.
        problem: why it can't be read, as what is said of the module; empty if it can.
    """

    text: str
    problem: str = ""


class Outliner:
    """Outlines modules of a repository.

    Args:
        files: its tracked files.
        read: gives their bytes.
    """

    def __init__(self, files: frozenset[str], read: Read) -> None:
        self._files = files
        self._read = read
        self._modules = ModuleFiles(files)
        self._sources: dict[str, PythonSources] = {}

    def outline(self, path: str) -> Outlined:
        """The outline of a module, signatures included.

        Raises:
            WorkorderError: the file can't be read.
        """
        found = self._modules.module(path)
        if found is None:
            return self.summary(path)
        name, root = found
        if root not in self._sources:
            self._sources[root] = PythonSources(self._tracked, (root,))
        sources = self._sources[root]
        module = sources.module(name)
        if module is None or module.problem:
            return Outlined("", module.problem if module is not None else "it is missing in the checkout")
        try:
            lines = list(_Lines(sources, module).all(is_package=path.endswith(f"/{INIT}")))
        except RecursionError:
            return Outlined("", f"its source `{path}` is nested too deeply to be read")
        if not lines and not module.docstring:
            return Outlined("")
        return Outlined("\n".join([_heading(path, module), *lines]))

    def summary(self, path: str) -> Outlined:
        """What a module is for, and the names of its public functions and classes.

        Raises:
            WorkorderError: the file can't be read.
        """
        module = self._parsed(path, self._read(path) or b"")
        names = _names(module)
        if module.problem or not (names or module.docstring):
            return Outlined("", module.problem)
        return Outlined("\n".join([_heading(path, module), *([f"#   {names}"] if names else [])]))

    def names(self, path: str) -> Outlined:
        """The names of the public functions and classes of a test module, and the modules that it uses.

        Raises:
            WorkorderError: the file can't be read.
        """
        data = self._read(path) or b""
        module = self._parsed(path, data)
        names = _names(module)
        if module.problem or not names:
            return Outlined("", module.problem)
        found = {self._modules.beginning(name) for name in imported_names(module, data)}
        uses = _first(sorted(name for name in found if name and not is_test(f"{name.replace('.', '/')}.py")))
        return Outlined("\n".join([f"# {one_line(path)}: {names}", *([f"#   uses {uses}"] if uses else [])]))

    def _parsed(self, path: str, data: bytes) -> Module:
        name, _ = self._modules.module(path) or ("", "")
        package = name if path.endswith(f"/{INIT}") else name.rpartition(".")[0]
        return parse_module(name, package, path, data)

    def _tracked(self, path: str) -> bytes | None:
        return self._read(path) if path in self._files else None


class _Lines:
    """The lines of one module."""

    def __init__(self, sources: PythonSources, module: Module) -> None:
        self._sources = sources
        self._module = module

    def all(self, *, is_package: bool) -> Iterator[str]:
        exports = self._module.exports or frozenset()
        imported: dict[str, list[str]] = {}
        others: list[str] = []
        for name, bound in self._module.scope.names.items():
            if name.startswith("_") and name not in exports:
                continue
            origins = [one.module for one in bound if isinstance(one, Import)]
            if origins:
                is_own = is_package and self._sources.module(origins[0]) is not None
                if is_own or name in exports:
                    imported.setdefault(origins[0], []).append(name)
                continue
            classes = [one for one in bound if isinstance(one, ast.ClassDef)]
            if classes:
                yield from self._class(name, classes[0], 1)
            elif any(one is not None for one in bound) and not any(_is_type_variable(one) for one in bound):
                lines = self._written(name, bound)
                yield from lines
                others += [] if lines else [name]
        if others:
            yield f"# also: {', '.join(others)}"
        if is_package:
            yield from (f"# everything from {star}" for star in self._module.scope.stars)
        yield from (f"# from {origin}: {', '.join(names)}" for origin, names in imported.items())

    def _class(self, name: str, node: ast.ClassDef, depth: int) -> Iterator[str]:
        scope = class_scope(node, self._module.package)
        made = self._constructor(name, node, scope)
        own = self._written(name, [node])
        yield from _about(name, node, is_writable=bool(own))
        yield from own
        parameters: frozenset[str] = frozenset()
        if made is not None:
            yield from [made.text] if _is_copyable(made) else []
            if (is_dataclass(node) or is_named_tuple(node)) and isinstance(made.shape, Function):
                parameters = frozenset(one.name for one in made.shape.signature.parameters)
        others: list[str] = []
        for inner, bound in scope.names.items():
            if not _is_shown_member(inner, bound) or inner in parameters:
                continue
            nested = [one for one in bound if isinstance(one, ast.ClassDef)]
            if nested and depth < _MAX_NESTING:
                yield from self._class(f"{name}.{inner}", nested[0], depth + 1)
                continue
            lines = () if inner.startswith("__") else self._members(f"{name}.{inner}", bound)
            yield from lines
            others += [] if lines else [inner]
        for attribute, _, _ in instance_attributes(node):
            if not attribute.startswith("_") and attribute not in scope.names and attribute not in others:
                others.append(attribute)
        if others:
            yield f"#   {name} also has: {', '.join(others)}"

    def _constructor(self, name: str, node: ast.ClassDef, scope: Scope) -> Symbol | None:
        """The constructor that the class itself has; an inherited one is shown where it is defined."""
        if "__init__" not in scope.names and not is_dataclass(node) and not is_named_tuple(node):
            return None
        found = self._sources.find(self._module.name, f"{name}.__init__").found
        return next((one for one in found if isinstance(one.shape, Function)), None)

    def _members(self, name: str, bound: Sequence[Binding]) -> tuple[str, ...]:
        """The written forms of what a name is bound to in a class."""
        shown = bound[-1:] if any(is_overload(one) for one in bound) else bound
        symbols = [
            Symbol(self._module.name, name, Definition(self._module, one, in_class=True).shape)
            for one in shown
            if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.AnnAssign)
        ]
        return tuple(dict.fromkeys(one.text for one in symbols if _is_copyable(one)))

    def _written(self, name: str, bound: Sequence[Binding]) -> list[str]:
        """The written forms of what a name is bound to; several where a condition decides."""
        found = self._sources.find(self._module.name, name).found
        # Of a function with overloads the last definition is the one that runs.
        shown = found[-1:] if any(is_overload(one) for one in bound) else found
        return [one.text for one in shown if _is_copyable(one)]


def _is_copyable(symbol: Symbol) -> bool:
    """Whether the written form can be read back, and means the same."""
    try:
        return symbol.keeps(parse_symbol(symbol.text))
    except BadSymbol:
        return False


def _names(module: Module) -> str:
    """The names of the public functions and classes."""
    names = [
        name
        for name, bound in module.scope.names.items()
        if not name.startswith("_") and any(_is_definition(one) for one in bound)
    ]
    return _first(names)


def _first(names: Sequence[str]) -> str:
    """The names in one line; of many, the first."""
    more = f", … and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    return ", ".join(names[:_MAX_NAMES]) + more


def _heading(path: str, module: Module) -> str:
    # The implementer is shown a file whole, so its size matters to a plan.
    head = f"# {one_line(path)}, {module.line_count:,} line{'' if module.line_count == 1 else 's'}"
    said = _first_line(module.docstring)
    return f"{head}: {said}" if said else head


def _about(name: str, node: ast.ClassDef, *, is_writable: bool) -> Iterator[str]:
    """What a class inherits and what it is for; also its name, if a plan can't write that alone."""
    bases = ", ".join(filter(None, (last_name(base) for base in node.bases)))
    said = _first_line(ast.get_docstring(node) or "")
    if bases or said or not is_writable:
        yield f"# class {name}" + (f"({bases})" if bases else "") + (f": {said}" if said else "")


def _first_line(docstring: str) -> str:
    line = one_line(docstring.strip().partition("\n")[0].strip())
    return line if len(line) <= _DOCSTRING_CHARS else line[: _DOCSTRING_CHARS - 1] + "…"


def _is_shown_member(name: str, bound: Sequence[Binding]) -> bool:
    if name.startswith("__"):
        is_function = any(isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) for one in bound)
        return is_function and name not in ("__init__", "__post_init__", "__repr__")
    return not name.startswith("_") and any(one is not None for one in bound)


def _is_definition(binding: Binding) -> bool:
    return isinstance(binding, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)


def _is_type_variable(binding: Binding) -> bool:
    return (
        isinstance(binding, ast.Assign)
        and isinstance(binding.value, ast.Call)
        and last_name(binding.value.func) in _TYPE_VARIABLES
    )

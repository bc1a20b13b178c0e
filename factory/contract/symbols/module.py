"""One Python module: the names that its statements bind. What they stand for is in `sources`."""

import ast
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from factory.contract.symbols.classes import decorator_names, last_name

MAX_SOURCE_BYTES: Final = 1_000_000
"""The largest source file that is read, in bytes."""

MAX_STEPS: Final = 24
"""How many imports, aliases, classes and blocks inside each other are followed."""

_MAX_BINDINGS: Final = 24
"""How many definitions of one name are told apart."""

DefinedFunction: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Import:
    """A name that comes from another module."""

    module: str
    name: str


Node: TypeAlias = DefinedFunction | ast.ClassDef | ast.AnnAssign | ast.Assign
Binding: TypeAlias = Node | Import | None
"""What a name stands for; None for what can't be told."""


@dataclass
class Scope:
    """The names that the statements of a module or class bind, and the modules of star imports, in order."""

    names: dict[str, list[Binding]] = field(default_factory=dict)
    stars: dict[str, None] = field(default_factory=dict)

    def bind(
        self,
        statements: Iterable[ast.stmt],
        module: "Module",
        *,
        is_class: bool = False,
        conditional: bool = False,
        depth: int = 0,
    ) -> None:
        """Follow statements in order; what a condition guards is added to what was bound before."""
        for statement in statements:
            for name, binding in self._bound(statement, module, is_class=is_class):
                earlier = self.names.get(name, [])
                if not conditional and not any(is_overload(one) for one in earlier):
                    self.names[name] = [binding]
                else:
                    self.names[name] = [*earlier, binding] if len(earlier) < _MAX_BINDINGS else [None]
            if isinstance(statement, ast.Delete) and not conditional:
                for target in statement.targets:
                    if isinstance(target, ast.Name):
                        self.names.pop(target.id, None)
            if depth < MAX_STEPS:
                for block, always in _blocks(statement):
                    self.bind(
                        block,
                        module,
                        is_class=is_class,
                        conditional=conditional or not always,
                        depth=depth + 1,
                    )

    def _bound(
        self, statement: ast.stmt, module: "Module", *, is_class: bool
    ) -> Iterator[tuple[str, Binding]]:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            if not {"setter", "deleter"} & set(decorator_names(statement)):
                yield statement.name, statement
        elif isinstance(statement, ast.ClassDef):
            yield statement.name, statement
        elif isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    yield target.id, statement
                else:
                    yield from ((one.id, None) for one in ast.walk(target) if isinstance(one, ast.Name))
        elif isinstance(statement, ast.AnnAssign):
            # In a module, an annotation alone makes no name.
            if isinstance(statement.target, ast.Name) and (is_class or statement.value is not None):
                yield statement.target.id, statement
        elif isinstance(statement, ast.AugAssign):
            if last_name(statement.target) == "__all__":
                yield "__all__", None
        elif isinstance(statement, ast.Import):
            for alias in statement.names:
                yield alias.asname or alias.name.partition(".")[0], None
        elif isinstance(statement, ast.ImportFrom):
            origin = module.absolute(statement)
            for alias in statement.names:
                if alias.name == "*":
                    self.stars[origin] = None
                else:
                    yield alias.asname or alias.name, Import(origin, alias.name)
        elif type(statement).__name__ == "TypeAlias":
            yield statement.name.id, None  # type: ignore[attr-defined]


@dataclass
class Module:
    """A module that was read.

    Attributes:
        name: its dotted name.
        package: the package that its relative imports start from.
        scope: what it binds.
        exports: the names in its `__all__`; empty without one, None if it can't be told.
        problem: why it could not be read; empty if it could.
        docstring: its docstring; empty without one.
        line_count: how many lines its source has.
    """

    name: str
    package: str
    scope: Scope = field(default_factory=Scope)
    exports: frozenset[str] | None = frozenset()
    problem: str = ""
    docstring: str = ""
    line_count: int = 0

    def absolute(self, statement: ast.ImportFrom) -> str:
        """The dotted name of the module that a statement imports from."""
        if not statement.level:
            return statement.module or ""
        parts = self.package.split(".") if self.package else []
        kept = parts[: len(parts) - statement.level + 1]
        return ".".join([*kept, *([statement.module] if statement.module else [])])


def parse_module(name: str, package: str, path: str, data: bytes) -> Module:
    """Read a module; what can't be read is in its `problem`.

    Args:
        name: its dotted name.
        package: the package that its relative imports start from.
        path: its file.
        data: the bytes of that.
    """
    if len(data) > MAX_SOURCE_BYTES:
        return Module(name, package, problem=f"its source `{path}` is larger than {MAX_SOURCE_BYTES:,} bytes")
    module = Module(name, package, line_count=data.count(b"\n"))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(data)
        module.scope.bind(tree.body, module)
        module.docstring = ast.get_docstring(tree) or ""
    except SyntaxError as error:
        place = f" (line {error.lineno})" if error.lineno else ""
        module.problem = f"its source `{path}` is not valid Python: {error.msg}{place}"
    except (ValueError, UnicodeError, OverflowError) as error:
        module.problem = f"its source `{path}` is not valid Python: {error}"
    except (RecursionError, MemoryError):
        module.problem = f"its source `{path}` is nested too deeply to be read"
    module.exports = _exports(module.scope)
    return module


def imported_names(module: Module, data: bytes) -> frozenset[str]:
    """The dotted names that a source imports anywhere: of modules, and of what it takes from them.

    Args:
        module: the module, as it was read without a problem.
        data: the bytes of its source.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        nodes = ast.walk(ast.parse(data))
    found: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = module.absolute(node)
            found.add(origin)
            found.update(f"{origin}.{alias.name}" for alias in node.names)
    return frozenset(found)


def is_overload(binding: Binding) -> bool:
    """Whether a definition is one of several signatures of a function."""
    return isinstance(binding, ast.FunctionDef | ast.AsyncFunctionDef) and "overload" in decorator_names(
        binding
    )


def _exports(scope: Scope) -> frozenset[str] | None:
    names: set[str] = set()
    for binding in scope.names.get("__all__", ()):
        value = binding.value if isinstance(binding, ast.Assign | ast.AnnAssign) else None
        if not isinstance(value, ast.List | ast.Tuple):
            return None
        for item in value.elts:
            if not isinstance(item, ast.Constant) or not isinstance(item.value, str):
                return None
            names.add(item.value)
    return frozenset(names)


def _blocks(statement: ast.stmt) -> Iterator[tuple[list[ast.stmt], bool]]:
    """The blocks inside a statement that bind names around it, and whether each runs in any case."""
    if isinstance(statement, ast.If):
        if not _never_on_import(statement.test):
            yield statement.body, False
        yield statement.orelse, False
    elif isinstance(statement, ast.With):
        yield statement.body, True
    elif isinstance(statement, ast.For | ast.While):
        yield statement.body, False
        yield statement.orelse, False
    elif isinstance(statement, ast.Match):
        for case in statement.cases:
            yield case.body, False
    elif isinstance(statement, ast.Try | ast.TryStar):
        yield statement.body, False
        for handler in statement.handlers:
            yield handler.body, False
        yield statement.orelse, False
        yield statement.finalbody, True


def _never_on_import(test: ast.expr) -> bool:
    if last_name(test) == "TYPE_CHECKING":
        return True
    return isinstance(test, ast.Compare) and last_name(test.left) == "__name__"

"""The names that the body of a module or a class binds, and what they stand for as far as it says."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from factory.languages.python.symbols.annotation import decorator_names, last_name

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
    """Names with what they are bound to, and the modules of star imports, in order.

    Attributes:
        names: several bindings of a name where a condition or an overload decides.
        stars: the modules that everything is imported from.
    """

    names: dict[str, list[Binding]] = field(default_factory=dict)
    stars: dict[str, None] = field(default_factory=dict)

    def bind(
        self,
        statements: Iterable[ast.stmt],
        package: str,
        *,
        is_class: bool = False,
        conditional: bool = False,
        depth: int = 0,
    ) -> None:
        """Follow statements in order; what a condition guards is added to what was bound before.

        Args:
            statements: the body of a module or a class.
            package: the package that relative imports start from.
            is_class: whether it is a class.
            conditional: whether something decides if the statements run.
            depth: how many blocks are around them.
        """
        for statement in statements:
            for name, binding in _bound(statement, package, is_class=is_class):
                self._add(name, binding, conditional=conditional)
            if isinstance(statement, ast.ImportFrom) and any(alias.name == "*" for alias in statement.names):
                self.stars[imported_module(statement, package)] = None
            if isinstance(statement, ast.Delete) and not conditional:
                for target in statement.targets:
                    if isinstance(target, ast.Name):
                        self.names.pop(target.id, None)
            for block, always in _blocks(statement) if depth < MAX_STEPS else ():
                is_conditional = conditional or not always
                self.bind(block, package, is_class=is_class, conditional=is_conditional, depth=depth + 1)

    def _add(self, name: str, binding: Binding, *, conditional: bool) -> None:
        earlier = self.names.get(name, [])
        if not conditional and not any(is_overload(known) for known in earlier):
            self.names[name] = [binding]
        else:
            self.names[name] = [*earlier, binding] if len(earlier) < _MAX_BINDINGS else [None]


def class_scope(node: ast.ClassDef, package: str) -> Scope:
    """The names that the body of a class binds; relative imports in it start from `package`."""
    scope = Scope()
    scope.bind(node.body, package, is_class=True)
    return scope


def imported_module(statement: ast.ImportFrom, package: str) -> str:
    """The dotted name of the module that a statement imports from; relative ones start from `package`."""
    if not statement.level:
        return statement.module or ""
    parts = package.split(".") if package else []
    kept = parts[: len(parts) - statement.level + 1]
    return ".".join([*kept, *([statement.module] if statement.module else [])])


def is_overload(binding: Binding) -> bool:
    """Whether a definition is one of several signatures of a function."""
    return isinstance(binding, ast.FunctionDef | ast.AsyncFunctionDef) and "overload" in decorator_names(
        binding
    )


def _bound(statement: ast.stmt, package: str, *, is_class: bool) -> Iterator[tuple[str, Binding]]:
    """The names that one statement binds, its blocks and star imports apart."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            if not {"setter", "deleter"} & set(decorator_names(statement)):
                yield name, statement
        case ast.ClassDef(name=name):
            yield name, statement
        case ast.Assign(targets=targets):
            for target in targets:
                if isinstance(target, ast.Name):
                    yield target.id, statement
                else:
                    yield from ((node.id, None) for node in ast.walk(target) if isinstance(node, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name), value=value) if is_class or value is not None:
            # In a module, an annotation alone makes no name.
            yield name, statement
        case ast.AugAssign(target=target) if last_name(target) == "__all__":
            yield "__all__", None
        case ast.Import(names=aliases):
            yield from ((alias.asname or alias.name.partition(".")[0], None) for alias in aliases)
        case ast.ImportFrom(names=aliases):
            origin = imported_module(statement, package)
            for alias in aliases:
                if alias.name != "*":
                    yield alias.asname or alias.name, Import(origin, alias.name)
        case _ if type(statement).__name__ == "TypeAlias":
            yield statement.name.id, None  # type: ignore[attr-defined]


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

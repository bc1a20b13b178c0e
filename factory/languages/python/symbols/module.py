"""One Python module as it was read. What its names stand for in other modules is in `resolver`."""

import ast
import warnings
from collections import deque
from dataclasses import dataclass, field
from typing import Final, cast

from factory.contract.limits import MAX_SOURCE_BYTES
from factory.languages.python.symbols.scope import Scope, imported_module

_FIELDS: Final = ("items", "cases", "body", "handlers", "orelse", "finalbody")
"""The fields with statements, or with what binds names, in the order that every node has them in."""

_HOLDERS: Final = (ast.Attribute, ast.Tuple, ast.List, ast.Starred)
"""Targets that may be attributes, or hold some."""

_NOTHING: Final = ast.Constant(None)


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
        _cut(tree)
        module.scope.bind(tree.body, package)
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
    names: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            origin = imported_module(node, module.package)
            names.add(origin)
            names.update(f"{origin}.{alias.name}" for alias in node.names)
    return frozenset(names)


def _cut(tree: ast.Module) -> None:
    """Cut the bodies of functions to what may set an attribute, in the order of `ast.walk`.

    They are most of a tree, and the trees of a whole repository are kept.
    """
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = _binding(node)
        else:
            waiting.extend(_inside(node))


def _binding(function: ast.AST) -> list[ast.stmt]:
    """What binds anything but names in a function, each without what is inside it."""
    made: list[ast.AST] = []
    waiting = deque([function])
    while waiting:
        node = waiting.popleft()
        waiting.extend(_inside(node))
        match node:
            case ast.AnnAssign(target=ast.Attribute()):
                node.value = None
                made.append(node)
            case ast.Assign(targets=targets) if any(isinstance(target, _HOLDERS) for target in targets):
                node.value = node.value if isinstance(node.value, ast.Name) else _NOTHING
                made.append(node)
            case ast.For(target=target) | ast.AsyncFor(target=target) if isinstance(target, _HOLDERS):
                node.iter = _NOTHING
                made.append(node)
            case ast.withitem(optional_vars=target) if isinstance(target, _HOLDERS):
                node.context_expr = _NOTHING
                made.append(node)
    for node in made:
        if isinstance(node, ast.For | ast.AsyncFor):
            node.body = node.orelse = []
    # What a `with` binds is no statement, and nobody runs or prints these.
    return cast("list[ast.stmt]", made)


def _inside(node: ast.AST) -> list[ast.AST]:
    """The statements in a statement, and what binds names in it."""
    return [inner for name in _FIELDS for inner in getattr(node, name, ())]


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

"""The packages that a Python source imports."""

import ast
import sys
import warnings
from collections.abc import Iterator
from typing import Final

from factory.contract.limits import MAX_SOURCE_BYTES
from factory.languages.python.symbols.annotation import last_name

_BY_CALL: Final = frozenset({"import_module", "__import__"})
_NOT_FOUND: Final = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})


def imported_packages(data: bytes) -> frozenset[str] | None:
    """The first names of what a source imports, the standard library and relative imports left out.

    A module that a call imports counts where its name is written there. Left out is also what the source can
    do without: imports for type checkers, and those whose failure is caught. Which names are packages of the
    project itself is for whoever knows its files. None if it can't be read.
    """
    tree = _parsed(data)
    return frozenset(_names(tree)) - sys.stdlib_module_names if tree is not None else None


def modules_needed(data: bytes) -> frozenset[str]:
    """The dotted names without which a source can't be imported, and what it takes from each.

    `from a import b` gives `a` and `a.b`, of which only the files tell whether that is a module. Only what
    stands at the source's top level, and no relative imports; empty if it can't be read.
    """
    tree = _parsed(data)
    names: set[str] = set()
    for statement in tree.body if tree is not None else ():
        if isinstance(statement, ast.Import):
            names.update(alias.name for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom) and statement.module and not statement.level:
            names.add(statement.module)
            names.update(f"{statement.module}.{alias.name}" for alias in statement.names)
    return frozenset(names)


def _parsed(data: bytes) -> ast.Module | None:
    if len(data) > MAX_SOURCE_BYTES:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _names(tree: ast.Module) -> Iterator[str]:
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        match node:
            case ast.Import(names=names):
                yield from (alias.name.partition(".")[0] for alias in names)
            case ast.ImportFrom(module=str() as module, level=0):
                yield module.partition(".")[0]
            case ast.Call(func=func, args=[ast.Constant(value=str() as module), *others]) if (
                last_name(func) in _BY_CALL
            ):
                if not module.startswith("."):
                    yield module.partition(".")[0]
                waiting += [func, *others, *node.keywords]
            case ast.If(test=test, orelse=others) if last_name(test) == "TYPE_CHECKING":
                waiting += others
            case ast.Try(handlers=handlers, orelse=others, finalbody=last) if any(map(_catches, handlers)):
                waiting += [*others, *last]
            case _:
                waiting.extend(ast.iter_child_nodes(node))


def _catches(handler: ast.ExceptHandler) -> bool:
    """Whether a handler goes on where an import fails."""
    caught = handler.type
    if caught is None:
        return True
    kinds = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(last_name(kind) in _NOT_FOUND for kind in kinds)

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
    if len(data) > MAX_SOURCE_BYTES:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return frozenset(_names(tree)) - sys.stdlib_module_names


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

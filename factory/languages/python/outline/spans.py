"""Where the functions, methods and classes of a Python module stand."""

import ast
import warnings
from collections.abc import Iterator

from factory.contract.text import decoded
from factory.languages.port import Span

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def spans(data: bytes) -> tuple[Span, ...]:
    """See `Language`; decorators belong to what they decorate."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(decoded(data)[0].removeprefix("\ufeff"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    return tuple(_of(tree))


def _of(tree: ast.Module) -> Iterator[Span]:
    for node in tree.body:
        if isinstance(node, _Definition):
            yield _span(node.name, node)
        if isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef | ast.AsyncFunctionDef):
                    yield _span(f"{node.name}.{inner.name}", inner)


def _span(name: str, node: _Definition) -> Span:
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return Span(name, first, node.end_lineno or node.lineno)

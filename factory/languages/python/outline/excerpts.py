"""A Python module taken apart into units, the bodies of its functions left out."""

import ast
import warnings
from collections.abc import Collection, Iterator

from factory.languages.excerpt import LEFT_OUT, Unit

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_Import = ast.Import | ast.ImportFrom


def units(source: str, names: Collection[str]) -> list[Unit] | None:
    """The units of a module; None if it can't be read.

    Args:
        source: its text.
        names: what is asked for, dotted; a function among it that says nothing of itself keeps its body.
    """
    plain = source.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(plain)
            return list(_Reader(plain.split("\n"), names).units(tree))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class _Reader:
    def __init__(self, lines: list[str], names: Collection[str]) -> None:
        self._lines = lines
        self._names = names

    def units(self, tree: ast.Module) -> Iterator[Unit]:
        last = 0
        for number, statement in enumerate(tree.body):
            start = _start(statement)
            if start <= last:
                # Several on one line.
                continue
            line = [other for other in tree.body[number:] if _start(other) == start]
            end = max(map(_end, line))
            while start - 1 > last and self._lines[start - 2].startswith("#"):
                start -= 1
            comments = self._lines[start - 1 : _start(statement) - 1]
            text = [*comments, *(self._shown(statement, "") if len(line) == 1 else self._between(start, end))]
            yield Unit(
                "\n".join(text),
                frozenset(name for other in line for name in _names(other)),
                is_import=all(isinstance(other, _Import) for other in line),
                is_value=all(isinstance(other, ast.Assign | ast.AnnAssign) for other in line),
                is_always_shown=number == 0 and _is_text(statement),
            )
            last = end

    def _shown(self, statement: ast.stmt, scope: str) -> list[str]:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return self._function(statement, scope)
            case ast.ClassDef():
                return self._class(statement, scope)
        return self._between(_start(statement), _end(statement))

    def _function(self, function: _Function, scope: str) -> list[str]:
        first = function.body[0]
        is_documented = _is_text(first)
        has_its_line = self._indented(first)
        if not has_its_line or (not is_documented and f"{scope}{function.name}" in self._names):
            return self._between(_start(function), _end(function))
        header = self._between(_start(function), _start(first) - 1)
        said = self._between(_start(first), _end(first)) if is_documented else []
        rest = function.body[1:] if is_documented else function.body
        return [*header, *said, *([_indent(self._lines[_start(first) - 1]) + LEFT_OUT] if rest else [])]

    def _class(self, defined: ast.ClassDef, scope: str) -> list[str]:
        first = defined.body[0]
        if not self._indented(first):
            return self._between(_start(defined), _end(defined))
        shown = self._between(_start(defined), _start(first) - 1)
        last = _start(first) - 1
        for member in defined.body:
            if _start(member) <= last:
                continue
            is_hidden = (
                isinstance(member, _Function) and member.name.startswith("_") and member.name[-2:] != "__"
            )
            if not is_hidden or f"{scope}{defined.name}.{getattr(member, 'name', '')}" in self._names:
                shown += self._between(last + 1, _start(member) - 1)
                shown += self._shown(member, f"{scope}{defined.name}.")
            last = max(last, _end(member))
        return shown

    def _indented(self, statement: ast.stmt) -> bool:
        """Whether a statement begins a line of its own."""
        line = self._lines[statement.lineno - 1]
        return not line.encode("utf-8")[: statement.col_offset].strip()

    def _between(self, start: int, end: int) -> list[str]:
        return self._lines[start - 1 : end]


def _start(statement: ast.stmt) -> int:
    """The first line, decorators included."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def _end(statement: ast.stmt) -> int:
    assert statement.end_lineno is not None
    return statement.end_lineno


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _is_text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _names(statement: ast.stmt) -> Iterator[str]:
    """What a statement binds in its module."""
    match statement:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            yield statement.name
        case ast.Import() | ast.ImportFrom():
            for alias in statement.names:
                yield alias.asname or alias.name.partition(".")[0]
        case ast.If() | ast.Try() | ast.With() | ast.For() | ast.While():
            for inner in ast.iter_child_nodes(statement):
                inside = inner.body if isinstance(inner, ast.ExceptHandler) else [inner]
                for other in inside:
                    if isinstance(other, ast.stmt):
                        yield from _names(other)
        case _:
            for node in ast.walk(statement):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    yield node.id
                elif type(node).__name__ == "TypeAlias":
                    yield getattr(getattr(node, "name", None), "id", "")

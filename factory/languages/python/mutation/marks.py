"""Which lines commands execute: sources in which each of some statements leaves a file as its mark. Pure.

A mark is a file because a command's exit code and output are the tests' own; that a file is there can be seen
whatever became of the command.
"""

import ast
from collections.abc import Iterator, Mapping
from typing import Final

_MARK: Final = """
try:
    (lambda os: os.close(os.open({path!r}, os.O_CREAT | os.O_WRONLY, 0o600)))(__import__("os"))
except OSError:
    pass
"""


def marked(source: str, marks: Mapping[int, str]) -> str | None:
    """A source whose statements leave marks before they are executed; otherwise it does what it did.

    Args:
        source: the text of a Python file.
        marks: by the number of a line, the file that is made when the innermost statement there is executed.

    Returns:
        The changed text; it is not formatted as it was. None if it can't be changed.
    """
    try:
        tree = ast.parse(source)
        for line, path in sorted(marks.items()):
            _mark(tree, line, path)
        return ast.unparse(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _mark(tree: ast.Module, line: int, path: str) -> None:
    around = [
        (body, number)
        for body in _bodies(tree)
        for number, statement in enumerate(body)
        if statement.lineno <= line <= (statement.end_lineno or statement.lineno)
    ]
    if not around:
        return
    # What is inside begins later, or ends earlier.
    body, number = max(around, key=lambda place: _inner(place[0][place[1]]))
    made = ast.parse(_MARK.format(path=path)).body
    for statement in made:
        for node in ast.walk(statement):
            # Marks are on no line, so that none is put inside another.
            if isinstance(node, ast.stmt | ast.expr | ast.excepthandler):
                node.lineno = node.end_lineno = 0
    body[number:number] = made


def _inner(statement: ast.stmt) -> tuple[int, int, int]:
    return statement.lineno, -(statement.end_lineno or 0), statement.col_offset


def _bodies(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for _, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                yield value

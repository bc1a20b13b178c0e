"""The files that code reads by a name that stands in it."""

import ast
import re
from collections.abc import Iterator
from typing import Final

from factory.plans.commands.code.uses import certain_nodes
from factory.plans.commands.python_code import called, dotted

_PATHS: Final = frozenset({"Path", "PosixPath", "PurePath", "pathlib.Path"})
_READING: Final = frozenset({"read_bytes", "read_text"})
_WRITING: Final = re.compile(
    r"write|save|dump|export|render|store|create|make|build|init|copy|move|main|run|to_"
)
_ABSENT: Final = re.compile(
    r"absent|does[-_]?not|gone|missing|never|no[-_]|nonexist|none|nope|nothing|unknown"
)
"""Names of files that are meant not to be there."""


def read_files(tree: ast.Module) -> tuple[str, ...]:
    """The names of files that code reads, unless it may make them itself or expects them not to be there."""
    texts = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    if any(called(node) == "chdir" for node in ast.walk(tree) if isinstance(node, ast.Call)):
        return ()
    return tuple(
        dict.fromkeys(
            path
            for path in _read(tree)
            if not _ABSENT.search(path.rpartition("/")[2])
            and sum(path == text or path.startswith(f"{text.rstrip('/')}/") for text in texts if text) == 1
        )
    )


def successful_arguments(tree: ast.Module) -> Iterator[tuple[str, ...]]:
    """The arguments with which code demands that a command line succeeds; empty for what is no constant."""
    for node in certain_nodes(tree):
        match node:
            case ast.Compare(
                left=ast.Call(args=[ast.List(elts=given), *_]),
                ops=[ast.Eq()],
                comparators=[ast.Constant(value=0)],
            ):
                yield tuple(str(word.value) if isinstance(word, ast.Constant) else "" for word in given)


def _read(tree: ast.Module) -> Iterator[str]:
    for node in certain_nodes(tree):
        match node:
            case ast.Call(func=ast.Name(id="open"), args=[first, *rest], keywords=keywords):
                modes = [*rest[:1], *(keyword.value for keyword in keywords if keyword.arg == "mode")]
                if all(isinstance(mode, ast.Constant) and mode.value in ("r", "rb", "rt") for mode in modes):
                    yield from _constant(first)
            case ast.Call(func=ast.Attribute(value=ast.Call() as made, attr=name)) if name in _READING:
                yield from _path(made)
            case ast.Call(args=arguments) if dotted(node.func) not in _PATHS and not _WRITING.search(
                called(node)
            ):
                # What is given alone is more likely read than written.
                if len(arguments) == 1 and isinstance(arguments[0], ast.Call):
                    yield from (path for path in _path(arguments[0]) if "/" in path)


def _path(node: ast.Call) -> Iterator[str]:
    if dotted(node.func) in _PATHS and len(node.args) == 1:
        yield from _constant(node.args[0])


def _constant(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
        yield node.value

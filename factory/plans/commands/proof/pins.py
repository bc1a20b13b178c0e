"""What Python code holds to be all there is: the names of a module, the entries of a table, files, commands.

Looks at comparisons as they are written; runs nothing, and leans towards silence.
"""

import ast
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from factory.plans.commands.code.uses import imported_places
from factory.plans.commands.interpreters import is_python, python_run
from factory.plans.commands.python_code import PythonCode, called, dotted
from factory.plans.commands.words import UnsplittableCommand, split_words

_COUNTING: Final = frozenset({"frozenset", "len", "list", "set", "sorted", "tuple"})
_SPLITTING: Final = frozenset({"count", "rstrip", "split", "splitlines", "strip"})
_HELP: Final = frozenset({"--help", "-h"})
_VIEWS: Final = frozenset({"items", "keys", "values"})
_LISTINGS: Final = frozenset({"glob", "iterdir", "listdir", "scandir"})
_CHOICES: Final = re.compile(r"\{[\w,-]+\}")
"""All commands of a program, as argparse writes them."""

_MOST_LAYERS: Final = 10


@dataclass(frozen=True)
class Pin:
    """Something that may not get more.

    Attributes:
        module: the module that it is in, or that is run for its help; empty for a directory or a script.
        name: the name of a table in the module, `__all__` for what the module exports, `--help` for the
            commands that its help lists.
        directory: the directory whose entries are listed; `.` for the root.
        script: the script that is run for its help.
        is_whole: whether all of the help is pinned, not the commands alone.
        file: the file whose text, or whose number of lines, is pinned.
    """

    module: str = ""
    name: str = ""
    directory: str = ""
    script: str = ""
    is_whole: bool = False
    file: str = ""


def pins(code: PythonCode) -> Iterator[Pin]:
    """What the comparisons of some code hold to be all there is."""
    if code.tree is None:
        return
    places = imported_places(code.tree)
    helped = _helped_names(code.tree)
    for node in ast.walk(code.tree):
        if not isinstance(node, ast.Compare) or len(node.ops) != 1:
            continue
        left, right = node.left, node.comparators[0]
        if isinstance(node.ops[0], ast.Eq):
            for listed, all_there_is in ((left, right), (right, left)):
                if _is_literal(all_there_is):
                    yield from _pinned(listed, places)
                elif isinstance(listed, ast.BinOp) and _is_empty_set(all_there_is):
                    yield from _pinned(listed.left if _is_literal(listed.right) else listed.right, places)
                if _is_text(all_there_is) and _is_help(listed, helped):
                    yield from _helps(code, is_whole=True)
        elif isinstance(node.ops[0], ast.In) and not _HELP.isdisjoint(code.texts) and _lists_choices(left):
            yield from _helps(code, is_whole=False)


def _pinned(node: ast.expr, places: dict[str, tuple[str, str]]) -> Iterator[Pin]:
    counted = _counted(node)
    inner = counted or node
    file = _whole_text(inner)
    if file:
        yield Pin(file=file)
    if isinstance(inner, ast.Attribute) and inner.attr == "__all__":
        module = _place(inner.value, places)
        if module:
            yield Pin(module, "__all__")
    elif isinstance(inner, ast.Call):
        module = _place(inner.args[0], places) if inner.args and called(inner) in ("dir", "vars") else ""
        if module:
            yield Pin(module, "__all__")
        directory = _listed_directory(inner)
        if directory:
            yield Pin(directory=directory)
    elif counted is not None and (module := _place(inner, places)):
        module, _, name = module.rpartition(".")
        if module and name.isupper():
            yield Pin(module, name)


def _whole_text(node: ast.expr) -> str:
    """The file of whose text, or of all of whose lines or fields, an expression speaks; empty for none."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if called(node) in _SPLITTING:
            node = node.func.value
        elif called(node) == "loads" and node.args:
            node = node.args[0]
        else:
            break
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return ""
    owner, method = node.func.value, node.func.attr
    opens = {"Path": ("read_bytes", "read_text"), "open": ("read", "readlines")}
    if not isinstance(owner, ast.Call) or not owner.args or method not in opens.get(called(owner), ()):
        return ""
    first = owner.args[0]
    named = first.value if isinstance(first, ast.Constant) else ""
    return posixpath.normpath(named) if isinstance(named, str) and named else ""


def _counted(node: ast.expr) -> ast.expr | None:
    """What an expression counts or lists the elements of; None if it does neither."""
    inner = None
    for _ in range(_MOST_LAYERS):
        if isinstance(node, ast.Call) and called(node) in _COUNTING and node.args:
            inner = node = node.args[0]
        elif isinstance(node, ast.Call) and called(node) in _VIEWS and isinstance(node.func, ast.Attribute):
            inner = node = node.func.value
        elif isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp):
            if any(_chooses(test) for test in node.generators[0].ifs):
                return None
            inner = node = node.generators[0].iter
        else:
            break
    return inner


def _chooses(test: ast.expr) -> bool:
    """Whether a condition leaves out more than what begins or ends otherwise."""
    calls = [node for node in ast.walk(test) if isinstance(node, ast.Call)]
    return any(called(call) not in ("endswith", "startswith") for call in calls)


def _place(node: ast.expr, places: dict[str, tuple[str, str]]) -> str:
    """The dotted name that an imported name stands for; empty for any other."""
    first, _, rest = dotted(node).partition(".")
    module, name = places.get(first, ("", ""))
    return ".".join(part for part in (module, name, rest) if part) if module else ""


def _listed_directory(call: ast.Call) -> str:
    if called(call) not in _LISTINGS:
        return ""
    owner = call.func.value if isinstance(call.func, ast.Attribute) else None
    given = owner.args if isinstance(owner, ast.Call) and called(owner) == "Path" else call.args
    first = given[0] if given else None
    text = first.value if isinstance(first, ast.Constant) else ""
    if not isinstance(text, str) or set(text) & set("*?["):
        return ""
    return posixpath.normpath(text) if text else ""


def _lists_choices(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and _CHOICES.search(node.value) is not None
    )


def _helped_names(tree: ast.Module) -> frozenset[str]:
    """The names that stand for what a program printed as its help."""
    return frozenset(
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and _asks_for_help(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    )


def _is_help(node: ast.expr, helped: frozenset[str]) -> bool:
    # One line or one word of it may stay as it is.
    if any(isinstance(inner, ast.Subscript) for inner in ast.walk(node)):
        return False
    return _asks_for_help(node) or any(
        isinstance(inner, ast.Name) and inner.id in helped for inner in ast.walk(node)
    )


def _asks_for_help(node: ast.expr) -> bool:
    return any(
        isinstance(inner, ast.Constant)
        and isinstance(inner.value, str)
        and not _HELP.isdisjoint(inner.value.split())
        for inner in ast.walk(node)
    )


def _is_empty_set(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and dotted(node.func) in ("frozenset", "set") and not node.args


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str | bytes) and bool(node.value)


def _helps(code: PythonCode, *, is_whole: bool) -> Iterator[Pin]:
    """The programs of the project that some code asks for their help."""
    for command in code.commands:
        try:
            words = [word.text for word in split_words(command)]
        except UnsplittableCommand:
            continue
        # A program that is no constant is Python by another name.
        start = next((place for place, word in enumerate(words) if is_python(word) or not word), None)
        if _HELP.isdisjoint(words) or start is None:
            continue
        run = python_run(words[start + 1 :])
        if run.kind == "module" and run.target:
            yield Pin(run.target, "--help", is_whole=is_whole)
        elif run.kind == "script":
            yield Pin(name="--help", script=posixpath.normpath(run.target), is_whole=is_whole)


def _is_literal(node: ast.expr) -> bool:
    literal = (ast.Constant, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Load)
    return all(isinstance(inner, literal) for inner in ast.walk(node))

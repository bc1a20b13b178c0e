"""What Python code holds to be all there is: the names of a module, the entries of a table, files, commands.

Looks at comparisons as they are written; runs nothing, and leans towards silence.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from factory.plans.commands.code.uses import imported_places
from factory.plans.commands.python_code import PythonCode, called, dotted
from factory.plans.commands.words import UnsplittableCommand, split_words

_COUNTING: Final = frozenset({"frozenset", "len", "list", "set", "sorted", "tuple"})
_VIEWS: Final = frozenset({"items", "keys", "values"})
_LISTINGS: Final = frozenset({"glob", "iterdir", "listdir", "scandir"})
_CHOICES: Final = re.compile(r"\{[\w,-]+\}")
"""All commands of a program, as argparse writes them."""

_MOST_LAYERS: Final = 10


@dataclass(frozen=True)
class Pin:
    """Something that may not get more.

    Attributes:
        module: the module that it is in, or that is run for its help; empty for a directory.
        name: the name of a table in the module, `__all__` for what the module exports, `--help` for its help.
        directory: the directory whose entries are listed.
    """

    module: str = ""
    name: str = ""
    directory: str = ""


def pins(code: PythonCode) -> Iterator[Pin]:
    """What the comparisons of some code hold to be all there is."""
    if code.tree is None:
        return
    places = imported_places(code.tree)
    for node in ast.walk(code.tree):
        if not isinstance(node, ast.Compare) or len(node.ops) != 1:
            continue
        left, right = node.left, node.comparators[0]
        if isinstance(node.ops[0], ast.Eq):
            for listed, all_there_is in ((left, right), (right, left)):
                if _is_literal(all_there_is):
                    yield from _pinned(listed, places)
        elif isinstance(node.ops[0], ast.In) and "--help" in code.texts and _lists_choices(left):
            yield from (Pin(module, "--help") for module in _run_modules(code))


def _pinned(node: ast.expr, places: dict[str, tuple[str, str]]) -> Iterator[Pin]:
    counted = _counted(node)
    inner = counted or node
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


def _counted(node: ast.expr) -> ast.expr | None:
    """What an expression counts or lists the elements of; None if it does neither."""
    inner = None
    for _ in range(_MOST_LAYERS):
        if isinstance(node, ast.Call) and called(node) in _COUNTING and node.args:
            inner = node = node.args[0]
        elif isinstance(node, ast.Call) and called(node) in _VIEWS and isinstance(node.func, ast.Attribute):
            inner = node = node.func.value
        elif isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp):
            inner = node = node.generators[0].iter
        else:
            break
    return inner


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
    return text.rstrip("/") if isinstance(text, str) and not set(text) & set("*?[") else ""


def _lists_choices(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and _CHOICES.search(node.value) is not None
    )


def _run_modules(code: PythonCode) -> Iterator[str]:
    for command in code.commands:
        try:
            words = [word.text for word in split_words(command)]
        except UnsplittableCommand:
            continue
        if "-m" in words[:-1] and words[words.index("-m") + 1]:
            yield words[words.index("-m") + 1]


def _is_literal(node: ast.expr) -> bool:
    literal = (ast.Constant, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.Load)
    return all(isinstance(inner, literal) for inner in ast.walk(node))

"""The functions and classes of a repository that a specification names in code spans, with their source.

Signatures say what is there; whoever plans a change to a function must also know what it does now.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from factory.contract.errors import WorkorderError
from factory.contract.limits import MAX_SOURCE_BYTES
from factory.contract.text import Read, decoded
from factory.languages.python.language import PYTHON
from factory.languages.table import language_of

MAX_LINES: Final = 80
"""How much is shown of a definition."""

_MOST_DOCUMENTATION: Final = 10
"""How many lines of its docstring a definition that is cut keeps."""

_MAX_DEFINITIONS: Final = 40
_MAX_LOOKED_INTO: Final = 2_000
"""How many modules are searched, the most important first."""

_CODE_SPAN: Final = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_NAME: Final = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")


@dataclass(frozen=True)
class Definition:
    """A function, method or class.

    Attributes:
        path: its file.
        name: its name, with its class before it.
        first: its first line, decorators included, from 1.
        last: its last line.
        source: its lines, the first of them if it is long.
    """

    path: str
    name: str
    first: int
    last: int
    source: str


def named_definitions(spec: str, modules: Sequence[str], read: Read) -> list[Definition]:
    """The definitions that a specification names, in the order in which it names them.

    Args:
        spec: the specification; only what stands in it between backquotes counts.
        modules: the paths of the modules to look into, the most important first.
        read: gives their bytes.
    """
    ranks = {name: rank for rank, name in enumerate(_names(spec))}
    if not ranks:
        return []
    simple = {name.rpartition(".")[2].encode() for name in ranks}
    definitions: list[Definition] = []
    for path in modules[:_MAX_LOOKED_INTO]:
        try:
            data = read(path) or b""
        except WorkorderError:
            # That it can't be read is told where its outline would be shown.
            continue
        if len(data) > MAX_SOURCE_BYTES or not any(name in data for name in simple):
            continue
        named = [definition for definition in _definitions(path, data) if definition.name in ranks]
        classes = {definition.name for definition in named}
        definitions += (
            definition
            for definition in named
            if definition.name.partition(".")[0] not in classes - {definition.name}
        )
    return sorted(definitions, key=lambda definition: ranks[definition.name])[:_MAX_DEFINITIONS]


def _names(spec: str) -> list[str]:
    """The names that definitions may have, each once, in their order.

    `pkg.name` means `name`, and `pkg.Class.name` the one of the class.
    """
    names: dict[str, None] = {}
    for span in _CODE_SPAN.finditer(spec):
        for dotted in _NAME.findall(span[2]):
            *before, name = dotted.split(".")
            of_class = bool(before) and before[-1][0].isupper()
            names[f"{before[-1]}.{name}" if of_class else name] = None
    return list(names)


def _definitions(path: str, data: bytes) -> Iterator[Definition]:
    """The definitions at the top of a module, and those in its types."""
    language = language_of(path)
    spans = language.spans(path, data) if language is not None else ()
    if not spans:
        return
    text = decoded(data)[0]
    # Each language counts lines in its own way.
    lines = re.split(r"\r\n|\r|\n", text) if language is PYTHON else text.split("\n")
    is_long = any(span.last - span.first >= MAX_LINES for span in spans)
    documented = _documentation(data) if is_long and language is PYTHON else []
    for span in spans:
        whole = lines[span.first - 1 : span.last]
        shown = whole if len(whole) <= MAX_LINES else _cut(whole, span.first, documented)
        yield Definition(path, span.name, span.first, span.last, "\n".join(shown))


def _documentation(data: bytes) -> list[tuple[int, int]]:
    """The first and last lines of the docstrings of functions and classes, in order."""
    return sorted(
        (node.body[0].lineno, node.body[0].end_lineno or node.body[0].lineno)
        for node in ast.walk(ast.parse(data))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and ast.get_docstring(node, clean=False) is not None
    )


def _cut(whole: list[str], first: int, documented: list[tuple[int, int]]) -> list[str]:
    """The beginning of a long definition: what it does tells more than a long text about it."""
    own = next(((start - first, end - first) for start, end in documented if start >= first), None)
    kept, left = whole, MAX_LINES
    if own is not None and own[1] < len(whole) and own[1] - own[0] >= _MOST_DOCUMENTATION:
        begin = own[0] + _MOST_DOCUMENTATION
        gap = f"[cut here: {own[1] - begin + 1} lines of its docstring are left out]"
        kept, left = [*whole[:begin], gap, *whole[own[1] + 1 :]], MAX_LINES + 1
    if len(kept) <= left:
        return kept
    return [*kept[:left], f"[cut here: {len(kept) - left} of {len(whole)} lines are left out]"]

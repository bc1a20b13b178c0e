"""Mutants of a Python source: small changes, one at a time, that tests worth their name notice.

Pure: from a text and the lines that count to a list of changed texts. Running them is not done here. Changes
are made at the positions of nodes, so that everything else, comments and layout included, stays as it is.

Left alone is what no test should notice: docstrings, annotations, type variables, `Literal[…]`, decorators,
`__all__` and `__slots__`, blocks for type checkers or for `__main__`, the class of a standard stream, texts
of logs, of exceptions, of assertions and of a program's help, f-strings.
"""

import ast
import warnings
from collections.abc import Collection
from typing import Final

from factory.languages.edits import spread
from factory.languages.port import Mutant
from factory.languages.python.mutation.operators import OPERATORS, Finder
from factory.languages.python.mutation.source_text import SourceText

MAX_SOURCE_CHARS: Final = 400_000
"""The longest source that is mutated, in characters."""


def mutants(source: str, lines: Collection[int], *, limit: int) -> tuple[Mutant, ...]:
    """Mutants of the lines that count.

    Args:
        source: the text of a Python file.
        lines: the numbers of the lines that may be changed, counted from 1.
        limit: the most mutants that are made.

    Returns:
        By position. If there are more than `limit`, each line gets one before any gets two; where not every
        line gets one, those whose logic can be changed do, spread evenly. Every mutant is valid Python and
        differs from the source in its syntax tree, and from all others; for those that would not, there is no
        substitute. Empty for a source that can't be parsed, is too long or too deeply nested.
    """
    if len(source) > MAX_SOURCE_CHARS or limit < 1 or not lines:
        return ()
    try:
        tree = _parse(source)
        text = SourceText(source)
        edits = [edit for edit in Finder(tree, text).edits() if edit.line in lines]
        original = ast.dump(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    made: list[Mutant] = []
    # Two operators may come to the same text: `not True` loses its `not`, or becomes `True`.
    seen: set[str] = set()
    for edit in spread(edits, OPERATORS, limit):
        changed = text.replaced(edit.start, edit.end, edit.new)
        try:
            differs = ast.dump(_parse(changed)) != original
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        if differs and changed not in seen:
            seen.add(changed)
            made.append(Mutant(edit.line, edit.operator, edit.description, changed))
    return tuple(made)


def _parse(source: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source)

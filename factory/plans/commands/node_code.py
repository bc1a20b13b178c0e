"""The code that a `node -e` command runs, read as Python, and the files that it loads. Runs nothing."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from factory.languages.typescript.sources import places
from factory.languages.typescript.translation.code import in_python
from factory.plans.commands.python_code import PythonCode, code_of

_EVALUATING: Final = frozenset({"-e", "--eval", "-p", "--print", "-pe"})


def evaluated(arguments: Sequence[str]) -> str | None:
    """The code that Node is given as an argument; None if it is given none."""
    for before, argument in pairwise(arguments):
        if before in _EVALUATING:
            return argument
    return None


def imported_files(module: str) -> Iterator[str]:
    """The paths any of which is a module of the repository: as it is named, and what that may mean."""
    path = module.removeprefix("./")
    yield from (path, *places("", module), f"{path}.json")


def read_node_code(code: str, directory: str) -> PythonCode:
    """Read JavaScript as Python; without a tree if it can't be read. See `in_python`."""
    tree = in_python(code, directory)
    return PythonCode() if tree is None else code_of(tree)

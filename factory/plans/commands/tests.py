"""The tests that a command names one by one: `tests/test_a.py::TestB::test_c`."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from factory.languages.typescript.grammar import SUFFIXES
from factory.plans.commands.interpreters import is_python, python_run
from factory.plans.commands.programs import Invocation

_VALUES: Final = frozenset(
    {"-k", "-m", "-p", "-c", "-o", "-n", "-W", "--ignore", "--deselect", "--rootdir", "--confcutdir"}
)


@dataclass(frozen=True)
class NamedTest:
    """A test by its address.

    Attributes:
        text: as it is written.
        path: the file, as a path of the repository.
        names: the classes around it, and its own name without parameters.
    """

    text: str
    path: str
    names: tuple[str, ...]


def chosen_words(invocation: Invocation) -> tuple[tuple[str, ...], frozenset[str]]:
    """The files whose tests a run of pytest or Node.js chooses by words, and these; a test needs all of them.

    Nothing where words are ruled out or stand for one another.
    """
    arguments = pytest_arguments(invocation)
    given = [after for before, after in pairwise(arguments) if before == "-k"]
    if invocation.name == "node":
        arguments = invocation.arguments
        given = [word.partition("=")[2] for word in arguments if word.startswith("--test-name-pattern=")]
    words = " ".join(given).replace("(", " ").replace(")", " ").split()
    if not words or {"not", "or"} & set(words) or not all(word.isidentifier() for word in words):
        return (), frozenset()
    files = tuple(invocation.path(path) for path in arguments if path.endswith((".py", *SUFFIXES)))
    return files, frozenset(word.lower() for word in words) - {"and"}


def named_tests(invocation: Invocation) -> Iterator[NamedTest]:
    """The tests that a run of pytest names."""
    is_value = False
    for argument in pytest_arguments(invocation):
        if is_value:
            is_value = False
        elif argument.startswith("-"):
            is_value = argument in _VALUES
        elif "::" in argument:
            path, *names = argument.partition("[")[0].split("::")
            if path.endswith(".py") and all(name.isidentifier() for name in names):
                yield NamedTest(argument, invocation.path(path), tuple(names))


def pytest_arguments(invocation: Invocation) -> tuple[str, ...]:
    """The arguments that pytest is run with; empty for another program."""
    if invocation.name in ("pytest", "py.test"):
        return invocation.arguments
    if is_python(invocation.name):
        run = python_run(invocation.arguments)
        return run.arguments if run.kind == "module" and run.target == "pytest" else ()
    return ()

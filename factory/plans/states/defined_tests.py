"""Which tests there are at each point of a plan: those that files define, or that work orders tell of."""

import ast
from collections.abc import Iterable, Sequence
from typing import Final

from factory.languages.python.symbols.annotation import last_name
from factory.languages.python.symbols.module import parse_module
from factory.languages.python.symbols.scope import class_scope
from factory.plans.commands.tests import NamedTest
from factory.plans.states.sources import Sources
from factory.plans.states.writers import Knowledge, Writers

_PLAIN_BASES: Final = frozenset({"IsolatedAsyncioTestCase", "TestCase", "object"})
"""Base classes that bring no tests."""


class Tests:
    """The tests of a plan.

    Args:
        writers: who writes which file.
        sources: the repository's files; None if nobody looked.
    """

    def __init__(self, writers: Writers, sources: Sources | None) -> None:
        self._writers = writers
        self._sources = sources

    def knowledge(self, test: NamedTest, index: int) -> Knowledge:
        """What is known of a test that a work order's command names."""
        writers = self._writers.of(test.path, index)
        if test.path in self._writers.repo_files:
            data = self._sources.read(test.path) if self._sources is not None else None
            if index in writers or data is None or may_define(test, data):
                return Knowledge.GIVEN
            if not writers:
                return Knowledge.MISSING
        is_told = any(
            self._is_told(test.names[-1], index)
            if writer == index
            else self._writers.is_told(writer, test.names[-1])
            for writer in writers
        )
        return Knowledge.GIVEN if is_told or not writers else Knowledge.UNTOLD

    def untold_word(self, files: Sequence[str], words: Iterable[str], index: int) -> str:
        """A word by which tests are chosen, of which nobody who writes one of their files is told."""
        writers = {writer for path in files for writer in self._writers.of(path, index)}
        if not writers or any(path in self._writers.repo_files for path in files):
            return ""
        untold = (
            word
            for word in sorted(words)
            if not any(self._is_told(word, writer, own=writer == index) for writer in writers)
            and not any(word in path.lower() for path in files)
        )
        return next(untold, "")

    def _is_told(self, name: str, writer: int, *, own: bool = True) -> bool:
        """Whether a work order's words hold all parts of a name, if not as one; see `Writers.is_told`."""
        words = self._writers.words(writer, own=own).lower()
        return all(part in words for part in name.lower().removeprefix("test_").split("_") if part)


def may_define(test: NamedTest, data: bytes) -> bool:
    """Whether a file with these bytes defines a test, or may get it in a way that does not show."""
    module = parse_module("", "", test.path, data)
    scope = module.scope
    if module.problem:
        return True
    for depth, name in enumerate(test.names, start=1):
        bound = scope.names.get(name)
        if bound is None:
            # Parameters may be written into the name of a test.
            return bool(scope.stars) or any(name.startswith(f"{known}_") for known in scope.names)
        (binding,) = bound if len(bound) == 1 else (None,)
        if depth == len(test.names) or not isinstance(binding, ast.ClassDef):
            return True
        if any(last_name(base) not in _PLAIN_BASES for base in binding.bases):
            return True
        scope = class_scope(binding, "")
    return True

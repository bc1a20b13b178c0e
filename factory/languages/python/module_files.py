"""Which file of a repository a Python module is, and which module a file is. Pure."""

import keyword
import re
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from typing import Final

from factory.languages.port import Files
from factory.languages.python.symbols.files import module_file

INIT: Final = "__init__.py"
_SOURCES: Final = "src"
_TEST_FOLDERS: Final = frozenset({"test", "tests"})
_TEST_FILE: Final = re.compile(r"test_.*\.py|.*_test\.py|tests?\.py|conftest\.py")
PROJECT_FILES: Final = ("pyproject.toml", "setup.py", "setup.cfg")
"""What makes a directory a project."""


def is_test(path: str) -> bool:
    """Whether a Python file belongs to the tests, by its name and folders."""
    *folders, file = path.split("/")
    return bool(_TEST_FOLDERS.intersection(folders)) or _TEST_FILE.fullmatch(file) is not None


class ModuleFiles:
    """The modules of a repository.

    Args:
        files: its tracked files.
    """

    def __init__(self, files: Files) -> None:
        self._files = files

    def roots(self, module: str) -> tuple[str, ...]:
        """The directories that modules of that name are imported from, that nearest to the root first."""
        places = (module_file(module, (path,), self._files.__contains__) for path in self._candidates(module))
        return tuple(dict.fromkeys(place[1] for place in places if place is not None))

    def beginning(self, name: str) -> str:
        """The longest beginning of a dotted name that is a module; empty if none is."""
        while name and self._file(name) is None:
            name = name.rpartition(".")[0]
        return name

    def module(self, path: str) -> tuple[str, str] | None:
        """The dotted name of a file and the directory it is imported from.

        None if it can't have a name, or if another file is the module of that name.
        """
        *folders, file = path.split("/")
        start = self._import_folder(folders)
        parts = folders[start:]
        if file != INIT:
            parts.append(file.removesuffix(".py"))
        if not parts or not all(part.isidentifier() and not keyword.iskeyword(part) for part in parts):
            return None
        name = ".".join(parts)
        own = self._file(name)
        return (name, own[1]) if own is not None and own[0] == path else None

    def _import_folder(self, folders: Sequence[str]) -> int:
        """How many of a file's folders lead to the directory that it is imported from.

        That is the nearest above its package that is a project, holds sources, or is the root.
        """
        start = len(folders)
        while start and self._has(folders[:start], INIT):
            start -= 1
        while start and folders[start - 1] != _SOURCES:
            if any(self._has(folders[:start], name) for name in PROJECT_FILES):
                break
            start -= 1
        return start

    def _has(self, folders: Sequence[str], name: str) -> bool:
        return "/".join([*folders, name]) in self._files

    def _file(self, module: str) -> tuple[str, str] | None:
        return module_file(module, self._candidates(module), self._files.__contains__)

    def _candidates(self, module: str) -> Sequence[str]:
        last = module.rpartition(".")[2]
        return (*self._by_file.get(f"{last}.py", ()), *self._by_file.get(f"{last}/{INIT}", ()))

    @cached_property
    def _by_file(self) -> dict[str, list[str]]:
        names: defaultdict[str, list[str]] = defaultdict(list)
        # The shortest path first: the module nearest to the repository's root.
        for path in sorted(self._files, key=lambda path: (path.count("/"), path)):
            if path.endswith(".py"):
                parts = path.split("/")
                names["/".join(parts[-2:]) if parts[-1] == INIT else parts[-1]].append(path)
        return names

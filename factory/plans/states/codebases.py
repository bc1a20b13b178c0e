"""The sources of a repository in each of its languages; of Python those of each project, too.

Symbols of other languages name their file, so that they mean the same in every project.
"""

from factory.contract.repo_path import RepoPath
from factory.languages.port import Addressed, Codebase
from factory.languages.python.codebase import PythonCodebase
from factory.languages.python.language import PYTHON
from factory.languages.python.module_files import ModuleFiles
from factory.languages.table import language_of_symbol
from factory.plans.states.sources import Sources


class Codebases:
    """What the files of a repository define, looked into by need.

    Args:
        sources: the files.
    """

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._python: dict[RepoPath | None, PythonCodebase] = {}
        self._modules: dict[RepoPath, ModuleFiles] = {}
        self._others: dict[str, Codebase] = {}
        self._origins: dict[tuple[str, RepoPath | None], tuple[str, ...]] = {}

    def of(self, symbol: Addressed, project: RepoPath | None) -> Codebase:
        """Where a symbol is looked for; in all of the repository for None."""
        language = language_of_symbol(symbol.address)
        if language is PYTHON:
            return self.python(project)
        if language.key not in self._others:
            self._others[language.key] = language.codebase(self._sources.files, self._sources.read)
        return self._others[language.key]

    def python(self, project: RepoPath | None) -> PythonCodebase:
        """The Python sources of a project; all for None."""
        if project not in self._python:
            self._python[project] = PYTHON.codebase(self._files(project), self._sources.read)
        return self._python[project]

    def has_module(self, project: RepoPath, module: str) -> bool:
        """Whether a project has a Python module of that name."""
        if project not in self._modules:
            self._modules[project] = ModuleFiles(self._files(project))
        return bool(self._modules[project].roots(module))

    def addresses(self, symbol: Addressed, project: RepoPath | None) -> tuple[str, ...]:
        """The address of a symbol, and those that the repository, or a project, imports it from."""
        key = (symbol.address, project)
        if key not in self._origins:
            origins = self.of(symbol, project).origins(symbol)
            self._origins[key] = tuple(dict.fromkeys([symbol.address, *origins]))
        return self._origins[key]

    def _files(self, project: RepoPath | None) -> frozenset[str]:
        files = self._sources.files
        if project is None:
            return files
        return frozenset(path for path in files if path.startswith(f"{project}/"))

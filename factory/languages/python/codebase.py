"""The Python sources of a repository: where its modules are, what they define, and their outlines."""

import ast
from dataclasses import replace

from factory.contract.text import Read
from factory.languages.port import Addressed, Definitions, Files, Outlined
from factory.languages.python.module_files import ModuleFiles
from factory.languages.python.outline.outliner import Outliner
from factory.languages.python.symbols.shapes import Function
from factory.languages.python.symbols.signature import signature_of
from factory.languages.python.symbols.sources import PythonSources
from factory.languages.python.symbols.symbol import Symbol


class PythonCodebase:
    """See `Codebase`.

    Args:
        files: its tracked files.
        read: gives their bytes.
    """

    def __init__(self, files: Files, read: Read) -> None:
        self._files = files
        self._read = read
        self._modules = ModuleFiles(files)
        self._roots: dict[str, tuple[str, ...]] = {}
        self._sources: dict[str, PythonSources] = {}
        self._outliner = Outliner(self._modules, self._below, self._tracked)

    def find(self, symbol: Addressed, root: str | None = None) -> Definitions:
        """What is defined where a symbol should be; several projects may have such a module."""
        sources = self._sources_of(symbol.module) if root is None else (self._below(root),)
        lookups = [source.find(symbol.module, symbol.name) for source in sources]
        definitions = tuple(definition for lookup in lookups for definition in lookup.definitions)
        if definitions or not lookups:
            return Definitions(definitions)
        lookup = next((lookup for lookup in lookups if not lookup.is_readable), lookups[0])
        return Definitions((), lookup.problem, lookup.is_readable)

    def origins(self, symbol: Addressed) -> tuple[str, ...]:
        """The addresses that the repository imports a symbol from."""
        sources = self._sources_of(symbol.module)
        origins = (origin for source in sources for origin in source.origins(symbol.module, symbol.name))
        return tuple(dict.fromkeys(origins))

    def plain_function(self, symbol: Symbol) -> Symbol | None:
        """The function at the top of a module that a symbol names, if it is just that.

        None if there is none, several, or one that a decorator may have changed.
        """
        modules = [source.module(symbol.module) for source in self._sources_of(symbol.module)]
        bound = [
            binding for module in modules if module for binding in module.scope.names.get(symbol.name, ())
        ]
        (definition,) = bound if len(bound) == len(modules) == 1 else (None,)
        if not isinstance(definition, ast.FunctionDef | ast.AsyncFunctionDef) or definition.decorator_list:
            return None
        return replace(symbol, shape=Function(signature_of(definition)))

    def outline(self, path: str) -> Outlined:
        """The outline of a module, signatures included; see `Codebase`."""
        return self._outliner.outline(path)

    def summary(self, path: str) -> Outlined:
        """What a module is for, and the names of its public functions and classes; see `Codebase`."""
        return self._outliner.summary(path)

    def names(self, path: str) -> Outlined:
        """The names of a test module, and the modules that it uses; see `Codebase`."""
        return self._outliner.names(path)

    def _sources_of(self, module: str) -> tuple[PythonSources, ...]:
        """What to look into for a module: the sources of each project that has one of that name."""
        if module not in self._roots:
            self._roots[module] = self._modules.roots(module)
        return tuple(map(self._below, self._roots[module]))

    def _below(self, root: str) -> PythonSources:
        if root not in self._sources:
            self._sources[root] = PythonSources(self._tracked, (root,))
        return self._sources[root]

    def _tracked(self, path: str) -> bytes | None:
        return self._read(path) if path in self._files else None

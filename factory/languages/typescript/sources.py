"""What sources define at an address, followed through the modules that export it again. Pure."""

import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from factory.languages.port import Definitions, Read, Symbol
from factory.languages.trees.declared import Declared
from factory.languages.typescript.declaration import declared
from factory.languages.typescript.grammar import SUFFIXES
from factory.languages.typescript.members import CLASSES, is_closed, members
from factory.languages.typescript.module import DEFAULT, Elsewhere, Module, read_module
from factory.languages.typescript.types import TooDeep, type_parameters

if TYPE_CHECKING:
    from tree_sitter import Node

_MOST_MODULES: Final = 200
"""How many modules are opened for one symbol."""

_COMPILED: Final = {".js": (".ts", ".tsx"), ".jsx": (".tsx",), ".mjs": (".mts",), ".cjs": (".cts",)}
"""What is written in an import and what it is compiled from."""

_DECLARED: Final = (".d.ts", ".d.mts", ".d.cts")


class _Unknown(Exception):
    """What is asked for is where nothing is known: in a package, or in a source that can't be read."""


class Sources:
    """The modules of a repository, read by need.

    Args:
        read: gives the bytes of its files.
    """

    def __init__(self, read: Read) -> None:
        self._read = read
        self._modules: dict[str, Module | None] = {}

    def find(self, path: str, name: str) -> Definitions:
        """What is exported at a path under a name, with those of the types around it.

        Raises:
            WorkorderError: a file can't be read.
        """
        module = self.module(path)
        if module is None:
            return Definitions(problem="there is no such file")
        if module.problem:
            return Definitions(problem=f"its source {module.problem}", is_readable=False)
        outer, *inner = name.split(".")
        try:
            found = _signed(list(self._exported(module, outer, set())))
            symbols = [symbol for at, node in found for symbol in self._inside(path, at, node, name, inner)]
        except _Unknown as error:
            return Definitions(problem=str(error), is_readable=False)
        except TooDeep:
            return Definitions(problem="its source is nested too deeply to be read", is_readable=False)
        if symbols:
            distinct: dict[tuple[str, str], Symbol] = {(each.text, each.kind): each for each in symbols}
            return Definitions(tuple(distinct.values()))
        if not found and outer in module.declarations:
            return Definitions(problem=f"it defines `{outer}` and does not export it")
        return Definitions(problem=f"it does not export `{name if found else outer}`")

    def module(self, path: str) -> Module | None:
        """The module at a path; None if there is no such file."""
        if path not in self._modules:
            if len(self._modules) >= _MOST_MODULES:
                raise _Unknown("it exports from too many modules")
            data = self._read(path)
            self._modules[path] = None if data is None else read_module(path, data)
        return self._modules[path]

    def _exported(
        self, module: Module, name: str, seen: set[tuple[str, str]]
    ) -> "Iterator[tuple[Module, Node]]":
        """What a module exports under a name, each with the module that declares it."""
        if (module.path, name) in seen:
            return
        seen.add((module.path, name))
        if name in module.exports:
            for exported in module.exports[name]:
                if isinstance(exported, Elsewhere):
                    yield from self._elsewhere(module, exported, seen)
                elif isinstance(exported, str):
                    yield from self._local(module, exported, seen)
                else:
                    yield module, exported
            return
        if name == DEFAULT:
            return
        unknown = module.path if module.is_open else ""
        for specifier in module.stars:
            try:
                reached = list(self._exported(self._opened(module, specifier), name, seen))
            except _Unknown:
                unknown = specifier
                continue
            yield from reached
            if reached:
                return
        if unknown:
            raise _Unknown(f"it exports all of `{unknown}`, which is not known here")

    def _local(
        self, module: Module, name: str, seen: set[tuple[str, str]]
    ) -> "Iterator[tuple[Module, Node]]":
        if name in module.imports:
            yield from self._elsewhere(module, module.imports[name], seen)
        for node in module.declarations.get(name, ()):
            yield module, node

    def _elsewhere(
        self, module: Module, there: Elsewhere, seen: set[tuple[str, str]]
    ) -> "Iterator[tuple[Module, Node]]":
        reached = self._opened(module, there.specifier)
        if not there.name:
            raise _Unknown(f"it exports the whole of `{there.specifier}`")
        yield from self._exported(reached, there.name, seen)

    def _opened(self, module: Module, specifier: str) -> Module:
        reached = next(
            (found for path in places(module.path, specifier) if (found := self.module(path)) is not None),
            None,
        )
        if reached is None or reached.problem:
            raise _Unknown(f"it exports what comes from `{specifier}`, which is not known here")
        return reached

    def _inside(
        self, path: str, module: Module, node: "Node", name: str, inner: list[str]
    ) -> Iterator[Declared]:
        """What a declaration is, or its members of a name."""
        around: dict[str, str] = {}
        reached = [node]
        for part in inner:
            around |= {key: key for key in type_parameters(reached[0], {})}
            below = [child for outer in reached for known, child in members(outer) if known == part]
            if not below:
                if not all(is_closed(outer) for outer in reached):
                    raise _Unknown(f"it may have `{name}` from elsewhere")
                if part == "constructor" and any(outer.type in CLASSES for outer in reached):
                    yield Declared(path, name, "function", written="()")
                return
            reached = below
        for each in reached:
            yield declared(path, name, each, around)


def _signed(found: "list[tuple[Module, Node]]") -> "list[tuple[Module, Node]]":
    """Without the body behind overloads, which is nobody's to call."""
    if not any(node.type == "function_signature" for _, node in found):
        return found
    return [(module, node) for module, node in found if node.type != "function_declaration"]


def places(path: str, specifier: str) -> Iterator[str]:
    """The paths that a relative import may mean; none for a package or an alias."""
    if not specifier.startswith("."):
        return
    base = posixpath.normpath(posixpath.join(posixpath.dirname(path), specifier))
    if base.startswith(".."):
        return
    stem, suffix = posixpath.splitext(base)
    for source in _COMPILED.get(suffix, ()):
        yield f"{stem}{source}"
    if suffix in SUFFIXES:
        yield base
    for end in (*SUFFIXES, *_DECLARED):
        yield f"{base}{end}"
    for end in (*SUFFIXES, *_DECLARED):
        yield f"index{end}" if base == "." else f"{base}/index{end}"

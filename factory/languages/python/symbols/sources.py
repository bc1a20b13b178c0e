"""The symbols that Python sources define, read with `ast`: nothing is imported and nothing is run.

What reading can't tell, such as a name that comes from an installed package by a star import or a member of
a base class that is not among the sources, is `Unknown`: a reader takes it for whatever was promised. A
hostile source ends in a problem that is told, never in an exception.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from factory.contract.errors import WorkorderError
from factory.contract.text import Read
from factory.languages.python.symbols.files import module_files
from factory.languages.python.symbols.module import Module, parse_module
from factory.languages.python.symbols.resolver import Resolver
from factory.languages.python.symbols.symbol import Symbol

_ROOTS: Final = ("", "src")
_MOST_STARS: Final = 50


@dataclass(frozen=True)
class Lookup:
    """What was found where a symbol should be.

    Attributes:
        definitions: several where a condition or an overload decides; empty if there is none.
        problem: why there is none, as what is said of the symbol's module.
        is_readable: False if the module is there and can't be read, so that nothing is known.
    """

    definitions: tuple[Symbol, ...] = ()
    problem: str = ""
    is_readable: bool = True

    def keeps(self, promised: Symbol) -> bool:
        """Whether one of the definitions is what was promised."""
        return any(symbol.keeps(promised) for symbol in self.definitions)


class PythonSources:
    """Python modules, looked into by need.

    Args:
        read: gives the files; each is asked for once.
        roots: the directories that modules are imported from, beside the root and `src`.
    """

    def __init__(self, read: Read, roots: Sequence[str] = ()) -> None:
        self._read = read
        self._roots = tuple(dict.fromkeys([*roots, *_ROOTS]))
        self._modules: dict[str, Module | None] = {}

    def find(self, module: str, name: str) -> Lookup:
        """What is defined as `name`, which may be dotted, in a module."""
        opened = self.module(module)
        if opened is None:
            return Lookup(problem="there is no such module")
        if opened.problem:
            return Lookup(problem=opened.problem, is_readable=False)
        try:
            definitions = Resolver(self.module).definitions(opened, name)
            symbols = dict.fromkeys(Symbol(module, name, definition.shape) for definition in definitions)
        except (RecursionError, MemoryError):
            return Lookup(problem="its source is nested too deeply to be read", is_readable=False)
        return Lookup(tuple(symbols)) if symbols else Lookup(problem=f"it does not define `{name}`")

    def origins(self, module: str, name: str) -> tuple[str, ...]:
        """The addresses at which a name, which may be dotted, is defined: where its imports lead to.

        A name that is not there yet may come to be in each module of the sources that everything is imported
        from. Empty if nothing can be told, or if a name that is there is defined at several places.
        """
        first, dot, rest = name.partition(".")
        opened = self.module(module)
        if opened is None:
            return ()
        try:
            definitions = list(Resolver(self.module).definitions(opened, first))
        except (RecursionError, MemoryError):
            return ()
        if not definitions and not first.startswith("_"):
            return tuple(f"{star}:{name}" for star in self._stars(opened))
        places = {f"{definition.module.name}:{definition.name}" for definition in definitions}
        (place,) = places if len(places) == 1 else (":",)
        return () if place.endswith(":") else (f"{place}{dot}{rest}",)

    def _stars(self, opened: Module) -> tuple[str, ...]:
        """The modules of the sources that a module imports everything from, by way of each other, too."""
        found: dict[str, None] = {}
        ahead = [opened]
        while ahead and len(found) < _MOST_STARS:
            for star in ahead.pop(0).scope.stars:
                there = self.module(star)
                if there is not None and star not in found and there is not opened:
                    found[star] = None
                    ahead.append(there)
        return tuple(found)

    def module(self, name: str) -> Module | None:
        """The module of that dotted name as it was read; None if there is none."""
        if name not in self._modules:
            self._modules[name] = self._open(name)
        return self._modules[name]

    def _open(self, name: str) -> Module | None:
        for root in self._roots:
            for path in module_files(name, root):
                try:
                    data = self._read(path)
                except WorkorderError as error:
                    return Module(name, "", problem=f"its source `{path}` {error.message}")
                if data is not None:
                    package = name if path.endswith("/__init__.py") else name.rpartition(".")[0]
                    return parse_module(name, package, path, data)
        return None

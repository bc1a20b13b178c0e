"""The symbols that work orders provide and consume, and who defines what at each point of a plan.

Judging them is for the rules E301 to E305.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from factory.contract.symbols.shapes import Function
from factory.contract.symbols.signature import signature_of
from factory.contract.symbols.sources import Lookup, PythonSources
from factory.contract.symbols.symbol import Symbol
from factory.contract.symbols.written import BadSymbol, parse_symbol
from factory.contract.work_order import WorkOrder
from factory.plans.states.module_files import ModuleFiles
from factory.plans.states.sources import Sources

_NO_LOOKUP: Final = Lookup()


@dataclass(frozen=True)
class Declared:
    """A symbol that a work order declares.

    Attributes:
        index: the index of the work order.
        pointer: its place in the document.
        text: as it is written.
        symbol: what it is; None if the text can't be read.
        problem: why not.
    """

    index: int
    pointer: str
    text: str
    symbol: Symbol | None
    problem: BadSymbol | None = None


class Interfaces:
    """What the work orders of a plan declare, and what the repository defines.

    Args:
        orders: the work orders with their index in the document, in order.
        sources: the repository's files.
    """

    def __init__(self, orders: Sequence[tuple[int, WorkOrder]], sources: Sources) -> None:
        self._orders = orders
        self._repository = sources
        self._modules = ModuleFiles(sources.files)
        self._roots: dict[str, tuple[str, ...]] = {}
        self._sources: dict[str, PythonSources] = {}
        self._origins: dict[str, tuple[str, ...]] = {}

    @cached_property
    def provided(self) -> tuple[Declared, ...]:
        """What the work orders provide."""
        return tuple(
            _declared(index, "provides", number, text)
            for index, order in self._orders
            for number, text in enumerate(order.provides)
        )

    @cached_property
    def consumed(self) -> tuple[Declared, ...]:
        """What the work orders consume."""
        return tuple(
            _declared(index, "consumes", number, text)
            for index, order in self._orders
            for number, text in enumerate(order.consumes)
        )

    def providers(self, address: str) -> tuple[Declared, ...]:
        """Who provides the symbol at an address, in order."""
        return tuple(self._by_address.get(address, ()))

    def provider(self, symbol: Symbol, index: int) -> Declared | None:
        """The last that provides a symbol before the work order at `index`; None if there is none.

        What the repository imports from another module is provided by who provides it there.
        """
        earlier = [
            provision
            for address in self._addresses(symbol)
            for provision in self.providers(address)
            if provision.index < index
        ]
        return max(earlier, key=lambda provision: provision.index, default=None)

    def provides_member(self, symbol: Symbol, index: int) -> bool:
        """Whether a work order before `index` provides something inside a class."""
        addresses = self._addresses(symbol)
        return any(
            provision.index < index for address in addresses for provision in self._members.get(address, ())
        )

    def members(self, symbol: Symbol, index: int) -> frozenset[str]:
        """The names of what work orders before `index` provide in a class."""
        provided = [
            provision.symbol.name.removeprefix(f"{symbol.name}.").partition(".")[0]
            for provision in self._members.get(symbol.address, ())
            if provision.index < index and provision.symbol is not None
        ]
        return frozenset(provided)

    def plain_function(self, symbol: Symbol) -> Symbol | None:
        """The function at the top of a module of the repository that a symbol names, if it is just that.

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

    def needed(self, index: int) -> frozenset[int]:
        """The work orders before `index` that provide what the one at `index` consumes, or members of it."""
        indices: set[int] = set()
        for consumed in self._consumed_by.get(index, ()):
            for address in self._addresses(consumed.symbol) if consumed.symbol is not None else ():
                providers = (*self.providers(address), *self._members.get(address, ()))
                indices.update(provider.index for provider in providers if provider.index < index)
        return frozenset(indices)

    def elsewhere(self, symbol: Symbol, index: int) -> Declared | None:
        """The first that provides a symbol of that name in another module before `index`."""
        for declared in self._by_name.get(symbol.name, ()):
            if (
                declared.index < index
                and declared.symbol is not None
                and declared.symbol.module != symbol.module
            ):
                return declared
        return None

    def changes(self, address: str, index: int) -> bool:
        """Whether a work order says that it changes a symbol: it consumes it as it was."""
        return (index, address) in self._consumed_at

    def in_repository(self, symbol: Symbol) -> Lookup:
        """What the repository defines where a symbol should be; several projects may have such a module."""
        lookups = [source.find(symbol.module, symbol.name) for source in self._sources_of(symbol.module)]
        definitions = tuple(definition for lookup in lookups for definition in lookup.definitions)
        unknown = next((lookup for lookup in lookups if not lookup.is_readable), None)
        return Lookup(definitions) if definitions else unknown or next(iter(lookups), _NO_LOOKUP)

    def _addresses(self, symbol: Symbol) -> tuple[str, ...]:
        """The address of a symbol, and those that the repository imports it from."""
        if symbol.address not in self._origins:
            sources = self._sources_of(symbol.module)
            origins = (source.origin(symbol.module, symbol.name) for source in sources)
            self._origins[symbol.address] = tuple(dict.fromkeys([symbol.address, *filter(None, origins)]))
        return self._origins[symbol.address]

    def _sources_of(self, module: str) -> tuple[PythonSources, ...]:
        """What to look into for a module: the sources of each project that has one of that name."""
        if module not in self._roots:
            self._roots[module] = self._modules.roots(module)
        for root in self._roots[module]:
            if root not in self._sources:
                self._sources[root] = PythonSources(self._tracked, (root,))
        return tuple(self._sources[root] for root in self._roots[module])

    def _tracked(self, path: str) -> bytes | None:
        return self._repository.read(path) if path in self._repository.files else None

    @cached_property
    def _by_address(self) -> dict[str, list[Declared]]:
        declarations: defaultdict[str, list[Declared]] = defaultdict(list)
        for declared in self.provided:
            if declared.symbol is not None:
                declarations[declared.symbol.address].append(declared)
        return declarations

    @cached_property
    def _by_name(self) -> dict[str, list[Declared]]:
        declarations: defaultdict[str, list[Declared]] = defaultdict(list)
        for declared in self.provided:
            if declared.symbol is not None:
                declarations[declared.symbol.name].append(declared)
        return declarations

    @cached_property
    def _members(self) -> dict[str, list[Declared]]:
        """What is provided inside the class at an address."""
        declarations: defaultdict[str, list[Declared]] = defaultdict(list)
        for declared in self.provided:
            for scope in _scopes(declared.symbol):
                declarations[scope].append(declared)
        return declarations

    @cached_property
    def _consumed_by(self) -> dict[int, list[Declared]]:
        declarations: defaultdict[int, list[Declared]] = defaultdict(list)
        for declared in self.consumed:
            declarations[declared.index].append(declared)
        return declarations

    @cached_property
    def _consumed_at(self) -> frozenset[tuple[int, str]]:
        return frozenset(
            (declared.index, declared.symbol.address)
            for declared in self.consumed
            if declared.symbol is not None
        )


def _declared(index: int, field: str, number: int, text: str) -> Declared:
    pointer = f"/work_orders/{index}/{field}/{number}"
    try:
        return Declared(index, pointer, text, parse_symbol(text))
    except BadSymbol as error:
        return Declared(index, pointer, text, None, error)


def _scopes(symbol: Symbol | None) -> Iterator[str]:
    """The addresses of the classes around a symbol."""
    name = symbol.name if symbol is not None else ""
    while "." in name and symbol is not None:
        name = name.rpartition(".")[0]
        yield f"{symbol.module}:{name}"

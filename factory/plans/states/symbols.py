"""The symbols that work orders provide and consume, and who defines what at each point of a plan.

Judging them is for the rules E301 to E305.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from factory.contract.work_order import WorkOrder
from factory.languages.port import Addressed, BadSymbol, Codebase, Definitions, Symbol
from factory.languages.python.language import PYTHON
from factory.languages.python.symbols.symbol import Symbol as PythonSymbol
from factory.languages.table import language_of_symbol, parse_symbol
from factory.plans.states.sources import Sources


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
        self._python = PYTHON.codebase(sources.files, sources.read)
        self._codebases: dict[str, Codebase] = {PYTHON.key: self._python}
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

    def provider(self, symbol: Addressed, index: int) -> Declared | None:
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

    def provides_member(self, symbol: Addressed, index: int) -> bool:
        """Whether a work order before `index` provides something inside a class."""
        addresses = self._addresses(symbol)
        return any(
            provision.index < index for address in addresses for provision in self._members.get(address, ())
        )

    def members(self, symbol: Addressed, index: int) -> frozenset[str]:
        """The names of what work orders before `index` provide in a class."""
        provided = [
            provision.symbol.name.removeprefix(f"{symbol.name}.").partition(".")[0]
            for provision in self._members.get(symbol.address, ())
            if provision.index < index and provision.symbol is not None
        ]
        return frozenset(provided)

    def plain_function(self, symbol: PythonSymbol) -> PythonSymbol | None:
        """The function at the top of a module of the repository that a symbol names, if it is just that.

        None if there is none, several, or one that a decorator may have changed.
        """
        return self._python.plain_function(symbol)

    def needed(self, index: int) -> frozenset[int]:
        """The work orders before `index` that provide what the one at `index` consumes, or members of it."""
        indices: set[int] = set()
        for consumed in self._consumed_by.get(index, ()):
            for address in self._addresses(consumed.symbol) if consumed.symbol is not None else ():
                providers = (*self.providers(address), *self._members.get(address, ()))
                indices.update(provider.index for provider in providers if provider.index < index)
        return frozenset(indices)

    def elsewhere(self, symbol: Addressed, index: int) -> Declared | None:
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

    def in_repository(self, symbol: Addressed) -> Definitions:
        """What the repository defines where a symbol should be; several projects may have such a module."""
        return self._codebase(symbol).find(symbol)

    def _addresses(self, symbol: Addressed) -> tuple[str, ...]:
        """The address of a symbol, and those that the repository imports it from."""
        if symbol.address not in self._origins:
            origins = self._codebase(symbol).origins(symbol)
            self._origins[symbol.address] = tuple(dict.fromkeys([symbol.address, *origins]))
        return self._origins[symbol.address]

    def _codebase(self, symbol: Addressed) -> Codebase:
        language = language_of_symbol(symbol.address)
        if language.key not in self._codebases:
            self._codebases[language.key] = language.codebase(self._repository.files, self._repository.read)
        return self._codebases[language.key]

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


def _scopes(symbol: Addressed | None) -> Iterator[str]:
    """The addresses of the classes around a symbol."""
    name = symbol.name if symbol is not None else ""
    while "." in name and symbol is not None:
        name = name.rpartition(".")[0]
        yield f"{symbol.module}:{name}"

"""The symbols that work orders provide and consume, and who defines what at each point of a plan.

Of several projects in a repository each may have a Python module of one name. A work order sees that of its
own project, if the project has one, else all of them. Judging symbols is for the rules E301 to E305.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from factory.contract.repo_path import RepoPath
from factory.contract.work_order import WorkOrder
from factory.languages.port import Addressed, BadSymbol, Definitions, NameAlone, Symbol
from factory.languages.python.language import PYTHON
from factory.languages.python.symbols.symbol import Symbol as PythonSymbol
from factory.languages.table import language_of_symbol, parse_symbol
from factory.plans.states.codebases import Codebases
from factory.plans.states.projects import project_of
from factory.plans.states.sources import Sources


@dataclass(frozen=True)
class Declared:
    """A symbol that a work order declares.

    Attributes:
        index: the index of the work order.
        pointer: its place in the document.
        text: as it is written.
        symbol: what it is; None if the text can't be read.
        problem: why not; of a name alone, which is a symbol if anything else says what it is, too.
        project: the project that its module lies in; None for what lies in none of them, and for symbols that
            name their file.
    """

    index: int
    pointer: str
    text: str
    symbol: Symbol | None
    problem: BadSymbol | None = None
    project: RepoPath | None = None


class Interfaces:
    """What the work orders of a plan declare, and what the repository defines.

    Args:
        orders: the work orders with their index in the document, in order.
        sources: the repository's files.
    """

    def __init__(self, orders: Sequence[tuple[int, WorkOrder]], sources: Sources) -> None:
        self._orders = orders
        self._projects = {index: order.project for index, order in orders}
        self._sources = sources
        self._codebases = Codebases(sources)

    @cached_property
    def provided(self) -> tuple[Declared, ...]:
        """What the work orders provide."""
        return tuple(
            self._placed(_declared(index, "provides", number, text), order)
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

    def providers(self, symbol: Addressed, seen_by: int) -> tuple[Declared, ...]:
        """Who provides the symbol at an address, in order, as the work order at `seen_by` sees it."""
        return self._of(self._by_address, symbol.address, self._seen(symbol, seen_by))

    def provider(self, symbol: Addressed, index: int, seen_by: int | None = None) -> Declared | None:
        """The last that provides a symbol before the work order at `index`; None if there is none.

        What the repository imports from another module is provided by who provides it there.

        Args:
            symbol: the symbol.
            index: the index of a work order.
            seen_by: that of the work order whose project counts; None for the same.
        """
        seen = self._seen(symbol, index if seen_by is None else seen_by)
        earlier = [
            provision
            for address in self._codebases.addresses(symbol, seen)
            for provision in self._of(self._by_address, address, seen)
            if provision.index < index
        ]
        return max(earlier, key=lambda provision: provision.index, default=None)

    def provides_member(self, symbol: Addressed, index: int, seen_by: int | None = None) -> bool:
        """Whether a work order before `index` provides something inside a class; see `provider`."""
        seen = self._seen(symbol, index if seen_by is None else seen_by)
        return any(
            provision.index < index
            for address in self._codebases.addresses(symbol, seen)
            for provision in self._of(self._members, address, seen)
        )

    def members(self, symbol: Addressed, index: int, seen_by: int) -> frozenset[str]:
        """The names of what work orders before `index` provide in a class; see `provider`."""
        provided = [
            provision.symbol.name.removeprefix(f"{symbol.name}.").partition(".")[0]
            for provision in self._of(self._members, symbol.address, self._seen(symbol, seen_by))
            if provision.index < index and provision.symbol is not None
        ]
        return frozenset(provided)

    def plain_function(self, symbol: PythonSymbol, seen_by: int) -> PythonSymbol | None:
        """The function at the top of a module of the repository that a symbol names, if it is just that.

        None if there is none, several, or one that a decorator may have changed.
        """
        return self._codebases.python(self._seen(symbol, seen_by)).plain_function(symbol)

    def modules_of(self, name: str, index: int) -> frozenset[str]:
        """The modules in which a work order up to `index` provides a symbol of that name with what it is."""
        return frozenset(
            declared.symbol.module
            for declared in self._by_name.get(name, ())
            if declared.index <= index and declared.symbol is not None and not declared.symbol.is_bare
        )

    def is_told(self, symbol: Symbol, index: int) -> bool:
        """Whether anything says what a symbol is that the work order at `index` gives by its name alone.

        A work order up to there provides or consumes a symbol of its name with more, or a file of the
        repository in the same package has that name.
        """
        named = (*self._by_name.get(symbol.name, ()), *self._consumed_by.get(index, ()))
        if any(
            declared.index <= index
            and declared.symbol is not None
            and declared.symbol.name == symbol.name
            and not declared.symbol.is_bare
            for declared in named
        ):
            return True
        language = language_of_symbol(symbol.address)
        is_python = language is PYTHON
        folder = symbol.module.partition(".")[0] if is_python else symbol.module.rpartition("/")[0]
        return self._sources.has_word(symbol.name, folder, tuple(language.suffixes))

    def origins(self, symbol: Addressed, seen_by: int) -> tuple[str, ...]:
        """The other addresses at which the repository defines what is at this one, as imports say."""
        return self._codebases.addresses(symbol, self._seen(symbol, seen_by))[1:]

    def needed(self, index: int) -> frozenset[int]:
        """The work orders before `index` that provide what the one at `index` consumes, or members of it."""
        indices: set[int] = set()
        for consumed in self._consumed_by.get(index, ()):
            if consumed.symbol is None:
                continue
            seen = self._seen(consumed.symbol, index)
            for address in self._codebases.addresses(consumed.symbol, seen):
                for known in (self._by_address, self._members):
                    providers = self._of(known, address, seen)
                    indices.update(provider.index for provider in providers if provider.index < index)
        return frozenset(indices)

    def elsewhere(self, symbol: Addressed, index: int) -> Declared | None:
        """The first that provides a symbol of that name in another module before `index`."""
        seen = self._seen(symbol, index)
        for declared in self._by_name.get(symbol.name, ()):
            if (
                declared.index < index
                and declared.symbol is not None
                and (declared.symbol.module != symbol.module or declared.project != seen)
            ):
                return declared
        return None

    def changes(self, address: str, index: int) -> bool:
        """Whether a work order says that it changes a symbol: it consumes it as it was."""
        return (index, address) in self._consumed_at

    def in_repository(self, symbol: Addressed, seen_by: int) -> Definitions:
        """What the repository defines where the work order at `seen_by` looks for a symbol.

        Several directories may have such a module.
        """
        return self._codebases.of(symbol, self._seen(symbol, seen_by)).find(symbol)

    def _seen(self, symbol: Addressed, index: int) -> RepoPath | None:
        """The project in which a work order sees the module of a symbol; None for all of the repository."""
        project = self._projects.get(index)
        if project is None or language_of_symbol(symbol.address) is not PYTHON:
            return None
        is_there = (project, symbol.module) in self._provided_in
        return project if is_there or self._codebases.has_module(project, symbol.module) else None

    @cached_property
    def _provided_in(self) -> frozenset[tuple[RepoPath | None, str]]:
        """The modules that work orders provide something in, with their projects."""
        return frozenset(
            (declared.project, declared.symbol.module)
            for declared in self.provided
            if declared.symbol is not None
        )

    def _placed(self, declared: Declared, order: WorkOrder) -> Declared:
        """The same, with the project of the file that the symbol is in."""
        projects = {*self._sources.projects, *([order.project] if order.project is not None else [])}
        symbol = declared.symbol
        if symbol is None or not projects or language_of_symbol(symbol.address) is not PYTHON:
            return declared
        # Of a module that is written in two projects, that of the work order is meant.
        allowed = sorted(order.allowed_files, key=lambda path: project_of(path, projects) != order.project)
        known = self._sources.files.union(allowed)
        place = PYTHON.place(symbol, allowed, known.__contains__)
        project = project_of(place.path, projects) if place is not None else order.project
        return replace(declared, project=project)

    def _of(
        self, declarations: Mapping[str, Sequence[Declared]], address: str, seen: RepoPath | None
    ) -> tuple[Declared, ...]:
        """The declarations at an address that are of a project; all of them for None."""
        known = declarations.get(address, ())
        return tuple(declared for declared in known if seen is None or declared.project == seen)

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
    except NameAlone as error:
        return Declared(index, pointer, text, error.symbol, error)
    except BadSymbol as error:
        return Declared(index, pointer, text, None, error)


def _scopes(symbol: Addressed | None) -> Iterator[str]:
    """The addresses of the classes around a symbol."""
    name = symbol.name if symbol is not None else ""
    while "." in name and symbol is not None:
        name = name.rpartition(".")[0]
        yield f"{symbol.module}:{name}"

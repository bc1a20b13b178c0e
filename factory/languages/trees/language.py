"""What languages with a tree-sitter grammar have in common: a base of those that `Language` describes."""

import re
from abc import abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from factory.contract.errors import WorkorderError
from factory.contract.text import Read
from factory.languages.by_file import ByFile
from factory.languages.excerpt import Excerpt
from factory.languages.port import Addressed, BadSymbol, Definitions, Mutant, Outlined, Span, Symbol
from factory.languages.trees.conspicuous import Unusual, conspicuous
from factory.languages.trees.declared import Declared
from factory.languages.trees.excerpts import excerpt
from factory.languages.trees.marks import marked
from factory.languages.trees.mutants import Table, mutants
from factory.languages.trees.spans import spans
from factory.languages.trees.tree import Grammar, Tree, parse
from factory.system.terminal.console import one_line

if TYPE_CHECKING:
    from tree_sitter import Node

_MAX_NAMES: Final = 20
"""How many names of a source are listed where only names are."""

_LONGEST_REMARK: Final = 120
_SHORT: Final = 200


class TreeLanguage(ByFile):
    """A language whose sources are read as trees.

    Attributes:
        table: what its mutants change.
        unusual: what of its sources a person is pointed to.
        blocks: the kinds of nodes that hold statements.
        simple: a pattern of what stands behind a name where it can't be misread; compiled at its first use.
    """

    table: Table
    unusual: Unusual
    simple: str
    blocks: Collection[str]

    @abstractmethod
    def grammar(self, path: str) -> Grammar:
        """The grammar of a source."""

    @abstractmethod
    def declared(self, path: str, root: "Node") -> Iterable[Declared]:
        """All that a source declares for others in its project, in its order."""

    @abstractmethod
    def public(self, path: str, root: "Node") -> Iterable[Declared]:
        """What of it is shown in outlines."""

    @abstractmethod
    def remark(self, root: "Node") -> str:
        """What a source says of itself at its top; empty for nothing."""

    def named(self, path: str, root: "Node") -> Iterable[str]:
        """The names of the functions and types that are listed where only names are."""
        for symbol in self.public(path, root):
            if symbol.kind in ("function", "type") and "." not in symbol.name:
                yield symbol.name

    def conspicuous(self, path: str, data: bytes) -> tuple[tuple[int, str], ...]:
        """The lines that a person should look at, and why."""
        return conspicuous(self.grammar(path), self.unusual, data)

    def find(self, symbol: Addressed, read: Read) -> Definitions:
        """What the sources define at an address; see `ByFile`."""
        try:
            data = read(symbol.module)
        except WorkorderError as error:
            return Definitions(problem=f"its source {error.message}", is_readable=False)
        if data is None:
            return Definitions(problem="there is no such file")
        tree = parse(self.grammar(symbol.module), data)
        declared = self.declared(symbol.module, tree.root) if tree.root is not None else ()
        named: tuple[Declared, ...] = tuple(found for found in declared if found.name == symbol.name)
        if named:
            return Definitions(tuple(dict.fromkeys(named)))
        if tree.problem:
            return Definitions(problem=tree.problem, is_readable=False)
        return Definitions(problem=f"it does not define `{symbol.name}`")

    def outline(self, path: str, data: bytes) -> Outlined:
        """The public names of a source with their signatures; see `ByFile`."""
        tree = parse(self.grammar(path), data)
        if tree.root is None:
            return Outlined("", tree.problem)
        remark = self.remark(tree.root)
        lines = [self._line(symbol) for symbol in self._public(path, tree)]
        if tree.problem and not lines:
            return Outlined("", tree.problem)
        if tree.problem:
            lines.append(f"# {tree.problem}, so there may be more")
        return Outlined("\n".join([_heading(path, data, remark), *lines]) if lines or remark else "")

    def names(self, path: str, data: bytes) -> Outlined:
        """The names of the functions and types of a source; see `ByFile`."""
        tree = parse(self.grammar(path), data)
        if tree.root is None:
            return Outlined("", tree.problem)
        names = list(dict.fromkeys(self.named(path, tree.root)))
        return Outlined(
            f"# {one_line(path)}: {_first(names)}" if names else "", "" if names else tree.problem
        )

    def keeps(self, defined: Symbol, promised: Symbol) -> bool:
        """Whether what is there is what was promised; see `Language`."""
        if not isinstance(defined, Declared) or not isinstance(promised, Declared):
            return False
        return defined.keeps(promised)

    def excerpt(self, path: str, source: str, names: Collection[str]) -> Excerpt | None:
        """What users of some names need of a source; see `Language`."""
        return excerpt(self.grammar(path), source, names)

    def spans(self, path: str, data: bytes) -> tuple[Span, ...]:
        """Where the functions, methods and types of a source stand."""
        return spans(self.grammar(path), data)

    def mutants(self, path: str, source: str, lines: Collection[int], *, limit: int) -> tuple[Mutant, ...]:
        """Mutants of the lines that count; see `Language`."""
        return mutants(self.grammar(path), self.table, source, lines, limit=limit)

    def marked(self, path: str, source: str, marks: Mapping[int, str]) -> str | None:
        """A source whose statements leave marks; see `Language`."""
        return marked(self.grammar(path), self.blocks, source, marks, self.mark)

    @abstractmethod
    def parse_symbol(self, text: str) -> Symbol:
        """A symbol from its written form; see `Language`."""

    @abstractmethod
    def mark(self, path: str) -> str:
        """A statement that makes a file, with what separates it from the next."""

    def _line(self, symbol: Declared) -> str:
        """The written form; with `#` if it can't be read back, or means something else."""
        if (
            symbol.kind != "unknown"
            and len(symbol.text) < _SHORT
            and re.fullmatch(self.simple, symbol.written)
        ):
            return symbol.text
        try:
            is_copyable = symbol.kind != "unknown" and self.keeps(symbol, self.parse_symbol(symbol.text))
        except BadSymbol:
            is_copyable = False
        return symbol.text if is_copyable else f"# also: {one_line(symbol.name + symbol.written)}"

    def _public(self, path: str, tree: Tree) -> list[Declared]:
        return list(dict.fromkeys(self.public(path, tree.root))) if tree.root is not None else []


def _heading(path: str, data: bytes, remark: str) -> str:
    # The implementer is shown a file that it changes whole, so its size matters to a plan.
    count = data.count(b"\n") + (not data.endswith(b"\n") and bool(data))
    head = f"# {one_line(path)}, {count:,} line{'' if count == 1 else 's'}"
    said = one_line(" ".join(remark.split()))
    said = said if len(said) <= _LONGEST_REMARK else f"{said[: _LONGEST_REMARK - 1]}…"
    return f"{head}: {said}" if said else head


def _first(names: Sequence[str]) -> str:
    more = f", … and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    return ", ".join(names[:_MAX_NAMES]) + more

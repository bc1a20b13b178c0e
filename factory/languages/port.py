"""The port of a language: what the rest of Workorder asks of it. Values and signatures only."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from factory.contract.errors import WorkorderError
from factory.contract.text import Read
from factory.languages.excerpt import Excerpt

__all__ = [
    "MAX_SYMBOL_CHARS",
    "MUTANTS",
    "Address",
    "Addressed",
    "BadSymbol",
    "Codebase",
    "Definitions",
    "Excerpt",
    "Files",
    "Language",
    "Mutant",
    "NameAlone",
    "Outlined",
    "Place",
    "Read",
    "Symbol",
    "Verification",
]


MUTANTS: Final = "mutants"
"""The feature of small changes that tests should notice, in `lacks`."""

MAX_SYMBOL_CHARS: Final = 2_000
"""The longest text of a symbol."""


class BadSymbol(WorkorderError):
    """A text that is not a symbol in its written form; `where` holds the text from where it can't be read."""


class NameAlone(BadSymbol):
    """A text that is no more than the name of a symbol, which some other text must describe.

    Attributes:
        symbol: what it names; it is bare.
    """

    def __init__(self, symbol: "Symbol", message: str, *, where: str, hint: str) -> None:
        super().__init__(message, where=where, hint=hint)
        self.symbol = symbol


@dataclass(frozen=True)
class Mutant:
    """A source with one change.

    Attributes:
        line: the line of the change, counted from 1.
        operator: the kind of change, such as `comparison`, `boolean`, `arithmetic`, `constant`, `statement`.
        description: the change in words, such as "`<` becomes `<=`".
        source: the whole changed text.
    """

    line: int
    operator: str
    description: str
    source: str


@dataclass(frozen=True)
class Outlined:
    """What a source offers to others, in lines.

    Attributes:
        text: its lines; empty if it has no public names. A line without the language's comment sign can be
            copied into `provides`.
        problem: why it can't be read, as what is said of the file; empty if it can.
    """

    text: str
    problem: str = ""


@dataclass(frozen=True)
class Verification:
    """A command of the default verification, for a repository without a script of its own.

    Attributes:
        name: what the check is called in records, such as `go vet`.
        words: what is executed, without a shell.
        tests: whether it runs tests, so that having none at all is no failure.
        own: whether the repository itself says so, such as by a script of its manifest.
    """

    name: str
    words: tuple[str, ...]
    tests: bool = False
    own: bool = False

    @property
    def spoken(self) -> str:
        """The command as a prompt names it: a module that Python runs without its options."""
        return " ".join(self.words[:3] if self.words[:2] == ("python", "-m") else self.words)


@dataclass(frozen=True)
class Span:
    """Where a function, a method or a type stands in its source.

    Attributes:
        name: its name, with that of its type before it.
        first: its first line, from 1.
        last: its last line.
    """

    name: str
    first: int
    last: int


class Addressed(Protocol):
    """What has a place among the symbols."""

    @property
    def module(self) -> str:
        """Where it is: of Python the dotted module, of other languages the file."""

    @property
    def name(self) -> str:
        """Its name there, with those of the types around it, dotted."""

    @property
    def address(self) -> str:
        """`module:name`."""


@dataclass(frozen=True)
class Address:
    """A place among the symbols, whatever is there; see `Addressed`."""

    module: str
    name: str

    @property
    def address(self) -> str:
        """`module:name`."""
        return f"{self.module}:{self.name}"


class Symbol(Addressed, Protocol):
    """Something that a source defines and others use."""

    @property
    def text(self) -> str:
        """The canonical written form, which `parse_symbol` reads back."""

    @property
    def is_bare(self) -> bool:
        """Whether it is a name alone, of which is not said what it is."""

    @property
    def is_callable(self) -> bool:
        """Whether it is a function or a method."""


@dataclass(frozen=True)
class Definitions:
    """What was found where a symbol should be.

    Attributes:
        symbols: several where a condition or an overload decides; empty if there is none.
        problem: why there is none, as what is said of the symbol's module.
        is_readable: False if the source is there and can't be read, so that nothing is known.
    """

    symbols: tuple[Symbol, ...] = ()
    problem: str = ""
    is_readable: bool = True


@dataclass(frozen=True)
class Place:
    """The file that a symbol is in.

    Attributes:
        path: the file.
        root: the directory that its module is imported from; empty for the repository's root.
    """

    path: str
    root: str = ""


class Files(Protocol):
    """Which files there are. To walk them all takes time in a large repository."""

    def __contains__(self, path: str, /) -> bool: ...

    def __iter__(self) -> Iterator[str]: ...


class Codebase(Protocol):
    """The sources of one language in one repository, looked into by need; what was read is kept."""

    def find(self, symbol: Addressed, root: str | None = None) -> Definitions:
        """What the sources define at an address.

        Args:
            symbol: the address; only where it is counts.
            root: the directory that its module is imported from, where a language has such; None to look
                into every project that has such a module.
        """

    def origins(self, symbol: Addressed) -> tuple[str, ...]:
        """The other addresses at which what is at this one is defined, as imports say."""

    def outline(self, path: str) -> Outlined:
        """The public names of a source with their signatures.

        Raises:
            WorkorderError: the file can't be read.
        """

    def summary(self, path: str) -> Outlined:
        """What a source is for, and its public names without signatures, in a line or two.

        Raises:
            WorkorderError: the file can't be read.
        """

    def names(self, path: str) -> Outlined:
        """The names of the functions and types of a test source, in a line or two.

        Raises:
            WorkorderError: the file can't be read.
        """


class Language(Protocol):
    """A language."""

    @property
    def key(self) -> str:
        """Its folder's name: `python`, `typescript`, `go`, `rust`."""

    @property
    def name(self) -> str:
        """As people write it: `TypeScript/JavaScript`."""

    @property
    def suffixes(self) -> tuple[str, ...]:
        """How the names of its sources end."""

    @property
    def project_files(self) -> tuple[str, ...]:
        """Files that make a directory a project of it, such as `go.mod`."""

    @property
    def programs(self) -> tuple[str, ...]:
        """The programs that its verification starts."""

    @property
    def lacks(self) -> Mapping[str, str]:
        """What it doesn't offer, by feature (`symbols`, `mutants`, `verification`, …), and why."""

    def is_test(self, path: str) -> bool:
        """Whether a source of it belongs to the tests, by its name and folders."""

    def verification(self, files: Collection[str], read: Read) -> tuple[Verification, ...]:
        """The default verification of a repository or project with these files."""

    def compiling(self, files: Collection[str], read: Read) -> tuple[str, ...]:
        """The words of a command that fails if and only if the product's sources don't compile.

        A mutant on which it fails is no mutant. Empty for a language whose mutants need no such look.
        """

    def parse_symbol(self, text: str) -> Symbol:
        """A symbol from its written form.

        Raises:
            BadSymbol: it is none, with what is wrong and where.
        """

    def place(self, symbol: Addressed, paths: Iterable[str], is_file: Callable[[str], bool]) -> Place | None:
        """Which of some files a symbol is in; None if it is in none of them.

        Args:
            symbol: the symbol.
            paths: the files to choose from, in order.
            is_file: whether there is a file.
        """

    def file_names(self, symbol: Addressed) -> tuple[str, ...]:
        """The paths that the file of a symbol may have below the directory that it is imported from."""

    def keeps(self, defined: Symbol, promised: Symbol) -> bool:
        """Whether what is there is what was promised, wherever it is; what the promise leaves open is kept
        by anything."""

    def filled(self, defined: Symbol, promised: Symbol) -> Symbol:
        """What was promised, with what it leaves open as it is in what is there, which keeps it."""

    def codebase(self, files: Files, read: Read) -> Codebase:
        """Its sources in a repository.

        Args:
            files: the repository's files; others are not there.
            read: gives their bytes.
        """

    def excerpt(self, path: str, source: str, names: Collection[str]) -> Excerpt | None:
        """What users of some names need of a source; None if it can't be told.

        Args:
            path: the source's path.
            source: its text.
            names: what they use, dotted where it is in a type; a name that is not there adds nothing.
        """

    def spans(self, path: str, data: bytes) -> tuple[Span, ...]:
        """Where the functions and types at the top of a source stand, and the methods in these; none of a
        source that can't be read."""

    def imports(self, path: str, data: bytes) -> frozenset[str] | None:
        """The packages that a source imports, as it names them; the standard library and what can be told
        to be the project's own is left out. None if it can't be read."""

    def conspicuous(self, path: str, data: bytes) -> tuple[tuple[int, str], ...]:
        """The lines of a source that a person should look at, and why: where it ends its process, or changes
        or notices what judges it. None where it can't be read."""

    def mutants(self, path: str, source: str, lines: Collection[int], *, limit: int) -> tuple[Mutant, ...]:
        """Mutants of the lines that count, by position; each of them can be parsed."""

    def marked(self, path: str, source: str, marks: Mapping[int, str]) -> str | None:
        """A source whose statements leave a file as their mark when they are executed; None if it can't be.

        Args:
            path: the source's path.
            source: its text.
            marks: by the number of a line, the absolute path of the file that is made.
        """

    def starter(self, files: Collection[str]) -> Mapping[str, str]:
        """The texts of files that a new project begins with: `scripts/verify.sh` (the commands of
        `verification`) and `.gitignore`."""

    @property
    def spoken_of(self) -> re.Pattern[str]:
        """Matches where a text, such as a specification, speaks of the language or of its tools."""

    @property
    def symbol_words(self) -> str:
        """What an engineer's prompt says of its symbols: how they are written, and what of them binds."""

    @property
    def words(self) -> str:
        """What a planner's prompt says of it: how symbols are written, what tests are called and run by."""

"""Python, as the port asks for it."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final

from factory.contract.text import Read
from factory.languages import port
from factory.languages.excerpt import Excerpt, excerpt_of
from factory.languages.port import Addressed, Files, Mutant, Place, Verification
from factory.languages.python.codebase import PythonCodebase
from factory.languages.python.commands import COMPILE_ALL, PYTEST, STARTER
from factory.languages.python.conspicuous import conspicuous
from factory.languages.python.imports import imported_packages
from factory.languages.python.module_files import PROJECT_FILES, is_test
from factory.languages.python.mutation.marks import marked
from factory.languages.python.mutation.mutants import mutants
from factory.languages.python.outline.excerpts import units
from factory.languages.python.outline.spans import spans
from factory.languages.python.symbols.files import module_file, module_files
from factory.languages.python.symbols.shapes import shape_keeps
from factory.languages.python.symbols.symbol import Symbol
from factory.languages.python.symbols.written import parse_symbol
from factory.languages.python.words import SYMBOLS, WORDS


class Python:
    """See `Language`."""

    key: Final = "python"
    name: Final = "Python"
    suffixes: Final = (".py",)
    project_files: Final = PROJECT_FILES
    programs: Final = ("python",)
    lacks: Final[Mapping[str, str]] = {}
    spoken_of: Final = re.compile(r"\b(?:Python|pytest|Django|FastAPI|Flask|PyPI)\b|\bpyproject\.toml\b")
    symbol_words: Final = SYMBOLS
    words: Final = WORDS

    def is_test(self, path: str) -> bool:
        """Whether a file belongs to the tests, by its name and folders."""
        return is_test(path)

    def verification(self, files: Collection[str], read: Read) -> tuple[Verification, ...]:
        """Every file compiles, and the tests pass."""
        return (COMPILE_ALL, PYTEST)

    def compiling(self, files: Collection[str], read: Read) -> tuple[str, ...]:
        """None: that a mutant is valid Python was seen when it was made."""
        return ()

    def parse_symbol(self, text: str) -> Symbol:
        """A symbol from its written form; see `written`."""
        return parse_symbol(text)

    def place(self, symbol: Addressed, paths: Iterable[str], is_file: Callable[[str], bool]) -> Place | None:
        """Which of some files is a symbol's module."""
        place = module_file(symbol.module, paths, is_file)
        return Place(*place) if place is not None else None

    def file_names(self, symbol: Addressed) -> tuple[str, ...]:
        """A module is a file or a package."""
        return module_files(symbol.module)

    def keeps(self, defined: port.Symbol, promised: port.Symbol) -> bool:
        """Whether what is there is what was promised."""
        if not isinstance(defined, Symbol) or not isinstance(promised, Symbol):
            return False
        return shape_keeps(defined.shape, promised.shape)

    def filled(self, defined: port.Symbol, promised: port.Symbol) -> port.Symbol:
        """What was promised, with what it leaves open as it is in what is there."""
        if not isinstance(defined, Symbol) or not isinstance(promised, Symbol):
            return promised
        return defined.filling(promised)

    def codebase(self, files: Files, read: Read) -> PythonCodebase:
        """Its modules in a repository."""
        return PythonCodebase(files, read)

    def excerpt(self, path: str, source: str, names: Collection[str]) -> Excerpt | None:
        """What users of some names need of a module."""
        parts = units(source, names)
        return excerpt_of(parts, names) if parts is not None else None

    def spans(self, path: str, data: bytes) -> tuple[port.Span, ...]:
        """Where the functions, methods and classes of a module stand."""
        return spans(data)

    def imports(self, path: str, data: bytes) -> frozenset[str] | None:
        """The first names of what a source imports; those of the project's own packages are among them."""
        return imported_packages(data)

    def conspicuous(self, path: str, data: bytes) -> tuple[tuple[int, str], ...]:
        """The lines that a person should look at, and why."""
        return conspicuous(data.decode("utf-8", "replace"))

    def mutants(self, path: str, source: str, lines: Collection[int], *, limit: int) -> tuple[Mutant, ...]:
        """Mutants of the lines that count."""
        return mutants(source, lines, limit=limit)

    def marked(self, path: str, source: str, marks: Mapping[int, str]) -> str | None:
        """A source whose statements leave marks."""
        return marked(source, marks)

    def starter(self, files: Collection[str]) -> Mapping[str, str]:
        """The texts of files that a new project begins with."""
        return STARTER


PYTHON: Final = Python()

"""What languages share whose symbols are written with their file: `src/slug.ts:slugify(text: string)`."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Final

from factory.contract.text import Read
from factory.languages.port import Addressed, Codebase, Definitions, Files, Outlined, Place, Symbol

MAX_OUTLINED_BYTES: Final = 100_000
"""The longest source that is outlined: whatever is in it, to read it takes about a second."""

_NOTHING: Final = re.compile(r"(?!)")


class ByFile(ABC):
    """A language that reads each of its files by itself; a base of those that `Language` describes.

    Attributes:
        programs: the programs that its verification starts; see `Language`.
        spoken_of: matches its names, if it has some that are no ordinary words; see `Language`.
    """

    programs: tuple[str, ...] = ()
    spoken_of: re.Pattern[str] = _NOTHING

    @abstractmethod
    def find(self, symbol: Addressed, read: Read) -> Definitions:
        """What the sources define at an address."""

    @abstractmethod
    def outline(self, path: str, data: bytes) -> Outlined:
        """The public names of a source with their signatures."""

    @abstractmethod
    def names(self, path: str, data: bytes) -> Outlined:
        """The names of the functions and types of a source, in a line or two."""

    def compiling(self, files: Collection[str], read: Read) -> tuple[str, ...]:
        """The command that fails where sources don't compile; see `Language`."""
        return ()

    def place(self, symbol: Addressed, paths: Iterable[str], is_file: Callable[[str], bool]) -> Place | None:
        """Which of some files a symbol is in; see `Language`."""
        return next((Place(path) for path in paths if path == symbol.module), None)

    def file_names(self, symbol: Addressed) -> tuple[str, ...]:
        """The paths that the file of a symbol may have; see `Language`."""
        return (symbol.module,)

    def filled(self, defined: Symbol, promised: Symbol) -> Symbol:
        """What was promised, with what it leaves open; see `Language`."""
        return defined

    def codebase(self, files: Files, read: Read) -> Codebase:
        """Its sources in a repository; see `Language`."""
        return _Codebase(self, files, read)


@dataclass(frozen=True)
class _Codebase:
    language: ByFile
    files: Files
    read: Read

    def find(self, symbol: Addressed, root: str | None = None) -> Definitions:
        return self.language.find(symbol, self._tracked)

    def origins(self, symbol: Addressed) -> tuple[str, ...]:
        return ()

    def outline(self, path: str) -> Outlined:
        return self._of(path, self.language.outline)

    def summary(self, path: str) -> Outlined:
        return self._of(path, self.language.names)

    def names(self, path: str) -> Outlined:
        return self._of(path, self.language.names)

    def _of(self, path: str, outlined: Callable[[str, bytes], Outlined]) -> Outlined:
        data = self._tracked(path)
        if data is None:
            return Outlined("", "it is missing in the checkout")
        if len(data) > MAX_OUTLINED_BYTES:
            return Outlined("", f"its source is longer than {MAX_OUTLINED_BYTES:,} bytes")
        return outlined(path, data)

    def _tracked(self, path: str) -> bytes | None:
        return self.read(path) if path in self.files else None

"""What there is to know about a repository, in pieces: each a file to be shown whole, or a module's outline.

The pieces are in the order of their importance; which of them a prompt has room for is decided in `gather`.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from factory.contract.errors import WorkorderError
from factory.contract.note import Note
from factory.contract.text import Read, decoded
from factory.contract.work_order import VERIFY_SCRIPT
from factory.languages.port import Codebase, Outlined
from factory.languages.python.language import PYTHON
from factory.languages.table import language_of
from factory.llm.port import estimate_tokens
from factory.llm.template import json_path, quoted, quoted_file
from factory.plans.states.sources import Sources
from factory.system.terminal.console import one_line
from planner.prompt.named_definitions import Definition, named_definitions
from planner.prompt.named_modules import NamedModules
from planner.prompt.parts import Part, Piece, Unit

AGENTS: Final = "AGENTS.md"
"""What people ask of those who change what is beside it or below."""

_READMES: Final = ("readme.md", "readme.rst", "readme.txt", "readme")
_README_SHARE: Final = 8
"""A README takes this part of the limit at most: what comes late in a long one rarely helps a planner."""

_CONFIGURATION: Final = (
    "workorder.toml",
    VERIFY_SCRIPT,
    "pyproject.toml",
    "pytest.ini",
    "tox.ini",
    "setup.cfg",
    "setup.py",
    "package.json",
)
_CONFIGURATION_SHARE: Final = 8
"""Each of these files takes this part of the limit at most."""


def units(
    sources: Sources, notes: Sequence[Note], spec: str | None, limit: int
) -> dict[Part, tuple[Unit, ...]]:
    """All there is, the most important first in each part; nothing is read yet.

    Args:
        sources: the repository as it is now.
        notes: what the user hands over.
        spec: the specification: modules that it names, or definitions of theirs, come first.
        limit: the limit on all of it together, in tokens.
    """
    files, read = sources.files, sources.read
    configuration = tuple(
        path
        for below in ("", *(f"{project}/" for project in sources.projects))
        for name in _CONFIGURATION
        if (path := below + name) in files
    )
    codebases = Codebases(files, read)
    by_language = {path: language for path in sorted(files) if (language := language_of(path)) is not None}
    tests = [path for path, language in by_language.items() if language.is_test(path)]
    named = NamedModules(spec or "", read)
    modules = sorted(
        (
            path
            for path, language in by_language.items()
            if not language.is_test(path) and path not in configuration
        ),
        key=lambda path: (
            named.rank(path),
            not _is_packaged(path, files),
            _is_private(path),
            path.count("/"),
            path,
        ),
    )
    agents = sorted(
        (path for path in files if path.rpartition("/")[2] == AGENTS),
        key=lambda path: (path.count("/"), path),
    )
    return {
        Part.AGENTS: tuple(_agents(path, read) for path in agents),
        Part.README: tuple(_cut("readme", path, read, limit // _README_SHARE) for path in _readmes(files)),
        Part.NOTES: tuple(_note(note) for note in notes),
        Part.CONFIGURATION: tuple(
            _cut("configuration", path, read, limit // _CONFIGURATION_SHARE) for path in configuration
        ),
        Part.SOURCE: tuple(map(_definition, named_definitions(spec or "", modules, read))),
        Part.OUTLINE: tuple(
            _module(path, codebases.of(path).outline, codebases.of(path).summary) for path in modules
        ),
        Part.TESTS: tuple(_module(path, codebases.of(path).names) for path in tests),
    }


class Codebases:
    """The sources of a repository in each of its languages.

    Args:
        files: the repository's files.
        read: gives their bytes.
    """

    def __init__(self, files: frozenset[str], read: Read) -> None:
        self._files = files
        self._read = read
        self._by_key: dict[str, Codebase] = {}

    def of(self, path: str) -> Codebase:
        """The sources in the language of a file."""
        language = language_of(path) or PYTHON
        if language.key not in self._by_key:
            self._by_key[language.key] = language.codebase(self._files, self._read)
        return self._by_key[language.key]


def _agents(path: str, read: Read) -> Unit:
    return Unit(path, _shown(path, read, lambda text: Piece(quoted_file("agents_md", path, text))))


def _readmes(files: frozenset[str]) -> Iterator[str]:
    """The README at the root; the first of several."""
    readmes = sorted(
        (path for path in files if path.lower() in _READMES), key=lambda path: (_rank(path), path)
    )
    yield from readmes[:1]


def _rank(path: str) -> int:
    return _READMES.index(path.lower())


def _cut(tag: str, path: str, read: Read, limit: int) -> Unit:
    """A file of which the lines that fit are shown."""

    def piece(text: str) -> Piece:
        if estimate_tokens(text) <= limit:
            return Piece(quoted_file(tag, path, text))
        lines = text.removesuffix("\n").split("\n")
        kept: list[str] = []
        tokens = 0
        for line in lines:
            tokens += estimate_tokens(f"{line}\n")
            if tokens > limit:
                break
            kept.append(line)
        cut = f"[cut here: {len(lines) - len(kept)} of {len(lines)} lines are left out]"
        return Piece(quoted_file(tag, path, "\n".join([*kept, cut])), f"{path} from line {len(kept) + 1}")

    return Unit(path, _shown(path, read, piece))


def _note(note: Note) -> Unit:
    return Unit(note.path, lambda: Piece(quoted_file("note", note.path, note.text)))


def _definition(definition: Definition) -> Unit:
    place = f"{json_path(definition.path)}, lines {definition.first} to {definition.last}"
    text = quoted("source", f"{place}\n\n{definition.source}")
    return Unit(f"{definition.path}:{definition.name}", lambda: Piece(text))


def _module(
    path: str, outline: Callable[[str], Outlined], short: Callable[[str], Outlined] | None = None
) -> Unit:
    return Unit(path, _outlined(path, outline), None if short is None else _outlined(path, short))


def _outlined(path: str, outline: Callable[[str], Outlined]) -> Callable[[], Piece]:
    # It may be asked for twice: to see whether everything has room, and to be shown. Most modules of a large
    # repository never are, so this is made for each at once and must cost little: `functools.cache` does not.
    made: list[Piece] = []

    def piece() -> Piece:
        if not made:
            try:
                outlined = outline(path)
            except WorkorderError as error:
                outlined = Outlined("", error.message)
            text = f"# {one_line(path)}: can't be read" if outlined.problem else outlined.text
            made.append(Piece(text, problem=outlined.problem))
        return made[0]

    return piece


def _shown(path: str, read: Read, piece: Callable[[str], Piece]) -> Callable[[], Piece]:
    """Reads a file and makes a piece of its text."""

    def opened() -> Piece:
        try:
            data = read(path)
        except WorkorderError as error:
            return Piece("", problem=error.message)
        if data is None:
            return Piece("", problem="it is missing in the checkout")
        text, problem = decoded(data)
        return Piece("", problem=problem) if problem else piece(text)

    return opened


def _is_private(path: str) -> bool:
    return any(part.startswith("_") and not part.startswith("__") for part in path.split("/"))


def _is_packaged(path: str, files: frozenset[str]) -> bool:
    return f"{path.rpartition('/')[0]}/__init__.py" in files

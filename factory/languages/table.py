"""The table of languages, and which of them a file, a symbol or a repository is in."""

import re
from collections.abc import Collection, Iterable
from typing import Final

from factory.contract.text import Read
from factory.languages.go.language import GO
from factory.languages.port import Language, NameAlone, Symbol, Verification
from factory.languages.python.language import PYTHON
from factory.languages.rust.language import RUST
from factory.languages.typescript.language import TYPESCRIPT

LANGUAGES: Final[tuple[Language, ...]] = (PYTHON, TYPESCRIPT, GO, RUST)
"""All that are known; a language is one line here, in the order in which people are told of them."""

_BY_SUFFIX: Final = {suffix: language for language in LANGUAGES for suffix in language.suffixes}
_FILE: Final = re.compile(r"[^:\s]*(\.\w+)")


def language_of(path: str) -> Language | None:
    """The language of a source, by the end of its name; None if it is in none that is known."""
    name = path.rpartition("/")[2]
    return _BY_SUFFIX.get(f".{name.rpartition('.')[2]}") if "." in name[1:] else None


def language_of_symbol(text: str) -> Language:
    """The language of a symbol in its written form, or of an address.

    That of the file before the first colon, as in `src/slug.ts:slugify(text: string)`; Python's if there is
    no file of a known language: `pkg.module:name` names a module.
    """
    file = _FILE.fullmatch(text.partition(":")[0].strip())
    language = _BY_SUFFIX.get(file[1]) if file is not None else None
    # Of Python the module is named: `pkg.py` is the module `py` of a package.
    return PYTHON if language is None else language


def parse_symbol(text: str) -> Symbol:
    """A symbol from its written form in its language.

    Raises:
        BadSymbol: it is none, with what is wrong and where.
    """
    return language_of_symbol(text).parse_symbol(text)


def named_symbol(text: str) -> Symbol:
    """A symbol from its written form, or from its name alone, which is what a module hands on.

    Raises:
        BadSymbol: it is neither, with what is wrong and where.
    """
    try:
        return parse_symbol(text)
    except NameAlone as alone:
        return alone.symbol


def keeps(defined: Symbol, promised: Symbol) -> bool:
    """Whether what is there is what was promised; see `Language.keeps`."""
    language = language_of_symbol(promised.address)
    return language == language_of_symbol(defined.address) and language.keeps(defined, promised)


def languages_of_text(text: str) -> tuple[Language, ...]:
    """The languages that a text speaks of, in the table's order."""
    return tuple(language for language in LANGUAGES if language.spoken_of.search(text))


def default_verification(files: Collection[str], read: Read) -> tuple[Verification, ...]:
    """The commands that verify a repository without a script of its own, those of each of its languages.

    Python's where no language is known.

    Args:
        files: the repository's files.
        read: gives their bytes.
    """
    languages = languages_in(files) or (PYTHON,)
    return tuple(command for language in languages for command in language.verification(files, read))


def languages_in(files: Iterable[str]) -> tuple[Language, ...]:
    """The languages that some files are sources or project files of, in the table's order."""
    names = {path.rpartition("/")[2] for path in files}
    suffixes = {f".{name.rpartition('.')[2]}" for name in names if "." in name[1:]}
    return tuple(
        language
        for language in LANGUAGES
        if not suffixes.isdisjoint(language.suffixes) or not names.isdisjoint(language.project_files)
    )

"""Which settings of pytest decide which tests are found or run, so that a plan that brings its own
configuration may have them only if a person accepted that. Pure.

The values are hostile: what can't be read counts as such a setting. What a user has configured already is
compared in `pytest_sections`.
"""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from factory.configuration.pytest_sections import Section

_OPTIONS: Final = "addopts"

_USUAL: Final[Mapping[str, frozenset[str]]] = {
    "python_classes": frozenset({"Test", "Test*"}),
    "python_files": frozenset({"test_*.py", "test*.py"}),
    "python_functions": frozenset({"test", "test*", "test_*"}),
}
"""Keys by which pytest knows tests; each finds what it usually does if one of these is among its values."""

_NO_SOURCES: Final = frozenset(
    {".*", ".git", ".tox", ".nox", ".venv", ".eggs", ".mypy_cache", ".pytest_cache", ".ruff_cache"}
    | {"*.egg", "*.egg-info", "__pycache__", "_darcs", "build", "CVS", "dist", "node_modules", "venv"}
    | {"{arch}"}
)
"""Directories in which nobody looks for tests."""

_LONG: Final = frozenset(
    {"--cache-show", "--co", "--collect-only", "--confcutdir", "--config-file", "--deselect"}
    | {"--fixtures", "--fixtures-per-test", "--funcargs", "--help", "--ignore"}
    | {"--ignore-glob", "--last-failed", "--lf", "--last-failed-no-failures", "--lfnf"}
    | {"--markers", "--noconftest", "--pyargs", "--rootdir"}
    | {"--setup-only", "--setup-plan", "--setuponly", "--setupplan", "--stepwise", "--stepwise-reset"}
    | {"--stepwise-skip", "--sw", "--sw-reset", "--sw-skip", "--version"}
)
_SHORT: Final = frozenset("ckmhV")
_NO_JUDGES: Final = frozenset({"cacheprovider", "faulthandler", "randomly", "warnings"})
"""Plugins that may be left out: none of them finds or runs tests."""

_SHORT_WITH_VALUE: Final = frozenset("ckmoprWn")
_WITHOUT_VALUE: Final = frozenset(
    {"--quiet", "--verbose", "--strict", "--strict-markers", "--strict-config", "--showlocals", "--no-header"}
    | {"--no-summary", "--disable-warnings", "--disable-pytest-warnings", "--full-trace", "--runxfail"}
    | {"--doctest-modules", "--no-showlocals", "--pdb", "--trace", "--trace-config"}
)
"""Options after which a word that is no option is a file or directory to look into."""


def newly_selecting(old: Section | None, new: Section | None) -> tuple[str, ...]:
    """What of pytest's configuration decides which tests are found or run and was not there before.

    Args:
        old: the section before; None if there was none.
        new: the section that is proposed.

    Returns:
        The settings, as they are said to a person: `python_files`, or `addopts` with the option.
    """
    known = set(_selecting(old or {}))
    return tuple(dict.fromkeys(name for name, value in _selecting(new or {}) if (name, value) not in known))


def _selecting(section: Section) -> Iterator[tuple[str, str]]:
    """Each setting that selects tests, with its value."""
    for key, value in section.items():
        words = _words(value)
        if key == _OPTIONS:
            if words is None:
                yield key, str(value)
            for option, given in _selecting_options(words or ()):
                yield f"{key} = {option}", given
        elif not _is_usual(key, words):
            yield key, str(value)


def _is_usual(key: str, words: tuple[str, ...] | None) -> bool:
    """Whether a key selects nothing, or finds with these values what pytest usually finds."""
    if key in _USUAL:
        return words is not None and not _USUAL[key].isdisjoint(words)
    if key == "norecursedirs":
        return words is not None and _NO_SOURCES.issuperset(words)
    return key != "collect_imported_tests"


def _words(value: object) -> tuple[str, ...] | None:
    """The words of a value; None if it can't be split into some."""
    if isinstance(value, str):
        try:
            return tuple(shlex.split(value, comments=False))
        except ValueError:
            return None
    if isinstance(value, Sequence) and all(isinstance(entry, str) for entry in value):
        return tuple(value)
    return None


def _selecting_options(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The options that select tests, each with its value, and the words that name files."""
    index = 0
    takes_word = False
    while index < len(words):
        word = words[index]
        index += 1
        following = words[index] if index < len(words) else ""
        if word == "--":
            yield from ((rest, rest) for rest in words[index:])
            return
        if word.startswith("--"):
            name, is_given, value = word.partition("=")
            given = value if is_given else following
            takes_word = not is_given and name not in _WITHOUT_VALUE
            if name in _LONG:
                yield name, given
            elif name == "--override-ini":
                yield from _overridden(given)
        elif word.startswith("-") and len(word) > 1:
            flags, letter, value = _short_options(word)
            takes_word = bool(letter) and not value
            yield from ((f"-{flag}", "") for flag in flags if flag in _SHORT)
            yield from _with_value(letter, value or following)
        elif takes_word:
            takes_word = False
        else:
            yield word, word


def _short_options(word: str) -> tuple[str, str, str]:
    """The short options of one word: those without a value, the one with a value, and that as far as it is
    in the word."""
    for position, letter in enumerate(word[1:], start=1):
        if letter in _SHORT_WITH_VALUE:
            return word[1:position], letter, word[position + 1 :].removeprefix("=")
    return word[1:], "", ""


def _with_value(letter: str, value: str) -> Iterator[tuple[str, str]]:
    if letter == "o":
        yield from _overridden(value)
    elif letter == "p" and value.startswith("no:") and value.removeprefix("no:") not in _NO_JUDGES:
        yield f"-p {value}", value
    elif letter in _SHORT:
        yield f"-{letter}", value


def _overridden(setting: str) -> Iterator[tuple[str, str]]:
    name, _, value = setting.partition("=")
    yield from ((f"-o {found}", given) for found, given in _selecting(MappingProxyType({name: value})))

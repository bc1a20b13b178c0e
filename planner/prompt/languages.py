"""The languages that a plan is about: those of the repository, and those that its specification names."""

import re
from collections.abc import Collection, Mapping
from typing import Final

from factory.languages.port import Language
from factory.languages.table import LANGUAGES, languages_in

_NAMED: Final[Mapping[str, re.Pattern[str]]] = {
    "python": re.compile(r"\b(?:Python|pytest|Django|FastAPI|Flask|PyPI)\b|\w\.py\b|\bpyproject\b"),
    "typescript": re.compile(
        r"\b(?:TypeScript|JavaScript|Node\.js|Deno|npm|vitest)\b|\b[Nn]ode\b(?=\s+\d|\s+package)"
        r"|\w\.[cm]?[jt]sx?\b|\bpackage\.json\b"
    ),
    # `Go` alone may be the English word.
    "go": re.compile(
        r"\bGolang\b|\b(?:in|a|the) Go\b|\bGo (?:module|package|program|library|service|command|tool|\d)"
        r"|`go (?:build|run|test|vet)\b|\w\.go\b|\bgo\.mod\b"
    ),
    "rust": re.compile(r"\b(?:Rust|crates?\.io)\b|\bcargo\b|\bCargo\.toml\b|\w\.rs\b"),
}
"""What in a specification says that something is written in a language."""


def languages_for(spec: str | None, files: Collection[str]) -> tuple[Language, ...]:
    """The languages of a repository and its specification, in the table's order; Python if there is none.

    Args:
        spec: the specification's text, if it is at hand.
        files: the tracked files of the repository.
    """
    present = {language.key for language in languages_in(files)}
    named = {key for key, pattern in _NAMED.items() if spec is not None and pattern.search(spec)}
    chosen = tuple(language for language in LANGUAGES if language.key in present | named)
    return chosen or LANGUAGES[:1]

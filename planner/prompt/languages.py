"""The languages that a plan is about: those of the repository, and those that its specification speaks of."""

from collections.abc import Collection

from factory.languages.port import Language
from factory.languages.table import LANGUAGES, languages_in, languages_of_text


def languages_for(spec: str | None, files: Collection[str]) -> tuple[Language, ...]:
    """The languages of a repository and its specification, in the table's order; Python if there is none.

    Args:
        spec: the specification's text, if it is at hand.
        files: the tracked files of the repository.
    """
    known = {*languages_in(files), *languages_of_text(spec or "")}
    return tuple(language for language in LANGUAGES if language in known) or LANGUAGES[:1]

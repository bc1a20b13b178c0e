"""The table of languages against features. All of it comes from the port."""

import sys
from pathlib import Path

from option_tables import cell

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from factory.languages.features import FEATURES, lacking
from factory.languages.port import Language
from factory.languages.table import LANGUAGES


def language_table() -> str:
    """A row a feature, a column a language; what is missing with the reason."""
    rows = [
        ["", *(language.name for language in LANGUAGES)],
        ["---"] * (len(LANGUAGES) + 1),
        ["sources", *(_listed(language.suffixes) for language in LANGUAGES)],
        ["a project has", *(_listed(language.project_files) for language in LANGUAGES)],
        ["programs", *(_listed(language.programs) for language in LANGUAGES)],
    ]
    rows += [
        [words, *(_offered(language, feature) for language in LANGUAGES)]
        for feature, words in FEATURES.items()
    ]
    return "\n".join(f"| {' | '.join(map(cell, row))} |" for row in rows)


def _offered(language: Language, feature: str) -> str:
    lacks = lacking(language)
    return f"no: {lacks[feature]}" if feature in lacks else "yes"


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "none"

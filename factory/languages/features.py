"""What a language may offer to the rest, by name: `lacks` speaks of it, and the table of the documents."""

from collections.abc import Mapping
from typing import Final

from factory.languages.by_file import ByFile
from factory.languages.port import MUTANTS, Language

FEATURES: Final[Mapping[str, str]] = {
    "symbols": "`provides` and `consumes`: the rules E301 to E305, and the gate that reads what was written",
    "outline": "outlines of a repository in the planner's prompts",
    "definitions": "definitions that a specification names, with their source in the planner's prompts",
    "verification": "a verification without `scripts/verify.sh`",
    "baseline": "failing tests of the baseline told apart from new ones (`--baseline-red`)",
    MUTANTS: "mutants of what was written (`--mutants`)",
    "marks": "which written lines the checks execute",
    "imports": "packages that sources import held against those that are declared",
    "unusual": "code that ends its process, or changes or notices its judge, pointed out by `factory show`",
    "vanished": "tests that passed before and no longer run fail an attempt",
    "commands": "acceptance commands that are programs read as such: E301, E302, W306, W402 to W410",
    "starter": "`scripts/verify.sh` and `.gitignore` of a new project",
}
"""What there is, in the order in which it is told."""

OF_PYTHON_ALONE: Final[Mapping[str, str]] = {
    "baseline": "its tests are not told apart: a verification that fails before is only reported",
    "commands": "only `python -c` and pytest are read",
}
"""What every language lacks whose symbols are written with their file."""


def lacking(language: Language) -> dict[str, str]:
    """The features that a language lacks, in the order of `FEATURES`, each with the reason."""
    lacks = {**(OF_PYTHON_ALONE if isinstance(language, ByFile) else {}), **language.lacks}
    return {feature: lacks[feature] for feature in FEATURES if feature in lacks}

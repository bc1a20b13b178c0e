"""What operators and calls become in a mutant."""

from collections.abc import Mapping
from typing import Final

COMPARISONS: Final[Mapping[str, tuple[str, ...]]] = {
    "<": ("<=", ">="),
    "<=": ("<", ">"),
    ">": (">=", "<="),
    ">=": (">", "<"),
    "==": ("!=",),
    "!=": ("==",),
    "is": ("is not",),
    "is not": ("is",),
    "in": ("not in",),
    "not in": ("in",),
}
ARITHMETIC: Final[Mapping[str, str]] = {
    "+": "-",
    "-": "+",
    "*": "//",
    "/": "*",
    "//": "*",
    "%": "*",
    "**": "*",
    "<<": ">>",
    ">>": "<<",
    "&": "|",
    "|": "&",
    "^": "&",
}
CALLS: Final[Mapping[str, str]] = {
    "all": "any",
    "any": "all",
    "endswith": "startswith",
    "lower": "upper",
    "lstrip": "rstrip",
    "max": "min",
    "min": "max",
    "rstrip": "lstrip",
    "startswith": "endswith",
    "upper": "lower",
}

"""The names of packages that a repository's locks hold, whoever needs them. Pure."""

import re
from collections.abc import Mapping
from typing import Final

_OF_PYTHON: Final = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==", re.MULTILINE)
_OF_TOML: Final = re.compile(r'^name = "([^"\n]+)"$', re.MULTILINE)
_OF_NPM: Final = re.compile(r'"(?:[^"\n]*/)?node_modules/((?:@[^/"\n]+/)?[^/"\n]+)": *\{')
_OF_PNPM: Final = re.compile(r"^  '?/?((?:@[^@/'\s]+/)?[^@/'\s]+)@[^:\s]+:", re.MULTILINE)

LOCKS: Final[Mapping[str, tuple[str, re.Pattern[str]]]] = {
    "requirements.lock": ("python", _OF_PYTHON),
    "uv.lock": ("python", _OF_TOML),
    "pylock.toml": ("python", _OF_TOML),
    "package-lock.json": ("node", _OF_NPM),
    "pnpm-lock.yaml": ("node", _OF_PNPM),
}
"""The locks at the root of a repository: whose packages each holds, and how it names them."""


def locked_names(path: str, text: str) -> frozenset[tuple[str, str]]:
    """What a lock holds: pairs of an ecosystem and a name as the lock spells it.

    Args:
        path: one of `LOCKS`.
        text: its text.
    """
    ecosystem, named = LOCKS[path]
    return frozenset((ecosystem, name) for name in named.findall(text))

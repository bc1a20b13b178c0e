"""The locks of a repository: the names of packages that they hold, and which of them are to come. Pure.

What a repository declares and has not locked is locked before the first work order, and that lands: so a
manifest and locks are there that it does not have yet. Whether the packages can be had is for the factory's
environments.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from factory.contract.packages.planned import NODE_MANIFEST
from factory.plans.states.projects import configured
from factory.plans.states.sources import Sources

_OF_PYTHON: Final = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==", re.MULTILINE)
_OF_TOML: Final = re.compile(r'^name = "([^"\n]+)"$', re.MULTILINE)
_OF_NPM: Final = re.compile(r'"(?:[^"\n]*/)?node_modules/((?:@[^/"\n]+/)?[^/"\n]+)": *\{')
_OF_PNPM: Final = re.compile(r"^  '?/?((?:@[^@/'\s]+/)?[^@/'\s]+)@[^:\s]+:", re.MULTILINE)

_NODE_LOCK: Final = "package-lock.json"
_OTHER_NODE_LOCKS: Final = ("pnpm-lock.yaml",)
_PYTHON_LOCK: Final = "requirements.lock"
_OTHER_PYTHON_LOCKS: Final = re.compile(r"uv\.lock|pylock\.toml")

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


def files_to_come(sources: Sources) -> frozenset[str]:
    """The files, each at the root or in a project, that are not among those of the repository.

    Args:
        sources: the repository as it is now.
    """
    return frozenset(
        path
        for project in (None, *sources.projects)
        if sources.alone is None or project is not None
        for path in _of(sources, "" if project is None else f"{project}/")
    )


def _of(sources: Sources, folder: str) -> Iterator[str]:
    files = frozenset(
        path.removeprefix(folder)
        for path in sources.files
        if path.startswith(folder) and "/" not in path.removeprefix(folder)
    )
    try:
        table = configured(files, lambda path: sources.read(folder + path), "environment")
    except (ValueError, RecursionError):
        # Of a file that can't be read others tell.
        return
    declared = table if isinstance(table, dict) else {}
    wanted: list[str] = []
    if declared.get("node"):
        wanted.append(NODE_MANIFEST)
        if not files.intersection(_OTHER_NODE_LOCKS):
            wanted.append(_NODE_LOCK)
    if declared.get("python") and not any(map(_OTHER_PYTHON_LOCKS.fullmatch, files)):
        wanted.append(_PYTHON_LOCK)
    yield from (folder + name for name in wanted if name not in files)

"""The files that the packages of a repository make before its first work order. Pure.

What is declared and not locked is locked first, and that lands: so a manifest and locks are there that the
repository does not have yet. Whether the packages can be had is for the factory's environments.
"""

import re
from collections.abc import Iterator
from typing import Final

from factory.plans.states.projects import configured
from factory.plans.states.sources import Sources

_MANIFEST: Final = "package.json"
_NODE_LOCK: Final = "package-lock.json"
_OTHER_NODE_LOCKS: Final = ("pnpm-lock.yaml",)
_PYTHON_LOCK: Final = "requirements.lock"
_OTHER_PYTHON_LOCKS: Final = re.compile(r"uv\.lock|pylock\.toml")


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
        wanted.append(_MANIFEST)
        if not files.intersection(_OTHER_NODE_LOCKS):
            wanted.append(_NODE_LOCK)
    if declared.get("python") and not any(map(_OTHER_PYTHON_LOCKS.fullmatch, files)):
        wanted.append(_PYTHON_LOCK)
    yield from (folder + name for name in wanted if name not in files)

"""The projects of a repository, as its configuration names them, for who only has its files. Pure.

Whether the configuration can be used, and which commit's counts, is for the factory's configuration.
"""

from collections.abc import Iterable
from typing import Final

from factory.contract.errors import WorkorderError
from factory.contract.repo_path import RepoPath
from factory.contract.text import Read

_OWN_FILE: Final = "workorder.toml"
_PROJECT_FILE: Final = "pyproject.toml"
_KEY: Final = b"projects"


def project_of(path: str, projects: Iterable[RepoPath]) -> RepoPath | None:
    """The project that a file lies in; None for what lies in none of them."""
    return next((project for project in projects if path.startswith(f"{project}/")), None)


def configured_projects(files: frozenset[str], read: Read) -> tuple[RepoPath, ...] | None:
    """The directories that the configuration names as projects.

    Args:
        files: the paths of the repository's files.
        read: gives their bytes.

    Returns:
        They, none without any configuration; None if it can't be read, which others tell.
    """
    try:
        own = read(_OWN_FILE) if _OWN_FILE in files else None
        general = read(_PROJECT_FILE) if own is None and _PROJECT_FILE in files else None
        listed = _listed(own) if own is not None else _listed(general, "tool", "workorder")
        return tuple(map(RepoPath.parse, listed))
    except (WorkorderError, ValueError, RecursionError):
        return None


def _listed(data: bytes | None, *tables: str) -> list[str]:
    if data is None or _KEY not in data:
        return []
    # Most repositories are one project, and read none.
    import tomllib

    value: object = tomllib.loads(data.decode("utf-8"))
    for key in (*tables, "projects"):
        value = value.get(key) if isinstance(value, dict) else None
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
        raise ValueError("not a list of directories")
    return value

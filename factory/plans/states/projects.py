"""What a repository's configuration says of plans, such as its projects, for who only has its files. Pure.

Whether the configuration can be used, and which commit's counts, is for the factory's configuration.
"""

from collections.abc import Iterable
from typing import Final

from factory.contract.errors import WorkorderError
from factory.contract.repo_path import RepoPath
from factory.contract.text import Read

_OWN_FILE: Final = "workorder.toml"
_PROJECT_FILE: Final = "pyproject.toml"


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
        listed = configured(files, read, "projects") or []
        if not isinstance(listed, list) or not all(isinstance(entry, str) for entry in listed):
            return None
        return tuple(map(RepoPath.parse, listed))
    except (WorkorderError, ValueError, RecursionError):
        return None


def configured(files: frozenset[str], read: Read, key: str) -> object:
    """What the configuration has under a key; None if it has nothing.

    Args:
        files: the paths of the repository's files.
        read: gives their bytes.
        key: the name of a value or a table.

    Raises:
        ValueError: the file that would hold it is no TOML.
    """
    own = read(_OWN_FILE) if _OWN_FILE in files else None
    data = read(_PROJECT_FILE) if own is None and _PROJECT_FILE in files else own
    if data is None or key.encode() not in data:
        return None
    # Most repositories configure nothing, and none is read.
    import tomllib

    value: object = tomllib.loads(data.decode("utf-8"))
    for name in (key,) if own is not None else ("tool", "workorder", key):
        value = value.get(name) if isinstance(value, dict) else None
    return value

"""The names of the files that a plan starts from. Imports git's side only for a repository that exists."""

from pathlib import Path


def read_repo_files(repo: Path | None) -> frozenset[str]:
    """The tracked files of the target repository; none of a new one.

    Raises:
        WorkorderError: it is not a git repository.
    """
    if repo is None:
        return frozenset()
    from factory.system.git import Git

    return Git.open(repo).tracked_files()

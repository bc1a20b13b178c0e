"""The files that a plan starts from: their names, and the bytes of its sources.

Imports git's side only for a repository that exists.
"""

from pathlib import Path

from factory.contract.python_module import MAX_SOURCE_BYTES
from factory.contract.python_source import Read
from factory.contract.repo_path import RepoPath
from factory.system.files import Tree


def read_repo_files(repo: Path | None) -> frozenset[str]:
    """The tracked files of the target repository; none of a new one.

    Raises:
        WorkorderError: it is not a git repository.
    """
    if repo is None:
        return frozenset()
    from factory.system.git import Git

    return Git.open(repo).tracked_files()


def source_reader(repo: Path | None) -> Read:
    """Gives the bytes of files below `repo`, reached without following links; none without a repository."""
    if repo is None:
        return lambda path: None
    tree = Tree(repo)

    def read(path: str) -> bytes | None:
        found = tree.read(RepoPath.parse(path), max_bytes=MAX_SOURCE_BYTES)
        return None if found is None else found.data

    return read

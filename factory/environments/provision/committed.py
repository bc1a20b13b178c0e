"""The files of a commit as this room reads them: each once, however many ask."""

from functools import cache

from factory.environments.needs.declared import MAX_FILE_BYTES, CommitFiles
from factory.system.git.client import Git
from factory.system.git.committed import committed_files


def commit_files(git: Git, commit: str) -> CommitFiles:
    """The files of a commit.

    Args:
        git: the repository.
        commit: the commit.

    Raises:
        GitError: git failed.
    """
    names, read = committed_files(git, commit, MAX_FILE_BYTES)
    return CommitFiles(names, cache(read))

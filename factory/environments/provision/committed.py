"""The files of a commit as this room reads them: each once, however many ask."""

from functools import cache

from factory.contract.repo_path import RepoPath
from factory.environments.needs.declared import MAX_FILE_BYTES, CommitFiles
from factory.system.git.client import Git
from factory.system.git.committed import committed_files


def commit_files(git: Git, commit: str, directory: RepoPath | None = None) -> CommitFiles:
    """The files of a commit.

    Args:
        git: the repository.
        commit: the commit.
        directory: the directory below which they are looked for, and which their paths are relative to; None
            for the root.

    Raises:
        GitError: git failed.
    """
    names, read = committed_files(git, commit, MAX_FILE_BYTES)
    if directory is None:
        return CommitFiles(names, cache(read))
    below = f"{directory}/"
    own = frozenset(name.removeprefix(below) for name in names if name.startswith(below))
    return CommitFiles(own, cache(lambda path: read(below + path)))

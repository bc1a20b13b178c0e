"""The files of a commit as this room reads them: each once, however many ask, and most by one call of git."""

from functools import lru_cache
from typing import Final

from factory.contract.repo_path import RepoPath
from factory.environments.needs import go, rust
from factory.environments.needs.declared import MAX_FILE_BYTES, CommitFiles
from factory.environments.needs.node import needs as node
from factory.environments.needs.python import needs as python
from factory.system.git.client import Git
from factory.system.git.committed import CommittedFiles

_TOGETHER: Final = (*python.FILES, *node.FILES, *go.FILES, *rust.FILES)
_MOST_TOGETHER: Final = 500


def commit_files(git: Git, commit: str, directory: RepoPath | None = None) -> CommitFiles:
    """The files of a commit.

    Args:
        git: the repository.
        commit: the full id of the commit.
        directory: the directory below which they are looked for, and which their paths are relative to; None
            for the root.

    Raises:
        GitError: git failed.
    """
    whole = _committed(git, commit)
    if directory is None:
        return CommitFiles(whole.files.names, whole.read)
    below = f"{directory}/"
    own = frozenset(name.removeprefix(below) for name in whole.files.names if name.startswith(below))
    return CommitFiles(own, lambda path: whole.read(path, below))


class _Committed:
    """A commit, and what of it was read."""

    def __init__(self, git: Git, commit: str) -> None:
        self.files = CommittedFiles(git, commit, MAX_FILE_BYTES)
        self._read: dict[str, bytes | None] = {}
        self._began: set[str] = set()

    def read(self, path: str, below: str = "") -> bytes | None:
        """A file of the directory `below`; with the first one come all that are nearly always asked for."""
        if below not in self._began:
            self._began.add(below)
            self._read |= self.files.read_together(below + name for name in _TOGETHER)
        place = below + path
        if place not in self._read and "/" in path:
            # Who asks for one of a workspace's manifests asks for all.
            alike = "/" + path.rpartition("/")[2]
            names = sorted(n for n in self.files.names if n.startswith(below) and n.endswith(alike))
            self._read |= self.files.read_together(names[:_MOST_TOGETHER])
        if place not in self._read:
            self._read[place] = self.files.read(place)
        return self._read[place]


@lru_cache(maxsize=2)
def _committed(git: Git, commit: str) -> _Committed:
    # Whatever a full id names never changes. A build asks twice: what to lock, and what to provide.
    return _Committed(git, commit)

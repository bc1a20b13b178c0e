"""The files of a commit: their names, and a way to their bytes. Only reads."""

import os
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TypeAlias

from factory.contract.limits import MAX_SOURCE_BYTES
from factory.contract.text import Read
from factory.system.files.tree import FileProblem
from factory.system.git.client import Git, GitError, Recorded

_Entries: TypeAlias = Mapping[str, tuple[str, str, int]]
"""Of each file its mode, the id of its bytes, and how many they are."""


class CommittedFiles:
    """The files of a commit, links and submodules not followed.

    Args:
        git: the repository.
        commit: the commit.
        max_bytes: the largest file that is read.

    Raises:
        GitError: git failed.
    """

    def __init__(self, git: Git, commit: str, max_bytes: int = MAX_SOURCE_BYTES) -> None:
        self._git = git
        self._max_bytes = max_bytes
        recorded = Recorded.of(git, commit)
        self._entries = _remembered(recorded) if recorded.is_fixed else _entries(recorded)
        self.names = frozenset(self._entries)

    def read(self, path: str) -> bytes | None:
        """The bytes of a file; None if there is none.

        Raises:
            FileProblem: it is a link or a submodule, or too large.
            GitError: git failed.
        """
        if path not in self._entries:
            return None
        mode, identity, size = self._entries[path]
        if not mode.startswith("100"):
            raise FileProblem("is a symbolic link or a submodule, not a file", where=path)
        if size > self._max_bytes:
            raise FileProblem(f"is larger than {self._max_bytes:,} bytes", where=path)
        return self._git.output("cat-file", "blob", identity)

    def read_together(self, paths: Iterable[str]) -> Mapping[str, bytes]:
        """The bytes of those of the files that `read` would read, by one call of git.

        Raises:
            GitError: git failed.
        """
        wanted = {
            path: identity
            for path in sorted(paths)
            for mode, identity, size in [self._entries.get(path, ("", "", 0))]
            if mode.startswith("100") and size <= self._max_bytes
        }
        if not wanted:
            return {}
        asked = "".join(f"{identity}\n" for identity in wanted.values()).encode("ascii")
        answer = self._git.output("cat-file", "--batch", stdin=asked)
        read: dict[str, bytes] = {}
        position = 0
        for path in wanted:
            end = answer.index(b"\n", position)
            words = answer[position:end].split(b" ")
            if words[1:2] != [b"blob"]:
                raise GitError(f"git has lost a file: {path}", where=str(self._git.common_dir))
            start, size = end + 1, int(words[2])
            read[path] = answer[start : start + size]
            # The object is followed by a line break.
            position = start + size + 1
        return read


def committed_files(git: Git, commit: str, max_bytes: int = MAX_SOURCE_BYTES) -> tuple[frozenset[str], Read]:
    """The paths of a commit's files and what gives their bytes, links and submodules not followed.

    Args:
        git: the repository.
        commit: the commit.
        max_bytes: the largest file that is read.

    Raises:
        GitError: git failed.
    """
    files = CommittedFiles(git, commit, max_bytes)
    return files.names, files.read


def _entries(recorded: Recorded) -> _Entries:
    entries: dict[str, tuple[str, str, int]] = {}
    listing = recorded.git.output("ls-tree", "-r", "-l", "-z", "--full-tree", recorded.name)
    for entry in listing.split(b"\0"):
        facts, tab, name = os.fsdecode(entry).partition("\t")
        if tab:
            mode, _, identity, size = facts.split()
            entries[name] = (mode, identity, int(size) if size.isdigit() else 0)
    return entries


# A run and a build ask for the files of their base several times.
_remembered = lru_cache(maxsize=1)(_entries)

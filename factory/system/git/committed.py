"""The files of a commit: their names, and a way to their bytes. Only reads."""

import os

from factory.contract.limits import MAX_SOURCE_BYTES
from factory.contract.text import Read
from factory.system.files.tree import FileProblem
from factory.system.git.client import Git


def committed_files(git: Git, commit: str, max_bytes: int = MAX_SOURCE_BYTES) -> tuple[frozenset[str], Read]:
    """The paths of a commit's files and what gives their bytes, links and submodules not followed.

    Args:
        git: the repository.
        commit: the commit.
        max_bytes: the largest file that is read.

    Raises:
        GitError: git failed.
    """
    entries: dict[str, tuple[str, str, str]] = {}
    for entry in git.output("ls-tree", "-r", "-l", "-z", "--full-tree", commit).split(b"\0"):
        facts, tab, name = os.fsdecode(entry).partition("\t")
        if tab:
            mode, _, identity, size = facts.split()
            entries[name] = (mode, identity, size)

    def read(path: str) -> bytes | None:
        if path not in entries:
            return None
        mode, identity, size = entries[path]
        if not mode.startswith("100"):
            raise FileProblem("is a symbolic link or a submodule, not a file", where=path)
        if int(size) > max_bytes:
            raise FileProblem(f"is larger than {max_bytes:,} bytes", where=path)
        return git.output("cat-file", "blob", identity)

    return frozenset(entries), read

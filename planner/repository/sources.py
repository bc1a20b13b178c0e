"""Reads the files of the repository that a plan is for: their names and their bytes.

Imports git's side only for a repository that exists.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from factory.contract.limits import MAX_SOURCE_BYTES
from factory.contract.repo_path import RepoPath
from factory.plans.states.sources import NO_SOURCES, Sources
from factory.system.files.tree import FileProblem, Tree

if TYPE_CHECKING:
    from factory.system.git.client import Git


def present_sources(repo: Path | None) -> Sources:
    """The tracked files of a checkout, reached without following links; none of a new repository.

    Raises:
        WorkorderError: it is not a git repository.
    """
    if repo is None:
        return NO_SOURCES
    from factory.system.git.client import Git

    tree = Tree(repo)

    def read(path: str) -> bytes | None:
        file = tree.read(RepoPath.parse(path), max_bytes=MAX_SOURCE_BYTES)
        return None if file is None else file.data

    return Sources(Git.open(repo).tracked_files(), read)


def committed_sources(git: "Git", commit: str) -> Sources:
    """The files of a commit, links and submodules not followed.

    Args:
        git: the repository.
        commit: the commit.

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
        if int(size) > MAX_SOURCE_BYTES:
            raise FileProblem(f"is larger than {MAX_SOURCE_BYTES:,} bytes", where=path)
        return git.output("cat-file", "blob", identity)

    return Sources(frozenset(entries), read)

"""The files that a plan starts from: their names and their bytes.

Imports git's side only for a repository that exists.
"""

import os
from pathlib import Path
from typing import Final

from factory.contract.python_module import MAX_SOURCE_BYTES
from factory.contract.python_source import Read
from factory.contract.repo_path import RepoPath
from factory.system.files import FileProblem, Tree

_LINK: Final = "120000 "


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


def refusing_links(read: Read, repo: Path, branch: str | None) -> Read:
    """Gives what `read` gives from git objects, in which a link looks like a file that holds where it leads.

    Args:
        read: gives the bytes of files of a branch.
        repo: the repository's root.
        branch: the branch; None for the one checked out.

    Raises:
        WorkorderError: it is not a git repository, or git failed.
    """
    from factory.system.git import Git

    git = Git.open(repo)
    tip = git.commit_id(branch if branch is not None else "HEAD")
    listing = b"" if tip is None else git.output("ls-tree", "-r", "-z", "--full-tree", tip)
    entries = [os.fsdecode(entry) for entry in listing.split(b"\0")]
    links = frozenset(entry.partition("\t")[2] for entry in entries if entry.startswith(_LINK))

    def checked(path: str) -> bytes | None:
        if path in links:
            raise FileProblem("is a symbolic link, not a file", where=path)
        return read(path)

    return checked

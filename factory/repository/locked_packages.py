"""The commit that lands locked packages, in front of the work orders that are built with them."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from factory.contract.canonical import sha256_hex
from factory.contract.repo_path import RepoPath
from factory.repository.commit import commit_tree
from factory.repository.landing import land
from factory.repository.target import Target

TRAILER: Final = "Locked-Packages"
"""A SHA-256 and a path: the file was locked by Workorder with this content."""


def land_locks(target: Target, locks: Mapping[RepoPath, bytes]) -> Target:
    """Commit lock files on top of a branch, as every landing is done.

    Args:
        target: where; the repository is ready for a landing.
        locks: the files.

    Returns:
        The same with the new tip.

    Raises:
        LandingFailed: the branch or the checkout changed meanwhile, or the commit can't be signed.
        NotRestored: the branch moved but the checkout could not follow.
        GitError: git failed.
    """
    tree = _tree_with(target, locks)
    commit = commit_tree(target.git, tree, target.baseline, _message(locks).encode())
    land(target, commit)
    return replace(target, baseline=commit, exists=True)


def _message(locks: Mapping[RepoPath, bytes]) -> str:
    """The same words for the same files."""
    trailers = "".join(f"{TRAILER}: {sha256_hex(data)} {path}\n" for path, data in sorted(locks.items()))
    return f"Lock the packages\n\nWhat is built next is tested with just these.\n\n{trailers}"


def _tree_with(target: Target, locks: Mapping[RepoPath, bytes]) -> str:
    with TemporaryDirectory(prefix="workorder-") as folder:
        git = target.git.with_index(Path(folder) / "index")
        git.output("read-tree", target.baseline)
        for path, data in sorted(locks.items()):
            blob = git.text("hash-object", "-w", "--stdin", stdin=data)
            git.output("update-index", "--add", "--cacheinfo", f"100644,{blob},{path}")
        return git.text("write-tree")

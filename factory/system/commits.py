"""Reads what commits changed. What follows from it is for others."""

import os
from collections.abc import Iterable, Mapping

from factory.system.git import Git


def changed_files(git: Git, commits: Iterable[str]) -> Mapping[str, Mapping[str, str]]:
    """The files that differ between each commit and its parent, by the commit's id.

    A commit with several parents changes nothing here, and neither does one without: of a shallow clone that
    would be every file.

    Args:
        git: the repository.
        commits: full ids.

    Returns:
        For each commit git's letter for what happened (`A` added, `M` modified, `D` deleted, `T` of another
        type) by the file's path, in the order of the paths.

    Raises:
        GitError: git failed.
    """
    asked = tuple(commits)
    found: dict[str, dict[str, str]] = {commit: {} for commit in asked}
    how = ("diff-tree", "--stdin", "-r", "-z", "--no-renames", "--name-status")
    orders = "".join(f"{commit}\n" for commit in asked)
    parts = iter(os.fsdecode(git.output(*how, stdin=orders.encode("ascii"))).split("\0"))
    files: dict[str, str] = {}
    for part in parts:
        # A commit that changed something comes before its files; each letter is followed by a path.
        if len(part) > 1:
            files = found[part]
        elif part:
            files[next(parts)] = part
    return {commit: dict(sorted(files.items())) for commit, files in found.items()}

"""A recorded tree, asked for single paths: git finds one without listing a large repository."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from factory.system.git.client import Git


class LandingTree:
    """The tree that lands if the attempt passes; see `Landing`.

    Args:
        git: the user's repository.
        tree: git's id of the tree, or of a commit.
    """

    def __init__(self, git: Git, tree: str) -> None:
        self._git = git
        self._tree = tree
        self._kinds: dict[str, str | None] = {}

    def __contains__(self, path: str) -> bool:
        kind = self._kind(path)
        return kind is not None and kind != "tree"

    def __iter__(self) -> Iterator[str]:
        return iter(_names(_Recorded(self._git.common_dir, self._tree, self._git)))

    def is_directory(self, path: str) -> bool:
        """Whether there are files below `path`."""
        return self._kind(path) == "tree"

    def _kind(self, path: str) -> str | None:
        """Git's type of what is at `path`, such as `blob`; None if there is nothing."""
        if path not in self._kinds:
            self._kinds[path] = self._asked(path)
        return self._kinds[path]

    def _asked(self, path: str) -> str | None:
        if path.startswith("/") or "\0" in path or path.split("/")[0] in ("", ".", ".."):
            # Git refuses what leads out of the tree; a program may well be named like that.
            return None
        listing = self._git.output("ls-tree", "-z", "--full-tree", self._tree, "--", path)
        for entry in listing.split(b"\0"):
            facts, _, name = entry.partition(b"\t")
            if os.fsdecode(name) == path:
                return facts.split()[1].decode("ascii")
        return None


@dataclass(frozen=True)
class _Recorded:
    """A tree of a repository, whichever work tree that is looked at through."""

    common_dir: Path
    tree: str
    git: Git = field(compare=False)


@lru_cache(maxsize=4)
def _names(recorded: _Recorded) -> tuple[str, ...]:
    # Whatever a full id names never changes. The base, and what an attempt wrote, are asked for by many.
    return recorded.git.paths("ls-tree", "-r", "-z", "--name-only", "--full-tree", recorded.tree)

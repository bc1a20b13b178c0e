"""A recorded tree, asked for single paths: git finds one without listing a large repository."""

import os
from collections.abc import Iterator

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
        self._names: tuple[str, ...] | None = None

    def __contains__(self, path: str) -> bool:
        kind = self._kind(path)
        return kind is not None and kind != "tree"

    def __iter__(self) -> Iterator[str]:
        if self._names is None:
            self._names = self._git.paths("ls-tree", "-r", "-z", "--name-only", "--full-tree", self._tree)
        return iter(self._names)

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

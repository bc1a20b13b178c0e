"""A recorded tree, asked for single paths: git finds one without listing a large repository."""

import os
from collections.abc import Iterable, Iterator
from functools import lru_cache

from factory.system.git.client import Git, Recorded


class LandingTree:
    """The tree that lands if the attempt passes; see `Landing`.

    Args:
        git: the user's repository.
        tree: git's id of the tree, or of a commit.
        together: paths that are asked for together as soon as one of them is.
    """

    def __init__(self, git: Git, tree: str, together: Iterable[str] = ()) -> None:
        self._git = git
        self._tree = tree
        self._together = tuple(together)
        self._kinds: dict[str, str | None] = {}

    def __contains__(self, path: str) -> bool:
        kind = self._kind(path)
        return kind is not None and kind != "tree"

    def __iter__(self) -> Iterator[str]:
        return iter(_names(Recorded.of(self._git, self._tree)))

    def is_directory(self, path: str) -> bool:
        """Whether there are files below `path`."""
        return self._kind(path) == "tree"

    def _kind(self, path: str) -> str | None:
        """Git's type of what is at `path`, such as `blob`; None if there is nothing."""
        if path not in self._kinds:
            self._kinds |= self._asked(self._together if path in self._together else (path,))
        return self._kinds[path]

    def _asked(self, paths: tuple[str, ...]) -> dict[str, str | None]:
        kinds: dict[str, str | None] = dict.fromkeys(paths)
        # Git refuses what leads out of the tree; a program may well be named like that.
        inside = [path for path in paths if "\0" not in path and path.split("/")[0] not in ("", ".", "..")]
        if inside:
            # With what is above each of them: of a directory and what is in it git lists only the latter.
            listing = self._git.output("ls-tree", "-z", "-t", "--full-tree", self._tree, "--", *inside)
            for entry in filter(None, listing.split(b"\0")):
                facts, _, name = entry.partition(b"\t")
                if (path := os.fsdecode(name)) in kinds:
                    kinds[path] = facts.split()[1].decode("ascii")
        return kinds


@lru_cache(maxsize=4)
def _names(recorded: Recorded) -> tuple[str, ...]:
    # Whatever a full id names never changes. The base, and what an attempt wrote, are asked for by many.
    return recorded.git.paths("ls-tree", "-r", "-z", "--name-only", "--full-tree", recorded.name)

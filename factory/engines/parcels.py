"""What travels to workers as packs: the history that a build starts from, and what a trial's base adds to it.

On the coordinator's side; `mirror` takes them in.
"""

import threading
from collections import OrderedDict
from collections.abc import Iterable
from functools import cached_property
from typing import Final

from factory.contract.canonical import sha256_hex
from factory.system.git.client import Git

PIECE_BYTES: Final = 8_000_000
"""How much of a history goes in one message."""

_LONG: Final = 64_000
"""How many bytes may come with each trial before workers are given what they are as history."""

_KEPT: Final = 64


class Parcels:
    """Makes packs of one repository; threads may share it.

    Args:
        git: the user's repository.
    """

    def __init__(self, git: Git) -> None:
        self._git = git
        self._lock = threading.Lock()
        self._names: dict[str, str] = {}
        self._additions: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._since: dict[str, str] = {}
        self._packing = threading.Lock()
        self._history: tuple[tuple[str, ...], bytes] = ((), b"")

    def repository(self, root: str) -> str:
        """The repository's name: the same in every clone, because it is that of the oldest commits."""
        with self._lock:
            if root not in self._names:
                oldest = self._git.text("rev-list", "--max-parents=0", root).split()
                self._names[root] = sha256_hex(" ".join(sorted(oldest)).encode())[:32]
            return self._names[root]

    @cached_property
    def object_format(self) -> str:
        """The hash that objects are named by."""
        return self._git.text("rev-parse", "--show-object-format")

    def addition(self, base: str, root: str) -> tuple[str, bytes]:
        """What a base holds beyond a commit whose history each worker gets once.

        That is the root, until a base holds much more: then it is that base, so that what comes with each
        trial does not grow with what has landed.

        Args:
            base: the commit that a trial starts from.
            root: the commit that the build started from.

        Returns:
            The commit that a worker must have, and a thin pack, empty for the commit itself.

        Raises:
            GitError: git failed.
        """
        with self._lock:
            since = self._since.get(root, root)
            key = (base, since)
            if base == since:
                return since, b""
            if key in self._additions:
                self._additions.move_to_end(key)
                return since, self._additions[key]
        pack = self._pack([base], [since])
        # The root's history has to come with it.
        is_long = len(pack) > _LONG and self._git.call("merge-base", "--is-ancestor", root, base).ok
        with self._lock:
            if is_long:
                self._since[root] = base
            self._additions[key] = pack
            while len(self._additions) > _KEPT:
                self._additions.popitem(last=False)
        return since, pack

    def history(self, root: str, has: Iterable[str]) -> tuple[bytes, str]:
        """A commit with its history and all tags.

        Args:
            root: the commit.
            has: commits whose history is there already; those that are not known here don't count.

        Returns:
            The pack, and the tags that commands of a checkout see, one a line.

        Raises:
            GitError: git failed.
        """
        known = sorted(commit for commit in has if self._git.commit_id(commit) == commit)
        tags = self._git.text("for-each-ref", "--format=%(objectname) %(refname)", "refs/tags")
        key = (root, tags, *known)
        # Workers that begin together lack the same: it is packed once.
        with self._packing:
            if self._history[0] != key:
                pack = self._pack([root, *(line.partition(" ")[0] for line in tags.splitlines())], known)
                self._history = (key, pack) if len(pack) <= PIECE_BYTES else ((), b"")
                return pack, tags
            return self._history[1], tags

    def _pack(self, wanted: list[str], known: list[str]) -> bytes:
        revisions = "".join(f"{commit}\n" for commit in [*wanted, *(f"^{commit}" for commit in known)])
        return self._git.output(
            "pack-objects", "--stdout", "--revs", "--thin", "--quiet", "--delta-base-offset",
            stdin=revisions.encode(),
        )  # fmt: skip

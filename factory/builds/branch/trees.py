"""Trees made of other trees: the base of a work order, and a candidate on top of the branch's tip.

Only objects are written, nobody's files and no ref. Git's index does the work, one file for each tree that
was started from, so that nothing is proportional to the size of the repository twice.
"""

import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from factory.system.git.changes import Change, Changes, Entry, entries
from factory.system.git.client import Git

# The same base has the same name in every schedule, on every machine and after every restart.
_NOBODY: Final = {
    f"GIT_{role}_{key}": value
    for role in ("AUTHOR", "COMMITTER")
    for key, value in (
        ("NAME", "workorder"),
        ("EMAIL", "workorder@localhost"),
        ("DATE", "1970-01-01T00:00:00+0000"),
    )
}


_KEPT: Final = 4
"""How many indexes are kept: of the build's base, and of the latest tips."""

_DIRECTORY: Final = "040000"


def folded(parts: Iterable[Changes]) -> Changes:
    """Several changes one after the other; of a file that occurs twice, the later one's result counts."""
    changes: dict[str, Change] = {}
    for part in parts:
        for path, change in part.items():
            changes[path] = Change(changes[path].before if path in changes else change.before, change.after)
    return dict(sorted(changes.items()))


def collisions(git: Git, tree: str, made: Changes) -> tuple[str, ...]:
    """The paths of `made` that in `tree` are not what they were when they were changed."""
    parents = {path.rsplit("/", depth)[0] for path in made for depth in range(1, path.count("/") + 1)}
    there = entries(git, tree, sorted({*made, *parents}))
    files = {
        path
        for path in parents
        if (entry := there[path]) is not None
        and entry.mode != _DIRECTORY
        # A file that gives way to a directory of its name.
        and (path not in made or made[path].after is not None)
    }
    return tuple(
        path
        for path, change in made.items()
        if there[path] != change.before or any(path.startswith(f"{file}/") for file in files)
    )


def tree_of(git: Git, commit: str) -> str:
    """The tree of a commit."""
    return git.text("rev-parse", "--verify", commit + "^{tree}")


class Trees:
    """Makes trees and commits in one repository. For one thread.

    Args:
        git: the user's repository.
        scratch: a directory for indexes, which are as large as the user's own.
    """

    def __init__(self, git: Git, scratch: Path) -> None:
        self._git = git
        self._scratch = scratch
        self._indexes: list[str] = []

    def with_changes(self, tree: str, made: Changes) -> str:
        """The tree that `made` makes of the tree `tree`; what `made` says was before is not looked at.

        A file takes the place of a directory of its name, and the other way round.

        Raises:
            GitError: the disk is full, or a blob is gone.
        """
        if not made:
            return tree
        work = self._scratch / "work.index"
        shutil.copyfile(self._index_of(tree), work)
        # Mode 0 takes a path away.
        nothing = Entry("0", "0" * len(tree))
        lines = b"".join(
            f"{entry.mode} {entry.blob}\t".encode("ascii") + os.fsencode(path) + b"\0"
            for path, entry in ((path, change.after or nothing) for path, change in made.items())
        )
        through = self._git.with_index(work)
        through.output("update-index", "-z", "--index-info", stdin=lines)
        result = through.text("write-tree")
        self._keep(result, work)
        return result

    def base(self, commit: str, made: Sequence[Changes], title: str) -> str:
        """The commit that a work order starts from: `commit` and what its dependencies made.

        Its author, its date and its message are fixed, so that its name depends on its content alone.

        Args:
            commit: the base of the build.
            made: what the dependencies made, in the plan's order.
            title: the commit's message.
        """
        if not made:
            return commit
        tree = self.with_changes(tree_of(self._git, commit), folded(made))
        return self._git.text(
            "commit-tree", tree, "-p", commit, "-F", "-", stdin=title.encode("utf-8"), env=_NOBODY
        )

    def _index_of(self, tree: str) -> Path:
        if tree not in self._indexes:
            new = self._scratch / "new.index"
            self._git.with_index(new).output("read-tree", tree)
            self._keep(tree, new)
        return self._scratch / f"{tree}.index"

    def _keep(self, tree: str, index: Path) -> None:
        index.replace(self._scratch / f"{tree}.index")
        # The one that was used last goes last.
        self._indexes = [*(name for name in self._indexes if name != tree), tree]
        for old in self._indexes[:-_KEPT]:
            (self._scratch / f"{old}.index").unlink()
        self._indexes = self._indexes[-_KEPT:]

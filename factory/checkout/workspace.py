"""A checkout: the files that attempts work on. What every kind has in common, not where they come from.

See `throw_away` for the usual kind, and `in_place` for the user's own checkout.
"""

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from factory.checkout.state.git_state import GitState
from factory.contract.repo_path import RepoPath
from factory.system.files.tree import Tree
from factory.system.git.client import Git

GO_CACHE: Final = ".cache/go-build"
"""Where Go's tools keep what they have compiled, below a home."""


class Checkout(ABC):
    """The files an attempt works on.

    Attributes:
        git: the user's repository, looking at these files through the right index.
        baseline: the full id of the commit that `restore` goes back to.
        home: an empty directory for commands that want a home.
        temporary: a directory for temporary files of commands.
        shared: what commands find at /tmp, where the sandbox makes them a /tmp of their own.
        services: a directory for the data of services, which lives as long as what is in `temporary`.
        own_git: what commands must not change: the git directory they see.
        other_user: whether commands run as another user than at first, where the sandbox chooses whom. Set
            before `restore`.
        go_cache: what Go's tools have compiled, which homes made from now on show; None for nothing.
    """

    def __init__(self, git: Git, baseline: str, scratch: Path, own_git: GitState) -> None:
        self.git = git
        self.baseline = baseline
        self.home = scratch / "home"
        self.temporary = scratch / "tmp"
        self.shared = scratch / "shared"
        self.services = scratch / "services"
        self.own_git = own_git
        self.other_user = False
        self.go_cache: Path | None = None

    def make_places(self) -> None:
        """Make the directories that commands have beside the files; none of them may be there."""
        for folder in self.places:
            folder.mkdir()
        if self.go_cache is not None:
            _show_files(self.go_cache, self.home / GO_CACHE)

    @property
    def places(self) -> tuple[Path, ...]:
        """The directories that commands have beside the files."""
        return (self.home, self.temporary, self.shared, self.services)

    @property
    def node_modules(self) -> Path:
        """Where tools of Node.js look for packages that are not in the checkout: the directory above."""
        return self.home.parent / "node_modules"

    @abstractmethod
    def offer(self, node_modules: Path | None, workspaces: Mapping[str, RepoPath] | None = None) -> None:
        """Let commands find the packages of a directory above the checkout, from now on.

        Args:
            node_modules: the directory; None for no packages.
            workspaces: the directories in the checkout of packages of its own that are found beside them, by
                their names; None for none.

        Raises:
            WorkorderError: what is above the checkout is not ours.
        """

    @property
    def root(self) -> Path:
        """The directory with the files."""
        return self.git.work_tree

    @property
    def tree(self) -> Tree:
        """The files, reached without following links."""
        return Tree(self.git.work_tree)

    def stage(self, paths: Sequence[RepoPath]) -> str:
        """Record the named files as the attempt's result, before any command runs.

        Returns:
            Git's id of the resulting tree.

        Raises:
            GitError: git failed.
        """
        # -f: whether a file is ignored was decided before; a proposal's file is always part of the commit.
        if paths:
            self.git.output("add", "-f", "--", *paths)
        tree = self.git.text("write-tree")
        self._note_staged(paths)
        return tree

    def difference(self, tree: str) -> bytes:
        """The change from the baseline to `tree` as a patch."""
        return self.git.output("diff-tree", "-p", "--binary", "--full-index", self.baseline, tree)

    @abstractmethod
    def changed_since_staging(self) -> tuple[str, ...]:
        """What a command changed that it must not: tracked files, and git's own state; fit to be shown."""

    @abstractmethod
    def restore(self) -> None:
        """Go back to the baseline, and prove it.

        Raises:
            NotRestored: the user's checkout still differs from the baseline, or something remained in it.
            GitError, OSError: a throw-away checkout could not even be made anew.
        """

    @abstractmethod
    def advance(self) -> None:
        """The result is the branch's tip now, which an attempt in place goes back to from now on."""

    @abstractmethod
    def _note_staged(self, paths: Sequence[RepoPath]) -> None:
        """The present state is what commands must keep."""

    def _differing(self) -> tuple[str, ...]:
        """The paths of the tracked files that are not as they were staged; time alone is no difference."""
        return self.git.paths("diff", "--name-only", "-z", "--no-ext-diff", "--ignore-submodules")


def _show_files(files: Path, place: Path) -> None:
    """Make a directory in which the files of another one, and those in its directories, are links."""
    place.mkdir(parents=True)
    for entry in os.scandir(files):
        shown = place / entry.name
        if entry.is_dir(follow_symlinks=False):
            shown.mkdir()
            for below in os.scandir(entry.path):
                (shown / below.name).symlink_to(below.path)
        else:
            shown.symlink_to(entry.path)


class Place:
    """Which directory is at a path: a command may have moved it away and put a link there."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._identity = (0, 0)
        self.take()

    def take(self) -> None:
        """Remember the present directory as the right one."""
        status = self._path.lstat()
        self._identity = (status.st_dev, status.st_ino)

    def is_same(self) -> bool:
        """Whether the directory is still there."""
        try:
            status = self._path.lstat()
        except OSError:
            return False
        return (status.st_dev, status.st_ino) == self._identity

"""Calls git: nothing else in the project does.

Every call names its git directory and work tree, switches off hooks, the file system monitor and garbage
collection, and takes pathspecs literally. A git directory that generated code could have written to is
never used for a call after that code has run.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Self

from factory.contract.errors import WorkorderError
from factory.system.environment import git_environment
from factory.system.process import Captured, capture

NO_COMMIT: Final = "0" * 40

_HARMLESS: Final = (
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.fsmonitor=false",
    "-c", "core.quotePath=false",
    "-c", "gc.auto=0",
    "-c", "maintenance.auto=false",
    "-c", "submodule.recurse=false",
    "-c", "advice.detachedHead=false",
)  # fmt: skip


class GitError(WorkorderError):
    """A git call failed that should not have; the message holds what git said."""


class NotARepository(WorkorderError):
    """A path that is not the root of a git work tree."""


@dataclass(frozen=True)
class Git:
    """One repository, seen through one work tree and one index.

    Attributes:
        git_dir: the git directory of the work tree (of a linked work tree, its own).
        common_dir: the git directory shared by all work trees; refs, objects and configuration are there.
        work_tree: the checked-out files.
        index: the index file to use instead of the work tree's own.
    """

    git_dir: Path
    common_dir: Path
    work_tree: Path
    index: Path | None = None

    @classmethod
    def open(cls, path: Path) -> Self:
        """The repository whose root is `path`.

        Raises:
            NotARepository: it is not the root of a git work tree, or git refuses to use it.
        """
        if not path.is_dir():
            raise NotARepository("is not a directory", where=str(path))
        done = capture(
            ["git", *_HARMLESS, "rev-parse", "--is-bare-repository", "--absolute-git-dir"],
            cwd=path,
            env=git_environment(os.environ),
        )
        if not done.ok:
            raise NotARepository(
                f"is not a git repository: {_said(done)}",
                where=str(path),
                hint="run `git init` and commit first",
            )
        bare, git_dir = os.fsdecode(done.stdout).splitlines()
        if bare == "true":
            raise NotARepository("is a bare repository; a checkout is needed", where=str(path))
        where = capture(
            ["git", *_HARMLESS, "rev-parse", "--show-toplevel", "--path-format=absolute", "--git-common-dir"],
            cwd=path,
            env=git_environment(os.environ),
        )
        if not where.ok:
            raise NotARepository(f"has no work tree: {_said(where)}", where=str(path))
        top, common = os.fsdecode(where.stdout).splitlines()
        if Path(top).resolve() != path.resolve():
            raise NotARepository(
                f"lies inside the repository {top}", where=str(path), hint="name the repository's root"
            )
        return cls(Path(git_dir), Path(common), Path(top))

    def with_work_tree(self, work_tree: Path, index: Path) -> "Git":
        """The same repository, looking at other files through another index."""
        return replace(self, work_tree=work_tree, index=index)

    def call(self, *arguments: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> Captured:
        """Call git and return what it answered, failed or not."""
        environment = git_environment(os.environ)
        environment["GIT_DIR"] = str(self.git_dir)
        environment["GIT_WORK_TREE"] = str(self.work_tree)
        if self.index is not None:
            environment["GIT_INDEX_FILE"] = str(self.index)
        return capture(
            ["git", *_HARMLESS, *arguments],
            cwd=self.work_tree,
            env={**environment, **(env or {})},
            stdin=stdin,
        )

    def text(self, *arguments: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> str:
        """Call git and return its output without the final newline.

        Raises:
            GitError: git failed.
        """
        return os.fsdecode(self.output(*arguments, stdin=stdin, env=env)).removesuffix("\n")

    def output(self, *arguments: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> bytes:
        """Call git and return its output's bytes.

        Raises:
            GitError: git failed.
        """
        done = self.call(*arguments, stdin=stdin, env=env)
        if not done.ok:
            raise GitError(f"git {arguments[0]} failed: {_said(done)}", where=str(self.work_tree))
        return done.stdout

    def paths(self, *arguments: str) -> tuple[str, ...]:
        """Call a git command that prints paths ended by NUL (`-z`), and return them sorted.

        Raises:
            GitError: git failed.
        """
        return tuple(sorted(os.fsdecode(part) for part in self.output(*arguments).split(b"\0") if part))

    def commit_id(self, revision: str) -> str | None:
        """The full id of the commit that `revision` names; None if there is none."""
        done = self.call("rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}")
        return done.stdout.decode("ascii").strip() if done.ok else None

    def tracked_files(self) -> frozenset[str]:
        """The paths of all tracked files."""
        return frozenset(self.paths("ls-files", "-z", "--cached"))


def _said(done: Captured) -> str:
    text = done.stderr.decode("utf-8", "replace").strip() or f"exit code {done.exit_code}"
    return " ".join(text.removeprefix("fatal: ").split())[:500]


def changed_entries(status: bytes) -> Sequence[str]:
    """The paths in the output of `git status --porcelain -z`, each after its two-letter state, in order."""
    entries: list[str] = []
    parts = iter(status.split(b"\0"))
    for part in parts:
        if not part:
            continue
        entries.append(os.fsdecode(part))
        if part[:1] in b"RC":
            next(parts, None)
    return entries

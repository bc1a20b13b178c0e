"""Calls git: nothing else in the project does.

Every call names its git directory and work tree, switches off hooks, the file system monitor and garbage
collection, and takes pathspecs literally. A git directory that generated code could have written to is
never used for a call after that code has run.
"""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Self

from factory.contract.errors import Fault, WorkorderError
from factory.system.process.capture import Captured, capture
from factory.system.process.environment import git_environment
from factory.system.process.signals import shielded

MINIMUM_VERSION: Final = "2.31"
"""The oldest git that is understood: the first that knows `rev-parse --path-format`."""

NO_COMMIT: Final = ""
"""What `git update-ref` takes for «the ref does not exist», whatever the repository's hash."""

_HARMLESS: Final = (
    # Nothing of the user's or of a command's is run.
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.fsmonitor=false",
    "-c", "gc.auto=0",
    "-c", "maintenance.auto=false",
    "-c", "submodule.recurse=false",
    # Objects, too, are on the disk before a branch names them; by default git leaves that to the system.
    "-c", "core.fsync=committed",
    # A file whose time alone has changed has not changed.
    "-c", "diff.autoRefreshIndex=true",
    # What is printed is what is parsed here.
    "-c", "core.quotePath=false",
    "-c", "advice.detachedHead=false",
    "-c", "log.showSignature=false",
    "-c", "trailer.separators=:",
    "-c", "i18n.commitEncoding=UTF-8",
    "-c", "i18n.logOutputEncoding=UTF-8",
    # It is read anew at each call, and may lie where commands write.
    "-c", "diff.orderFile=/dev/null",
    # A proposal with other line endings is converted as configured, not refused.
    "-c", "core.safecrlf=false",
)  # fmt: skip

_THROW_AWAY: Final = (
    # Every file is checked out, and one file holds the whole index.
    "-c", "core.sparseCheckout=false",
    "-c", "core.splitIndex=false",
    "-c", "core.untrackedCache=false",
    # A changed file is noticed, even if somebody set its time back.
    "-c", "core.ignoreStat=false",
    "-c", "core.trustctime=true",
    "-c", "core.checkStat=default",
)  # fmt: skip

_SEPARATOR: Final = b"\nfalse\n"


_FULL_ID: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class GitError(WorkorderError):
    """A git call failed that should not have; the message holds what git said."""

    fault = Fault.ENVIRONMENT


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
        throw_away: whether the work tree is an attempt's, where the user's settings of work trees don't hold.
        lock: the descriptor of the lock that allows changes, which every git holds, too: after a kill nobody
            else begins before the last one has ended.
    """

    git_dir: Path
    common_dir: Path
    work_tree: Path
    index: Path | None = None
    throw_away: bool = False
    lock: int | None = None

    @classmethod
    def beside(cls, common_dir: Path) -> Self:
        """A repository that is known by the git directory of all its work trees, to read its commits."""
        return cls(common_dir, common_dir, common_dir.parent)

    @classmethod
    def open(cls, path: Path) -> Self:
        """The repository whose root is `path`.

        Raises:
            NotARepository: it is not the root of a git work tree, or git refuses to use it.
        """
        if not path.is_dir():
            raise NotARepository("is not a directory", where=str(path))
        # The answers are lines, a path may hold line breaks: `false` between the two paths keeps them apart.
        done = _asked(
            path,
            "--is-bare-repository",
            "--is-inside-work-tree",
            "--show-prefix",
            "--absolute-git-dir",
            "--is-bare-repository",
            "--path-format=absolute",
            "--git-common-dir",
        )
        if not done.ok:
            reason = said(done)
            hint = "run `git init` and commit first" if reason.startswith("not a git repo") else ""
            raise NotARepository(f"is not a git repository: {reason}", where=str(path), hint=hint)
        bare, inside, prefix, rest = (*done.stdout.split(b"\n", 3), b"", b"", b"")[:4]
        if bare == b"true":
            raise NotARepository(
                "is a bare repository; a checkout is needed",
                where=str(path),
                hint="name a clone of it, or make a checkout with `git worktree add`",
            )
        if inside != b"true":
            raise NotARepository("lies inside a git directory", where=str(path), hint="name the checkout")
        if prefix:
            top = os.fsdecode(_asked(path, "--show-toplevel").stdout).removesuffix("\n")
            raise NotARepository(
                f"lies inside the repository {top}", where=str(path), hint="name the repository's root"
            )
        if b"--path-format" in rest:
            # An older git prints what it does not know.
            raise GitError(
                f"{_version(path)} is too old; {MINIMUM_VERSION} or newer is needed",
                hint="install a newer git",
            )
        git_dir, separator, common = rest.removesuffix(b"\n").partition(_SEPARATOR)
        if not separator or _SEPARATOR in common:
            raise NotARepository("has a path that can't be told from git's answers", where=str(path))
        return cls(Path(os.fsdecode(git_dir)), Path(os.fsdecode(common)), path.resolve())

    def with_work_tree(self, work_tree: Path, index: Path) -> "Git":
        """The same repository, looking at an attempt's files through an index of their own."""
        return replace(self, work_tree=work_tree, index=index, throw_away=True)

    def with_index(self, index: Path) -> "Git":
        """The same repository and files, looked at through another index."""
        return replace(self, index=index)

    def call(
        self,
        *arguments: str,
        stdin: bytes = b"",
        env: Mapping[str, str] | None = None,
        seconds: float | None = None,
    ) -> Captured:
        """Call git and return what it answered, failed or not.

        A signal waits for its end: a git that is killed leaves its locks behind. So `seconds`, after which it
        is killed, are for one that takes no lock and may wait for a person.
        """
        environment = git_environment(os.environ)
        environment["GIT_DIR"] = str(self.git_dir)
        environment["GIT_WORK_TREE"] = str(self.work_tree)
        settings: tuple[str, ...] = _HARMLESS
        if self.index is not None:
            environment["GIT_INDEX_FILE"] = str(self.index)
        if self.throw_away:
            settings += _THROW_AWAY
        with shielded():
            return capture(
                ["git", *settings, *arguments],
                cwd=self.work_tree,
                env={**environment, **(env or {})},
                stdin=stdin,
                held=() if self.lock is None else (self.lock,),
                seconds=seconds,
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
            raise GitError(f"git {arguments[0]} failed: {said(done)}", where=str(self.work_tree))
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

    def head(self) -> tuple[str | None, str | None]:
        """The commit that HEAD names and the full name of the branch; None for what there is not."""
        done = self.call("rev-parse", "HEAD^{commit}", "--symbolic-full-name", "HEAD")
        if not done.ok:
            return None, None
        commit, ref = os.fsdecode(done.stdout).splitlines()
        return commit, ref if ref.startswith("refs/heads/") else None

    def tracked_files(self) -> frozenset[str]:
        """The paths of all tracked files."""
        return frozenset(self.paths("ls-files", "-z", "--cached"))


def said(done: Captured) -> str:
    """What git complained about, in one line."""
    text = done.stderr.decode("utf-8", "replace").strip() or f"exit code {done.exit_code}"
    return " ".join(text.removeprefix("fatal: ").removeprefix("error: ").split())[:500]


def user_identity(path: Path) -> str:
    """Who uses git in a directory, as `Name <address>`; as git guesses where nothing is configured.

    Args:
        path: the directory.

    Raises:
        GitError: git is not installed.
    """
    try:
        done = capture(
            ["git", *_HARMLESS, "var", "GIT_AUTHOR_IDENT"], cwd=path, env=git_environment(os.environ)
        )
    except FileNotFoundError as error:
        raise GitError("git is not installed, or not on PATH", hint="install git") from error
    identity, _, _ = done.stdout.decode("utf-8", "replace").strip().rpartition("> ")
    return f"{identity}>" if done.ok and identity else "somebody"


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


def _asked(path: Path, *questions: str) -> Captured:
    try:
        return capture(
            ["git", *_HARMLESS, "rev-parse", *questions], cwd=path, env=git_environment(os.environ)
        )
    except FileNotFoundError as error:
        raise GitError("git is not installed, or not on PATH", hint="install git") from error


def _version(path: Path) -> str:
    return capture(["git", "version"], cwd=path, env=git_environment(os.environ)).stdout.decode().strip()


@dataclass(frozen=True)
class Recorded:
    """What a name stands for in a repository, through whichever work tree: a key to remember it by.

    Attributes:
        common_dir: see `Git`.
        name: a commit or a tree.
        git: who is asked.
    """

    common_dir: Path
    name: str
    git: Git = field(compare=False)

    @classmethod
    def of(cls, git: Git, name: str) -> Self:
        """What a name stands for in the repository of `git`."""
        return cls(git.common_dir, name, git)

    @property
    def is_fixed(self) -> bool:
        """Whether it never changes, as what a full id names."""
        return _FULL_ID.fullmatch(self.name) is not None

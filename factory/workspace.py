"""Where attempts happen: a throw-away checkout of the baseline, or the user's own checkout if told so.

A throw-away checkout has a git directory of its own that borrows the user's objects, so that no git command
of generated code reaches the user's refs, configuration or hooks. Our own calls never use that directory:
they see the checkout through the user's git directory and a private index beside the checkout.
"""

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from factory.contract.repo_path import RepoPath
from factory.git_state import BorrowingRepository, GitState, UserRepository, remove_tree
from factory.repository import NotRestored, Target, state_folder
from factory.system.files import Tree, write_atomic
from factory.system.git import Git
from factory.system.process import capture
from factory.system.signals import shielded

_PREFIX: Final = "workorder-"
_NOTE: Final = "checkouts"
_IN_PLACE_NOTE: Final = "in_place"


@dataclass(frozen=True)
class Checkout:
    """The files an attempt works on.

    Attributes:
        git: the user's repository, looking at these files through the right index.
        baseline: the commit that `restore` goes back to.
        home: an empty directory for commands that want a home.
        temporary: a directory for temporary files of commands.
        own_git: what commands must not change: the git directory they see.
    """

    git: Git
    baseline: str
    home: Path
    temporary: Path
    own_git: GitState

    @property
    def root(self) -> Path:
        """The directory with the files."""
        return self.git.work_tree

    @property
    def tree(self) -> Tree:
        """The files, reached without following links."""
        return Tree(self.git.work_tree)

    def stage(self, paths: Sequence[RepoPath]) -> str:
        """Record the named files as the attempt's result; git's id of the resulting tree."""
        # -f: whether a file is ignored was decided before; a proposal's file is always part of the commit.
        self.git.output("add", "-f", "--", *paths)
        tree = self.git.text("write-tree")
        self.own_git.take()
        return tree

    def changed_since_staging(self) -> tuple[str, ...]:
        """What a command changed that it must not: tracked files, and git's own state; sorted."""
        found = self.own_git.changes()
        return tuple(
            sorted(
                {*found, *self.git.paths("diff", "--name-only", "-z", "--no-ext-diff", "--ignore-submodules")}
            )
        )

    def difference(self, tree: str) -> bytes:
        """The change from the baseline to `tree` as a patch."""
        return self.git.output(
            "diff", "--binary", "--no-color", "--no-ext-diff", "--no-textconv", self.baseline, tree
        )

    def restore(self) -> None:
        """Go back to the baseline, and prove it.

        Raises:
            NotRestored: a file still differs from the baseline, or something remained.
        """
        with shielded():
            self.own_git.restore()
            self.git.output("read-tree", "--reset", "-u", self.baseline)
            cleaned = self.git.call("clean", "-ffdxq")
            if not cleaned.ok:
                # A directory without write permission stops git; it is ours, so open it and try again.
                capture(["chmod", "-R", "u+rwX", "--", "."], cwd=self.root, env=os.environ)
                self.git.output("read-tree", "--reset", "-u", self.baseline)
                self.git.call("clean", "-ffdxq")
            self.own_git.take()
            for folder in (self.home, self.temporary):
                remove_tree(folder)
                folder.mkdir()
        remains = [
            *self.git.paths("diff", "--name-only", "-z", self.baseline, "--"),
            *self.git.paths("ls-files", "-z", "--others"),
        ]
        if remains:
            raise NotRestored(
                f"not back at the baseline: {', '.join(remains[:5])}",
                where=str(self.root),
                hint=f"run `git reset --hard {self.baseline[:12]}` and `git clean -fdx` there",
            )


@contextmanager
def checkout(target: Target, *, in_place: bool) -> Iterator[Checkout]:
    """Within the block there is a checkout at the baseline; afterwards nothing of it is left.

    Working in place, the user's checkout is put back to the branch's commit instead, also after an error.

    Raises:
        NotRestored: working in place, the checkout could not be put back.
    """
    scratch = Path(tempfile.mkdtemp(prefix=_PREFIX))
    try:
        for name in ("home", "tmp"):
            (scratch / name).mkdir()
        if in_place:
            with _in_place(target, scratch) as opened:
                yield opened
        else:
            _remember(target.git, scratch)
            yield _throw_away(target, scratch)
    finally:
        with shielded():
            remove_tree(scratch)
            _forget(target.git, scratch)


def remove_leftovers(git: Git) -> int:
    """Remove the checkouts that killed runs left. Call it with the repository's lock held.

    Returns:
        How many there were.
    """
    note = state_folder(git) / _NOTE
    removed = 0
    for path in _remembered(note):
        # The note lies where others could write: only remove what has our shape in the temporary directory.
        if (
            path.name.startswith(_PREFIX)
            and path.parent == Path(tempfile.gettempdir())
            and not path.is_symlink()
        ):
            removed += path.is_dir()
            remove_tree(path)
    note.unlink(missing_ok=True)
    return removed


def restore_in_place(git: Git, *, in_place: bool) -> str | None:
    """Undo an attempt that was working in place when it was killed. Call it with the lock held.

    Returns:
        What was done, for the user; None if there was nothing to do.

    Raises:
        NotRestored: this run does not work in place, so the checkout may hold the user's own work.
    """
    note = state_folder(git) / _IN_PLACE_NOTE
    if not note.exists():
        return None
    baseline = note.read_text("ascii").strip()
    if not in_place:
        raise NotRestored(
            f"a run that worked in place was killed; its files may still lie in the checkout ({baseline[:12]})",
            where=str(git.work_tree),
            hint=f"run again with --in-place, or look at `git status`, clean up, and delete {note}",
        )
    git.output("reset", "--hard", "-q")
    git.output("clean", "-ffdxq")
    note.unlink()
    return "undid an attempt that was killed while it worked in place"


def _throw_away(target: Target, scratch: Path) -> Checkout:
    root = scratch / "checkout"
    root.mkdir()
    git = target.git.with_work_tree(root, scratch / "index")
    git.output("-c", "core.sparseCheckout=false", "read-tree", "--reset", "-u", target.baseline)
    state = BorrowingRepository(git, target.baseline)
    state.take()
    return Checkout(git, target.baseline, scratch / "home", scratch / "tmp", state)


@contextmanager
def _in_place(target: Target, scratch: Path) -> Iterator[Checkout]:
    user = target.git
    note = state_folder(user) / _IN_PLACE_NOTE
    write_atomic(note, target.baseline.encode("ascii") + b"\n")
    state = UserRepository(user)
    state.take()
    opened = Checkout(user, target.baseline, scratch / "home", scratch / "tmp", state)
    try:
        yield opened
    finally:
        with shielded():
            # After a landing the branch is ahead of the baseline: HEAD is what must be restored.
            head = user.commit_id("HEAD") or target.baseline
            Checkout(user, head, opened.home, opened.temporary, opened.own_git).restore()
            note.unlink(missing_ok=True)


def _remember(git: Git, scratch: Path) -> None:
    note = state_folder(git) / _NOTE
    paths = {*_remembered(note), scratch}
    write_atomic(note, b"".join(os.fsencode(path) + b"\0" for path in sorted(paths)))


def _forget(git: Git, scratch: Path) -> None:
    note = state_folder(git) / _NOTE
    rest = sorted(set(_remembered(note)) - {scratch})
    if rest:
        write_atomic(note, b"".join(os.fsencode(path) + b"\0" for path in rest))
    else:
        note.unlink(missing_ok=True)


def _remembered(note: Path) -> list[Path]:
    try:
        return [Path(os.fsdecode(part)) for part in note.read_bytes().split(b"\0") if part]
    except FileNotFoundError:
        return []

"""The git directory that commands see during an attempt: noticing what they change in it, and undoing that.

A throw-away checkout has a `BorrowingRepository`, rebuilt when it was damaged. Working in place, commands
see the user's own repository, a `UserRepository`, whose state is put back piece by piece.
"""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Protocol

from factory.contract.errors import WorkorderError
from factory.system.files import read_bounded, write_atomic
from factory.system.git import NO_COMMIT, Git
from factory.system.process import capture

_OF_WORK_TREE: Final = ("HEAD", "config.worktree", "info/sparse-checkout")
_SHARED: Final = ("config", "info/attributes", "info/exclude", "info/grafts", "objects/info/alternates")


class GitState(Protocol):
    """What an attempt needs of the git directory that commands see."""

    def take(self) -> None:
        """Remember the present state as the right one."""
        ...

    def changes(self) -> tuple[str, ...]:
        """What differs from the remembered state, as paths or full names of refs, sorted."""
        ...

    def restore(self) -> None:
        """Put back the remembered state, the index excepted, which the next `take` sets."""
        ...


class BorrowingRepository:
    """A git directory of a throw-away checkout, with the user's objects as alternates and nothing to lose.

    Args:
        git: the user's repository, looking at the checkout through the private index.
        baseline: the commit that HEAD names, detached.
    """

    def __init__(self, git: Git, baseline: str) -> None:
        self._git = git
        self._baseline = baseline
        self._own = git.work_tree / ".git"
        self._files: Mapping[Path, bytes | None] = {}
        self._index = b""

    def take(self) -> None:
        if not self._own.exists():
            self._create()
        assert self._git.index is not None
        shutil.copyfile(self._git.index, self._own / "index")
        self._files = _watched(self._own, self._own)
        self._index = self._entries()

    def changes(self) -> tuple[str, ...]:
        found = _differences(self._files, _watched(self._own, self._own), self._own)
        if self._entries() != self._index:
            found.append(".git/index")
        return tuple(sorted(found))

    def restore(self) -> None:
        remove_tree(self._own)
        self._create()

    def _create(self) -> None:
        user, own = self._git, self._own
        user.output(
            "init",
            "--quiet",
            "--template=",
            str(user.work_tree),
            env={"GIT_DIR": str(own), "GIT_WORK_TREE": str(user.work_tree)},
        )
        write_atomic(
            own / "objects" / "info" / "alternates", os.fsencode(user.common_dir / "objects") + b"\n"
        )
        # Tags, because version numbers are made from them; branches are none of the attempt's business.
        tags = user.output("for-each-ref", "--format=%(objectname) %(refname)", "refs/tags")
        write_atomic(own / "packed-refs", b"# pack-refs with: sorted \n" + tags)
        write_atomic(own / "HEAD", self._baseline.encode("ascii") + b"\n")
        shallow = user.common_dir / "shallow"
        if shallow.exists():
            shutil.copyfile(shallow, own / "shallow")

    def _entries(self) -> bytes:
        # Our git directory, their index: nothing in theirs is obeyed.
        return self._git.call("ls-files", "-s", "-z", env={"GIT_INDEX_FILE": str(self._own / "index")}).stdout


class UserRepository:
    """The user's own git directory, when an attempt works in place."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._files: Mapping[Path, bytes | None] = {}
        self._refs: Mapping[str, str] = {}
        self._index = b""

    def take(self) -> None:
        self._files = self._watch()
        self._refs = self._read_refs()
        self._index = self._git.output("ls-files", "-s", "-z")

    def changes(self) -> tuple[str, ...]:
        found = _differences(self._files, self._watch(), self._git.common_dir)
        if found:
            # Configuration that a command wrote must not steer our own calls.
            self._rewrite_files()
        refs = self._read_refs()
        found += [name for name in {*refs, *self._refs} if refs.get(name) != self._refs.get(name)]
        if self._git.call("ls-files", "-s", "-z").stdout != self._index:
            found.append(".git/index")
        return tuple(sorted(found))

    def restore(self) -> None:
        self._rewrite_files()
        refs = self._read_refs()
        for name in sorted({*refs, *self._refs}):
            wanted = self._refs.get(name)
            if refs.get(name) == wanted:
                continue
            if wanted is None:
                self._git.output("update-ref", "--no-deref", "-d", name, refs[name])
            else:
                self._git.output("update-ref", "--no-deref", name, wanted, refs.get(name, NO_COMMIT))

    def _watch(self) -> Mapping[Path, bytes | None]:
        return _watched(self._git.git_dir, self._git.common_dir)

    def _rewrite_files(self) -> None:
        for path in _watched(self._git.git_dir, self._git.common_dir):
            if path not in self._files:
                remove_tree(path)
        for path, data in self._files.items():
            if _content(path) == data:
                continue
            remove_tree(path)
            if data is not None:
                write_atomic(path, data, mode=0o755 if path.parent.name == "hooks" else 0o644)

    def _read_refs(self) -> Mapping[str, str]:
        lines = self._git.text("for-each-ref", "--format=%(objectname) %(refname)").splitlines()
        return {name: commit for commit, _, name in (line.partition(" ") for line in lines)}


def remove_tree(path: Path) -> None:
    """Remove a file or a directory that hostile code may have filled: very deep, or without permissions."""
    if not os.path.lexists(path):
        return
    if not capture(["rm", "-rf", "--", str(path)], cwd=None, env=os.environ).ok:
        capture(["chmod", "-R", "u+rwX", "--", str(path)], cwd=None, env=os.environ)
        capture(["rm", "-rf", "--", str(path)], cwd=None, env=os.environ)


def _watched(git_dir: Path, common_dir: Path) -> dict[Path, bytes | None]:
    paths = [git_dir / name for name in _OF_WORK_TREE] + [common_dir / name for name in _SHARED]
    hooks = common_dir / "hooks"
    if hooks.is_dir() and not hooks.is_symlink():
        paths += [path for path in hooks.iterdir() if not path.is_dir()]
    return {path: _content(path) for path in sorted(paths)}


def _content(path: Path) -> bytes | None:
    """A file's bytes; a link or a special file counts as something that was never there before."""
    if not os.path.lexists(path):
        return None
    if path.is_symlink():
        return b"link to " + os.fsencode(path.readlink())
    try:
        return read_bounded(path)
    except WorkorderError as error:
        return error.message.encode()


def _differences(
    before: Mapping[Path, bytes | None], now: Mapping[Path, bytes | None], top: Path
) -> list[str]:
    changed = [path for path in {*before, *now} if before.get(path) != now.get(path)]
    return [
        ".git/" + (path.relative_to(top).as_posix() if path.is_relative_to(top) else path.name)
        for path in changed
    ]

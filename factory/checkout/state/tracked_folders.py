"""The directories of a throw-away checkout: finding what does not belong there without reading all of them.

Git sees changed files by itself, but neither sockets, nor pipes, nor what is nested deeper than a path can
name. What came into being or vanished changed the directory that holds it, so only changed directories are
listed and compared with what the commit has there.
"""

import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final, TypeAlias

from factory.checkout.state.attributes import attributes, put_attributes_back
from factory.checkout.state.stamps import Stamp, stamp
from factory.system.git.client import Git, GitError
from factory.system.removal import remove_trees

_Names: TypeAlias = Mapping[str, bool]
"""The entries of a directory as the commit has them, and whether each is a directory."""

_DIRECTORIES: Final = (b"40000", b"160000")
"""The modes of a directory and of a submodule, which is an empty directory here."""


class TrackedFolders:
    """The directories that a commit has, as they are in one checkout.

    Args:
        git: the repository, looking at the checkout.
    """

    def __init__(self, git: Git) -> None:
        self._git = git
        self._commit = ""
        # By the path below the root, "" for the root: git's id of the directory, or "" for a submodule.
        self._trees: dict[str, str] = {}
        self._obsolete: set[str] = set()
        # By git's id of a directory of the present commit what it holds, as far as it was asked for.
        self._listings: dict[str, _Names] = {}
        # Those which held nothing but the commit's entries when they had this stamp.
        self._clean: dict[str, Stamp] = {}
        # The files that are as new as the index: git compares times by the second, so it is not sure of them.
        self._recent: dict[str, Stamp] = {}
        # What a new directory has here.
        self._attributes: Mapping[str, bytes] = {}

    @property
    def paths(self) -> Iterable[str]:
        """The directories' paths below the root, which is the empty one."""
        return self._trees.keys()

    @property
    def submodules(self) -> list[str]:
        """Those of them that are submodules."""
        return [folder for folder, tree in self._trees.items() if not tree]

    def expect(self, commit: str) -> None:
        """From now on these are the directories of `commit`."""
        if commit == self._commit:
            self._obsolete = set()
            return
        trees = {"": f"{commit}^{{tree}}"}
        for entry in self._git.output("ls-tree", "-r", "-d", "-z", commit).split(b"\0"):
            facts, tab, name = entry.partition(b"\t")
            if tab:
                _, kind, identity = facts.decode("ascii").split(" ")
                trees[os.fsdecode(name)] = identity if kind == "tree" else ""
        self._obsolete = self._trees.keys() - trees.keys()
        self._trees, self._commit = trees, commit
        present = set(trees.values())
        self._listings = {tree: names for tree, names in self._listings.items() if tree in present}

    def forget(self) -> None:
        """All of them were removed, and only the root is there again."""
        self._attributes = attributes(self._git.work_tree)
        self._clean.clear()
        self._recent.clear()

    def clear(self) -> None:
        """Remove what the commit does not have, and changed files that are too new for git to be sure of.

        Nothing is removed through a link. The checkout's root must be in its place.
        """
        doomed: list[Path] = []
        gone: set[str] = set()
        changed: list[str] = []
        # Parents come before what is in them.
        for folder in sorted(self._obsolete | self._trees.keys()):
            path = self._path(folder)
            present = None if folder and _parent(folder) in gone else stamp(path)
            if present is None:
                gone.add(folder)
            elif self._is_foreign(folder, present):
                gone.add(folder)
                doomed.append(path)
            elif present != self._clean.get(folder):
                changed.append(folder)
                self._open(folder, present)
        for folder, foreign in self._foreign(changed, self._expected(changed)).items():
            doomed.extend(self._path(folder) / name for name in foreign)
        for file, known in self._recent.items():
            if _parent(file) not in gone and stamp(self._path(file)) != known:
                doomed.append(self._path(file))
        remove_trees(doomed)

    def reopen(self) -> None:
        """Let commands start in the root, and us look at it, though a command may have closed it."""
        present = stamp(self._path(""))
        if present is not None:
            self._open("", present)

    def changed_entries(self) -> list[str]:
        """The paths of what is in those directories that changed since the last `take`."""
        changed = [folder for folder in self._trees if stamp(self._path(folder)) != self._clean.get(folder)]
        return [
            f"{folder}/{path.name}".lstrip("/") for folder in changed for path in self._path(folder).iterdir()
        ]

    def take(self) -> tuple[str, ...]:
        """Remember the present state of those that hold what the commit has.

        Returns:
            The paths of what does not belong there, and of what is no directory.
        """
        stamps = {folder: stamp(f"{self._git.work_tree}/{folder}") for folder in self._trees}
        wrong = {
            folder for folder, present in stamps.items() if present is None or not stat.S_ISDIR(present.mode)
        }
        changed = [
            folder
            for folder, present in stamps.items()
            if folder not in wrong and present != self._clean.get(folder)
        ]
        expected = self._expected(changed)
        foreign = self._foreign(changed, expected)
        self._clean = {
            folder: present
            for folder, present in stamps.items()
            if present is not None and folder not in wrong and not foreign.get(folder)
        }
        self._recent = self._recent_files(expected)
        return (
            *sorted(wrong),
            *(f"{folder}/{name}".lstrip("/") for folder, names in foreign.items() for name in names),
        )

    def _path(self, folder: str) -> Path:
        return self._git.work_tree / folder

    def _is_foreign(self, folder: str, present: Stamp) -> bool:
        """Whether git did not make what is in a directory's place."""
        return (
            folder in self._obsolete
            or not stat.S_ISDIR(present.mode)
            or (folder not in self._clean and folder != "")
        )

    def _open(self, folder: str, present: Stamp) -> None:
        """Give a directory its permissions and attributes again, so that we get in, and all is as it was."""
        path = self._path(folder)
        known = self._clean.get(folder)
        wanted = stat.S_IMODE(known.mode if known else present.mode | stat.S_IRWXU)
        if present.mode & stat.S_IRWXU != stat.S_IRWXU:
            path.chmod(wanted | stat.S_IRWXU)
        # An access list decides about the permissions, too.
        put_attributes_back(path, self._attributes)
        if stat.S_IMODE(path.lstat().st_mode) != wanted:
            path.chmod(wanted)

    def _foreign(self, folders: list[str], expected: Mapping[str, _Names]) -> dict[str, list[str]]:
        """The names in each directory that the commit does not have there, or has as something else."""
        return {folder: _foreign_names(self._path(folder), expected[folder], folder) for folder in folders}

    def _recent_files(self, listed: Mapping[str, _Names]) -> dict[str, Stamp]:
        """Of the files in these directories and of the recent ones until now, those as new as the index."""
        assert self._git.index is not None
        second = self._git.index.lstat().st_mtime_ns // 10**9
        files = {
            f"{folder}/{name}" if folder else name
            for folder, names in listed.items()
            for name in names
            if not names[name]
        }
        stamps = {file: stamp(f"{self._git.work_tree}/{file}") for file in files | self._recent.keys()}
        return {
            file: present
            for file, present in stamps.items()
            if present is not None and present.changed_ns // 10**9 >= second
        }

    def _expected(self, folders: list[str]) -> Mapping[str, _Names]:
        unknown = [tree for folder in folders if (tree := self._trees[folder]) not in self._listings]
        self._listings |= self._asked([tree for tree in dict.fromkeys(unknown) if tree])
        return {folder: self._listings.get(self._trees[folder], {}) for folder in folders}

    def _asked(self, trees: list[str]) -> dict[str, _Names]:
        """What directories hold, by git's ids of them."""
        if not trees:
            return {}
        answer = self._git.output(
            "cat-file", "--batch", stdin="".join(f"{tree}\n" for tree in trees).encode()
        )
        listings: dict[str, _Names] = {}
        position = 0
        for tree in trees:
            end = answer.index(b"\n", position)
            words = answer[position:end].split(b" ")
            if words[1:2] != [b"tree"]:
                raise GitError(f"git has lost a directory: {tree}", where=str(self._git.common_dir))
            size = int(words[2])
            listings[tree] = _entries(answer[end + 1 : end + 1 + size], len(words[0]) // 2)
            # The object is followed by a line break.
            position = end + 1 + size + 1
        return listings


def _entries(tree: bytes, identity_bytes: int) -> _Names:
    """The entries of a tree object: mode, space, name, NUL, the object's id in bytes."""
    names: dict[str, bool] = {}
    position = 0
    while position < len(tree):
        end = tree.index(b"\0", position)
        mode, _, name = tree[position:end].partition(b" ")
        names[os.fsdecode(name)] = mode in _DIRECTORIES
        position = end + 1 + identity_bytes
    return names


def _foreign_names(path: Path, expected: _Names, folder: str) -> list[str]:
    foreign = []
    with os.scandir(path) as entries:
        for entry in entries:
            if entry.name == ".git" and not folder:
                continue
            is_directory = entry.is_dir(follow_symlinks=False)
            special = not is_directory and not entry.is_symlink() and not entry.is_file(follow_symlinks=False)
            if special or expected.get(entry.name) is not is_directory:
                foreign.append(entry.name)
    return sorted(foreign)


def _parent(folder: str) -> str:
    return folder.rpartition("/")[0]

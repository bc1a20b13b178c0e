"""A worker's copy of a repository: objects and tags alone, filled by packs. Nobody works in it.

What trials bring is known to the process that took it in, and to no later one: it is sent with each of them.
"""

import os
import re
from pathlib import Path
from typing import Final

from factory.checkout.leftovers import remove_leftovers
from factory.contract.canonical import sha256_hex
from factory.engines.message import Fetch, Garbage, Supplies
from factory.engines.name import parse_remote
from factory.system.files.tree import read_bounded
from factory.system.git.client import Git, GitError, said
from factory.system.removal import remove_tree

_NAME: Final = re.compile(r"[0-9a-f]{32}")
_COMMIT: Final = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_ROOTS: Final = "refs/workorder/roots/"
_FETCHED: Final = "refs/workorder/fetched/"
_FETCH_SECONDS: Final = 1_800.0
_MANY_LOOSE: Final = 27
"""Of the 256 directories of loose objects one has this many when `git gc --auto` would begin."""

_PROXIES: Final = ("HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR")
# What is lost when the machine crashes is sent again.
_UNSAFE: Final = ("-c", "core.fsync=none")


def is_name(text: str) -> bool:
    """Whether a text could name a repository."""
    return _NAME.fullmatch(text) is not None


class Mirror:
    """The copy of one repository.

    Args:
        folder: where copies are kept.
        repository: its name.

    Raises:
        Garbage: that is none.
    """

    def __init__(self, folder: Path, repository: str) -> None:
        if not is_name(repository):
            raise Garbage("the repository has another name than repositories have")
        self._bases: set[str] = set()
        self._place = folder / repository
        self.git = Git(self._place / ".git", self._place / ".git", self._place)

    @property
    def exists(self) -> bool:
        """Whether it was made."""
        return (self._place / ".git" / "HEAD").is_file()

    @property
    def last_used(self) -> float:
        """When a worker began to use it, in seconds since 1970; 0 if there is none."""
        return (self._place / ".git" / "HEAD").stat().st_mtime if self.exists else 0.0

    def begin(self) -> None:
        """Note that it is used from now on, and give back what trials of earlier processes take.

        Raises:
            GitError, OSError: that is not possible.
        """
        if not self.exists:
            return
        os.utime(self._place / ".git" / "HEAD")
        some = self._place / ".git" / "objects" / "17"
        if some.is_dir() and len([*some.iterdir()]) >= _MANY_LOOSE:
            self.git.output(*_UNSAFE, "gc", "--quiet", "--prune=now")

    def clean_up(self) -> None:
        """Remove what a killed worker left; call it before anything else, with the place locked."""
        if self.exists:
            remove_leftovers(self.git)
            for left in (self._place / ".git").glob("incoming-*"):
                remove_tree(left)

    def roots(self) -> tuple[str, ...]:
        """The commits whose history is there."""
        if not self.exists:
            return ()
        return tuple(self.git.text("for-each-ref", "--format=%(objectname)", _ROOTS).split())

    def receive(self, supplies: Supplies, piece: bytes) -> bool:
        """Take in a piece of a history; whether that was the last.

        Raises:
            Garbage: it is not what it says.
            GitError, OSError: it can't be taken in.
        """
        for commit in (supplies.root, supplies.pack):
            if not _COMMIT.fullmatch(commit):
                raise Garbage("the history has no name")
        if not self.exists:
            self._make(supplies.object_format)
        incoming = self._place / ".git" / f"incoming-{supplies.pack}"
        with incoming.open("r+b" if supplies.offset else "wb") as file:
            file.seek(0, os.SEEK_END)
            if file.tell() != supplies.offset:
                raise Garbage("a piece of the history is missing")
            file.write(piece)
        if supplies.offset + len(piece) < supplies.total:
            return False
        pack = read_bounded(incoming, max_bytes=supplies.total)
        incoming.unlink()
        if sha256_hex(pack) != supplies.pack:
            raise Garbage("the history is not the one that its hash names")
        self.git.output(*_UNSAFE, "index-pack", "--stdin", "--fix-thin", stdin=pack)
        self._set_tags(supplies.tags)
        self.git.output("update-ref", f"{_ROOTS}{supplies.root}", supplies.root)
        return True

    def fetch(self, wanted: Fetch) -> None:
        """Take a history from a remote, over no other way than the one that it names.

        What comes is what its name says: git names every object by its bytes.

        Raises:
            GitError: it is not there, or can't be reached.
            WorkorderError: the remote is none.
        """
        remote = parse_remote(wanted.remote)
        if not _COMMIT.fullmatch(wanted.root):
            raise Garbage("the history has no name")
        if not self.exists:
            self._make(wanted.object_format)
        scheme = remote.partition(":")[0]
        only = ("-c", "protocol.allow=never", "-c", f"protocol.{scheme}.allow=always")
        done = self.git.call(
            *_UNSAFE, *only, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head",
            "--no-recurse-submodules", remote, f"{wanted.root}:{_FETCHED}{wanted.root}",
            env={name: os.environ[name] for name in _PROXIES if name in os.environ},
            seconds=_FETCH_SECONDS,
        )  # fmt: skip
        if not done.ok:
            why = "it took too long" if done.timed_out else said(done)
            raise GitError(f"the history can't be fetched: {why}", where=remote)

    def add(self, base: str, pack: bytes) -> None:
        """Take in what a base holds beyond its root, unless it was taken in before.

        Raises:
            GitError: it can't be taken in, or lacks something.
        """
        if pack and base not in self._bases:
            self.git.output(*_UNSAFE, "unpack-objects", "-q", stdin=pack)
            self._bases.add(base)

    def _make(self, object_format: str) -> None:
        self._place.mkdir(parents=True, exist_ok=True)
        self.git.text("init", "--quiet", "--template=", f"--object-format={object_format}")

    def _set_tags(self, tags: str) -> None:
        present = self.git.text("for-each-ref", "--format=delete %(refname)", "refs/tags")
        self.git.output("update-ref", "--stdin", stdin=f"{present}\n".lstrip("\n").encode())
        lines = [line.partition(" ") for line in tags.splitlines()]
        updates = "".join(
            f"update {name} {commit}\n" for commit, _, name in lines if name.startswith("refs/tags/")
        )
        self.git.output("update-ref", "--stdin", stdin=updates.encode())

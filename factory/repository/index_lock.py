"""Git's own lock of a checkout's index: waiting for another's, holding it, removing what a kill left."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from factory.contract.errors import WorkorderError
from factory.system.git.client import Git

_WAIT_SECONDS: Final = 2.0
"""How long another git may hold the index: a status in an editor or a prompt takes less."""


class IndexLocked(WorkorderError):
    """Another git holds the index, or was killed while it did."""

    def __init__(self, lock: Path) -> None:
        super().__init__("another git is at work in the checkout, or was killed there", where=str(lock))


def wait_for_index(git: Git) -> None:
    """Return as soon as no git holds the index of a checkout.

    Raises:
        IndexLocked: one still does.
    """
    lock = _lock_of(git)
    end = time.monotonic() + _WAIT_SECONDS
    while lock.exists():
        if time.monotonic() > end:
            raise IndexLocked(lock)
        time.sleep(0.05)


@contextmanager
def hold_index(git: Git, mark: Path) -> Iterator[None]:
    """Within the block no other git writes the index of a checkout.

    Args:
        git: sees the checkout.
        mark: a file whose content the lock has, too, so that no other is taken for ours.

    Raises:
        IndexLocked: another git holds it.
    """
    lock = _lock_of(git)
    end = time.monotonic() + _WAIT_SECONDS
    while True:
        try:
            _make(lock, mark)
            break
        except FileExistsError as error:
            if time.monotonic() > end:
                raise IndexLocked(lock) from error
            time.sleep(0.05)
    try:
        yield
    finally:
        lock.unlink()


def remove_own_locks(git: Git, mark: Path) -> None:
    """Remove the locks with this mark that a kill left in any checkout of the repository."""
    for lock in (git.common_dir / "index.lock", *git.common_dir.glob("worktrees/*/index.lock")):
        if lock.is_file() and lock.read_bytes() == mark.read_bytes():
            lock.unlink()


def _lock_of(git: Git) -> Path:
    return git.git_dir / "index.lock"


def _make(lock: Path, mark: Path) -> None:
    try:
        # A link, because it has its content from its first moment.
        lock.hardlink_to(mark)
    except FileExistsError:
        raise
    except OSError:
        # A file system without hard links.
        with lock.open("xb") as file:
            file.write(mark.read_bytes())

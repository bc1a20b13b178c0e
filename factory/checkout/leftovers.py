"""The notes about directories of attempts: what a kill leaves at any moment, the next start can find.

There is one note for each directory, `.git/workorder/checkout-ID`, so that threads don't share one. It is
written before its directory is made and removed after it.
"""

import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from factory.contract.errors import WorkorderError
from factory.repository.target import state_folder
from factory.system.files.tree import read_bounded, write_atomic
from factory.system.git.client import Git
from factory.system.process.signals import shielded
from factory.system.removal import remove_tree

_PREFIX: Final = "workorder-"
_NOTE: Final = "checkout-"


def make_scratch(git: Git) -> Path:
    """A new directory in the directory for temporary files, which only this user may enter.

    Raises:
        FileProblem, OSError: it can't be made; nothing is left of it.
    """
    identity = secrets.token_hex(8)
    scratch = _temporary() / f"{_PREFIX}{identity}"
    write_atomic(state_folder(git) / f"{_NOTE}{identity}", os.fsencode(scratch))
    try:
        scratch.mkdir(mode=0o700)
    except BaseException:
        remove_scratch(git, scratch)
        raise
    return scratch


def remove_scratch(git: Git, scratch: Path) -> None:
    """Remove a directory that `make_scratch` made; if something of it can't be removed, its note stays."""
    with shielded():
        remove_tree(scratch)
        if not os.path.lexists(scratch):
            note = state_folder(git) / f"{_NOTE}{scratch.name.removeprefix(_PREFIX)}"
            note.unlink(missing_ok=True)


@contextmanager
def scratch_directory(git: Git) -> Iterator[Path]:
    """Within the block there is a directory as `make_scratch` makes it; afterwards it is gone."""
    scratch = make_scratch(git)
    try:
        yield scratch
    finally:
        remove_scratch(git, scratch)


def remove_leftovers(git: Git) -> int:
    """Remove what killed runs left. Call it with the repository's lock held, before anything else writes.

    Returns:
        How many directories of attempts there were.
    """
    folder = state_folder(git)
    # Half-written notes of any kind: who was writing them held the lock, and is dead.
    for half in folder.glob(".*.tmp"):
        half.unlink(missing_ok=True)
    return sum(_remove(note) for note in sorted(folder.glob(f"{_NOTE}*")))


def _remove(note: Path) -> bool:
    """Remove the directory that a note names, then the note; whether there was one."""
    try:
        path = Path(os.fsdecode(read_bounded(note)))
    except (WorkorderError, ValueError):
        return False
    # The note lies where others could write: only what has our shape in the temporary directory is removed.
    ours = path.name == _PREFIX + note.name.removeprefix(_NOTE) and not path.is_symlink()
    there = ours and path.parent == _temporary() and path.is_dir()
    if there:
        remove_tree(path)
    # One in another directory for temporary files waits for a run that uses that directory.
    if not ours or not os.path.lexists(path):
        note.unlink()
    return there


def _temporary() -> Path:
    return Path(tempfile.gettempdir()).resolve()

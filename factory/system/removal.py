"""Removing what hostile code may have filled: very deep, without permissions, or with names of any bytes."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from factory.system.process.capture import capture

_AT_ONCE: Final = 500
"""How many paths one process gets: far fewer than the bytes that a command line may hold."""


def remove_tree(path: Path) -> None:
    """Remove a file or a directory; nothing happens if there is nothing. What can't be removed remains."""
    remove_trees([path])


def remove_trees(paths: Iterable[Path]) -> None:
    """Remove files and directories, see `remove_tree`; a process is only started if there is a directory."""
    folders: list[str] = []
    for path in paths:
        try:
            path.unlink(missing_ok=True)
        except OSError:
            try:
                path.rmdir()
            except OSError:
                # A directory that is not empty, or something in one that is closed to us.
                folders.append(str(path))
    for start in range(0, len(folders), _AT_ONCE):
        some = folders[start : start + _AT_ONCE]
        if not _run("rm", "-rf", "--", *some):
            _run("chmod", "-R", "u+rwX", "--", *(name for name in some if not Path(name).is_symlink()))
            _run("rm", "-rf", "--", *some)


def _run(*argv: str) -> bool:
    return capture(argv, cwd=None, env=os.environ).ok

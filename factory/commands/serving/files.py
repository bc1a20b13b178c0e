"""The files of a build for whoever follows a link: read as they are, and never outside of its directory."""

import os
from pathlib import Path
from typing import Final

from factory.system.files.tree import FileProblem, read_bounded

_MOST_BYTES: Final = 50_000_000


def read_entry(out: Path, path: str) -> bytes | tuple[str, ...] | None:
    """What stands at a path below a build's directory.

    Args:
        out: the directory.
        path: the path, as it was asked for.

    Returns:
        The bytes of a file, the names in a directory, or None where there is neither, or a link.
    """
    place = out
    for part in path.rstrip("/").split("/"):
        if part in ("", ".", "..") or "\0" in part:
            return None
        place = place / part
        if place.is_symlink():
            return None
    if place.is_dir():
        return tuple(
            sorted(f"{entry.name}/" if entry.is_dir() else entry.name for entry in os.scandir(place))
        )
    if not place.is_file():
        return None
    try:
        return read_bounded(place, max_bytes=_MOST_BYTES)
    except FileProblem as error:
        return str(error).encode("utf-8", "backslashreplace")

"""What a trial leaves behind: the files that it made in its folder, as values, and written down again."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from factory.contract.errors import MachineProblem
from factory.contract.repo_path import RepoPath, UnsafePath
from factory.system.files.tree import read_bounded

MAX_FILE_BYTES: Final = 10_000_000
"""The largest file of evidence; what a command prints is stored up to less than that."""

MAX_BYTES: Final = 200_000_000
"""The most that all evidence of a trial may have."""

Stamps = Mapping[str, tuple[int, int]]


class TooMuchEvidence(MachineProblem):
    """The evidence of a trial can't be passed on or kept."""


def stamps(folder: Path) -> Stamps:
    """The files of a folder, with what tells that one was written anew."""
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            path = Path(place, name)
            status = path.lstat()
            found[path.relative_to(folder).as_posix()] = (status.st_mtime_ns, status.st_ino)
    return found


def collected(folder: Path, before: Stamps) -> dict[RepoPath, bytes]:
    """The files of a folder that are not as they were.

    Args:
        folder: the folder.
        before: its files before.

    Raises:
        TooMuchEvidence: they are larger than a trial's evidence may be, or one has a name that can't be used.
        FileProblem: one can't be read.
    """
    files: dict[RepoPath, bytes] = {}
    total = 0
    for name, stamp in sorted(stamps(folder).items()):
        if before.get(name) == stamp:
            continue
        try:
            path = RepoPath.parse(name)
        except UnsafePath as error:
            raise TooMuchEvidence(f"has a name that can't be kept: {error.message}", where=name) from error
        files[path] = read_bounded(folder / path, max_bytes=MAX_FILE_BYTES)
        total += len(files[path])
        if total > MAX_BYTES:
            raise TooMuchEvidence(
                f"a trial left more than {MAX_BYTES:,} bytes of evidence",
                where=str(folder),
                hint="let its commands print less",
            )
    return files


def put_down(files: Mapping[RepoPath, bytes], folder: Path) -> None:
    """Write files into a folder of ours, which nothing hostile can write to."""
    for path, data in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(data)

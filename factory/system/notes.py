"""Reads the notes of `--knowledge DIR`, for both stages: the Markdown files below a directory.

Links are not followed, so that what is shown to a model is what lies in the directory.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from factory.contract.errors import WorkorderError
from factory.contract.limits import MAX_NOTES_BYTES
from factory.contract.note import Note
from factory.contract.text import decoded, encodable
from factory.system.files.tree import FileProblem, read_bounded

SUFFIX: Final = ".md"


class BadNotes(WorkorderError):
    """A directory of notes that can't be shown to a model."""


def read_notes(directory: Path | None) -> tuple[Note, ...]:
    """The notes of a directory, sorted by path; none without one.

    Files and directories whose names begin with a dot are passed over, and so are links to directories.

    Raises:
        FileProblem: it is not a directory, or something in it can't be read.
        BadNotes: there is no Markdown in it, a file is a link or not text, or there is too much.
    """
    if directory is None:
        return ()
    notes: list[Note] = []
    total = 0
    for path in sorted(_markdown(directory), key=os.fsencode):
        data = _bytes(directory / path)
        text, problem = decoded(data)
        if problem:
            raise BadNotes(problem, where=str(directory / path), hint="save it as UTF-8, or move it away")
        total += len(data)
        if total > MAX_NOTES_BYTES:
            raise BadNotes(
                f"the notes have more than {MAX_NOTES_BYTES:,} bytes together",
                where=str(directory),
                hint="name a directory with what matters for this work",
            )
        notes.append(Note(path, text))
    if not notes:
        raise BadNotes(
            "holds no Markdown", where=str(directory), hint=f"notes are files whose names end in {SUFFIX}"
        )
    return tuple(notes)


def _markdown(directory: Path) -> Iterator[str]:
    """The paths of the Markdown files, relative, in any order."""

    def refuse(error: OSError) -> None:
        reason = (error.strerror or type(error).__name__).lower()
        raise FileProblem(f"can't be read: {reason}", where=str(error.filename)) from error

    for folder, folders, files in os.walk(directory, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in files:
            if name.endswith(SUFFIX) and not name.startswith("."):
                path = Path(folder, name).relative_to(directory).as_posix()
                if not encodable(path):
                    raise BadNotes("has a name that is not UTF-8", where=str(directory / path))
                yield path


def _bytes(path: Path) -> bytes:
    if path.is_symlink():
        raise BadNotes(
            "is a symbolic link, and links are not followed", where=str(path), hint="copy the file"
        )
    return read_bounded(path, max_bytes=MAX_NOTES_BYTES)

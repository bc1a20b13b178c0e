"""Notes: what the user knows about a project and hands to both stages, to be shown to models as it is."""

from collections.abc import Sequence
from dataclasses import dataclass

from factory.contract.canonical import canonical_json, sha256_hex


@dataclass(frozen=True)
class Note:
    """One Markdown file.

    Attributes:
        path: its path below the directory of the notes, with `/`.
        text: what it says.
    """

    path: str
    text: str


def notes_hash(notes: Sequence[Note]) -> str | None:
    """SHA-256 over paths and texts, so that a record tells which notes were shown; None without notes."""
    return sha256_hex(canonical_json([[note.path, note.text] for note in notes])) if notes else None

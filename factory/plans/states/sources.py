"""The files of a repository, as a value: their names, and a way to their bytes."""

from dataclasses import dataclass
from typing import Final

from factory.contract.symbols.files import Read


@dataclass(frozen=True)
class Sources:
    """A repository's files as they are now, with what has landed of a plan.

    Attributes:
        files: the paths of the tracked ones.
        read: gives their bytes.
    """

    files: frozenset[str]
    read: Read


NO_SOURCES: Final = Sources(frozenset(), lambda _path: None)
"""A repository that is new."""

"""The note that a landing is under way: what the next start needs to know to finish it if it is killed."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict

from factory.contract.canonical import dump, readable_json
from factory.contract.documents import read_document
from factory.contract.errors import WorkorderError
from factory.repository.target import NotRestored, state_folder
from factory.system.files.tree import read_bounded, write_atomic
from factory.system.git.client import Git

_NAME: Final = "landing.json"
_INDEX: Final = "landing.index"


class Landing(BaseModel):
    """Which branch moves from where to where.

    Attributes:
        old: the full id of the commit that was its tip.
        new: the full id of the commit that becomes it.
        ref: the branch's full name.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    old: str
    new: str
    ref: str


@dataclass(frozen=True)
class LandingNote:
    """The note on the disk; there while a commit lands, or after that was killed."""

    path: Path

    @classmethod
    def of(cls, git: Git) -> "LandingNote":
        """The note of this repository."""
        return cls(state_folder(git) / _NAME)

    @property
    def index(self) -> Path:
        """Where the landing has its copy of the checkout's index."""
        return self.path.with_name(_INDEX)

    def write(self, landing: Landing) -> None:
        """Put the note on the disk for good."""
        write_atomic(self.path, readable_json(dump(landing)))

    def read(self) -> Landing | None:
        """The note; None if there is none.

        Raises:
            NotRestored: it can't be read.
        """
        if not self.path.exists():
            return None
        try:
            return read_document(Landing, read_bounded(self.path), str(self.path))
        except WorkorderError as error:
            raise NotRestored(
                "the note about a landing that was cut off is damaged",
                where=str(self.path),
                hint="compare your checkout with the branch (`git status`), then delete the file",
            ) from error

    def remove(self) -> None:
        """The landing is complete, or never began."""
        self.path.unlink()

    def remove_index(self) -> None:
        """Remove the copy of the index, and git's lock of it, wherever the landing ended."""
        for name in (_INDEX, f"{_INDEX}.lock"):
            self.path.with_name(name).unlink(missing_ok=True)

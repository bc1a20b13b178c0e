"""The note that a run works in the user's own checkout: what the next start needs to know if it is killed."""

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
from factory.system.terminal.console import visible

_NAME: Final = "in_place.json"


class InPlace(BaseModel):
    """What was true when the run began to work in place.

    Attributes:
        baseline: the commit that was checked out.
        state: git's own state in short, see `git_state.UserRepository.fingerprint`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    baseline: str
    state: dict[str, str]


@dataclass(frozen=True)
class InPlaceNote:
    """The note on the disk; there while a run works in place, or after it was killed."""

    path: Path

    @classmethod
    def of(cls, git: Git) -> "InPlaceNote":
        """The note of this repository."""
        return cls(state_folder(git) / _NAME)

    def write(self, baseline: str, state: dict[str, str]) -> None:
        """Put the note on the disk for good."""
        shown = {visible(name): value for name, value in state.items()}
        write_atomic(self.path, readable_json(dump(InPlace(baseline=baseline, state=shown))))

    def read(self) -> InPlace | None:
        """The note; None if there is none.

        Raises:
            NotRestored: it can't be read.
        """
        if not self.path.exists():
            return None
        try:
            return read_document(InPlace, read_bounded(self.path), str(self.path))
        except WorkorderError as error:
            raise NotRestored(
                "the note of a run that worked in place is damaged",
                where=str(self.path),
                hint="look at `git status`, clean up, and delete the file",
            ) from error

    def advance(self, ref: str, commit: str) -> None:
        """A landing moved the branch: from now on, its commit is what is put back."""
        note = self.read()
        if note is not None:
            self.write(commit, {**note.state, visible(ref): commit})

    def remove(self) -> None:
        """The run is over."""
        self.path.unlink(missing_ok=True)

"""Which versions of its files a model was shown: as they are, and as its proposal had them that failed. Pure.

A write or an edit says by a hash which of them it is about. Of a hash the prompt shows the beginning.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

from factory.contract.canonical import EMPTY_SHA256, sha256_hex
from factory.contract.proposal import Write, WriteProposal
from factory.contract.repo_path import RepoPath


@dataclass(frozen=True)
class ContextFile:
    """A file as the model sees it.

    Attributes:
        path: its path.
        content: its text; None if it does not exist.
        sha256: the SHA-256 of its bytes; of no bytes if it does not exist.
        part: what is shown instead of the text, where that is less; None if all of it is.
    """

    path: RepoPath
    content: str | None
    sha256: str = EMPTY_SHA256
    part: str | None = None


@dataclass(frozen=True)
class Versions:
    """The versions that an answer can be about.

    Attributes:
        files: the files as they are; one that is not among them does not exist.
        proposed: what was proposed before of files that have not changed since.
        summaries: what was said of that.
    """

    files: Mapping[RepoPath, ContextFile]
    proposed: Mapping[RepoPath, Write]
    summaries: tuple[str, ...] = ()

    @classmethod
    def of(cls, files: Iterable[ContextFile], previous: WriteProposal | None) -> Self:
        """The versions after a proposal that failed; without one those of the files."""
        shown = {file.path: file for file in files}
        writes = previous.writes if previous is not None else ()
        return cls(
            shown,
            {write.path: write for write in writes if write.base_sha256 == _hash(shown, write.path)},
            previous.summaries if previous is not None else (),
        )

    def base(self, path: RepoPath) -> str:
        """The hash of a file as it is."""
        return _hash(self.files, path)

    def meant(self, path: RepoPath, answered: str) -> Write | str:
        """What a hash in an answer stands for: the proposal that failed, or the file with some hash.

        A hash that is neither's stays what it is, with zeros for what is missing of it.
        """
        if self.base(path).startswith(answered):
            return self.base(path)
        proposed = self.proposed.get(path)
        if proposed is not None and proposed_hash(proposed).startswith(answered):
            return proposed
        return answered.ljust(64, "0")

    def text(self, path: RepoPath) -> str | None:
        """The text of a file that is shown whole; None if it is not."""
        file = self.files.get(path)
        return file.content if file is not None and file.part is None else None


def proposed_hash(write: Write) -> str:
    """The hash that stands for what was proposed."""
    return sha256_hex(write.content.encode("utf-8"))


def _hash(files: Mapping[RepoPath, ContextFile], path: RepoPath) -> str:
    return files[path].sha256 if path in files else EMPTY_SHA256

"""What a model proposes, its answer read: `WriteProposal`, in which every file is whole, and `Repair`."""

import re
from typing import Annotated

from pydantic import AfterValidator, Field

from factory.contract.limits import MAX_PROPOSAL_BYTES
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import Document, FileText

_SHA256 = re.compile(r"[0-9a-f]{64}")


def _require_sha256(text: str) -> str:
    if not _SHA256.fullmatch(text):
        raise ValueError("must be 64 lower-case hex digits")
    return text


Sha256 = Annotated[str, Field(strict=True), AfterValidator(_require_sha256)]
"""A SHA-256 as 64 lower-case hex digits."""


def _require_total_size(writes: "tuple[Write, ...]") -> "tuple[Write, ...]":
    size = sum(len(write.content.encode("utf-8")) for write in writes)
    if size > MAX_PROPOSAL_BYTES:
        raise ValueError(f"the files have {size:,} bytes together; the limit is {MAX_PROPOSAL_BYTES:,}")
    return writes


class Write(Document):
    """One file as it shall be, whole.

    Attributes:
        path: the file.
        base_sha256: the SHA-256 of the file as the model saw it; of no bytes if it did not exist.
        content: the new text.
    """

    path: RepoPath
    base_sha256: Sha256
    content: FileText


class WriteProposal(Document):
    """What a model wants to write, and what it says of it.

    Attributes:
        summary: what it says of its work.
        writes: the files.
        remarks: what it wants a person or the planner to know; bounded, a stranger's words.
    """

    summary: Annotated[str, Field(strict=True)]
    writes: Annotated[tuple[Write, ...], Field(min_length=1), AfterValidator(_require_total_size)]
    remarks: Annotated[
        tuple[Annotated[str, Field(strict=True)], ...], Field(exclude_if=lambda value: not value)
    ] = ()

    @property
    def summaries(self) -> tuple[str, ...]:
        """What was said of all that is in it, the oldest first."""
        return (self.summary,)


class Repair(WriteProposal):
    """A proposal that keeps or edits files of the one before it, which failed; written, it is like any other.

    Attributes:
        repaired: what was said of those before it.
    """

    repaired: Annotated[tuple[str, ...], Field(exclude=True)]

    @property
    def summaries(self) -> tuple[str, ...]:
        # Who repairs may say the same again.
        return tuple(dict.fromkeys((*self.repaired, self.summary)))

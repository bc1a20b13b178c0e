"""Work of people in the place of a model's, as records: opened to be done, and taken as it was done."""

from pathlib import Path
from typing import Final

from factory.contract.canonical import dump, readable_json
from factory.contract.documents import read_document
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import Document, WorkOrderId
from factory.system.files.tree import read_bounded, write_atomic

OPENED_FOLDER: Final = "open"
"""In an output directory: what people do by hand."""


class Adoption(Document):
    """That a person's work was taken in the place of a model's, whatever became of it.

    Attributes:
        work_order: its id.
        contract: the hash of the contract that it is to fulfil.
        author: who took it, by name and address as git knows them.
        said: when.
        source: the worktree or the revision that it was taken from.
        base: the commit that it differs from.
        widened: the files that they wrote although the work order does not list them.
    """

    work_order: WorkOrderId
    contract: str
    author: str
    said: str
    source: str
    base: str
    widened: tuple[RepoPath, ...] = ()


class Opened(Document):
    """That a work order is done by hand.

    Attributes:
        work_order: its id.
        place: the worktree.
        branch: its branch.
        base: the commit that it started from.
        author: whose it is.
        said: since when.
    """

    work_order: WorkOrderId
    place: str
    branch: str
    base: str
    author: str
    said: str


def opened_in(out: Path, work_order: str) -> Opened | None:
    """Where a work order is done by hand; None if it is not, or the worktree is gone.

    Raises:
        FileProblem, BadJson, BadDocument: the record can't be read.
    """
    path = _record(out, work_order)
    if not path.exists():
        return None
    opened = read_document(Opened, read_bounded(path), str(path), hint="remove it")
    return opened if Path(opened.place).is_dir() else None


def keep_opened(out: Path, opened: Opened) -> None:
    """Write down where a work order is done by hand.

    Raises:
        FileProblem: it can't be written.
    """
    write_atomic(_record(out, opened.work_order), readable_json(dump(opened)))


def forget_opened(out: Path, work_order: str) -> None:
    """It is done: the worktree is its owner's."""
    _record(out, work_order).unlink(missing_ok=True)


def _record(out: Path, work_order: str) -> Path:
    return out / OPENED_FOLDER / f"{work_order}.json"

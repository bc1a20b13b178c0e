"""Work orders that a person leaves out on purpose: kept in the git directory, for all builds."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Final

from pydantic import Field

from factory.contract.canonical import dump, readable_json
from factory.contract.documents import BadDocument, schema_problems
from factory.contract.identity import contract_trailers
from factory.contract.strict_json import read_json
from factory.contract.work_order import Document, WorkOrder, WorkOrderId
from factory.system.files.lock import exclusive
from factory.system.files.tree import read_bounded, write_atomic

_FILE: Final = Path("workorder") / "skipped.json"
MAX_REASON_CHARS: Final = 2_000


class Skip(Document):
    """A work order that is not done, on purpose.

    Attributes:
        work_order: its id.
        contract: what binds of the one that is left out, see `contract_trailers`; another one is not. Of an
            older entry the hash of its contract.
        reason: why.
        author: who said so, by name and address as git knows them.
        said: when.
    """

    work_order: WorkOrderId
    contract: str
    reason: Annotated[str, Field(strict=True, min_length=1, max_length=MAX_REASON_CHARS)]
    author: str
    said: str


class Skips(Document):
    """All of a repository, the oldest first."""

    skips: tuple[Skip, ...] = ()


def skips_of(git_dir: Path) -> dict[str, Skip]:
    """What is left out in a repository, by the hash of its contract.

    Args:
        git_dir: the git directory that all work trees share.

    Raises:
        FileProblem, BadJson, BadDocument: the file can't be read, or is not what we wrote.
    """
    return {skip.contract: skip for skip in _read(git_dir / _FILE).skips}


def skip_of(skips: Mapping[str, Skip], order: WorkOrder) -> Skip | None:
    """What is said of a work order that is left out, also in other words; None if it is not left out."""
    return next((skips[contract] for contract in contract_trailers(order) if contract in skips), None)


def set_skip(git_dir: Path, contracts: Collection[str], skip: Skip | None) -> bool:
    """Leave a contract out, or do it after all; whether that changes anything.

    Args:
        git_dir: the git directory that all work trees share.
        contracts: all by which it may be known.
        skip: what is said of it; None to do it after all.

    Raises:
        Locked: somebody else is doing that.
        FileProblem, BadJson, BadDocument: the file can't be read or written; what was there is as it was.
    """
    path = git_dir / _FILE
    path.parent.mkdir(exist_ok=True)
    with exclusive(path.with_suffix(".lock"), "factory skip", "what is left out in this repository"):
        kept = _read(path).skips
        others = tuple(known for known in kept if known.contract not in contracts)
        whole = others if skip is None else (*others, skip)
        write_atomic(path, readable_json(dump(Skips(skips=whole))))
        return len(others) != len(kept) or skip is not None


def _read(path: Path) -> Skips:
    if not path.exists():
        return Skips()
    document = read_json(read_bounded(path).decode("utf-8", "replace"), str(path))
    problems = schema_problems(Skips, document)
    if problems:
        raise BadDocument(str(path), problems, "remove it, and say again what is to be left out")
    return Skips.model_validate(document)

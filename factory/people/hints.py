"""What a person says to the next attempt at a work order, and who makes it: kept in the output directory.

Each gives the work order one attempt more than it has had, also one that says nothing.
"""

from pathlib import Path
from typing import Annotated, Final

from pydantic import Field

from factory.contract.canonical import dump, readable_json
from factory.contract.documents import BadDocument, schema_problems
from factory.contract.strict_json import read_json
from factory.contract.work_order import Document, WorkOrderId
from factory.system.files.lock import exclusive
from factory.system.files.tree import read_bounded, write_atomic

HINTS_FILE: Final = "hints.json"
MAX_HINT_CHARS: Final = 8_000


class Hint(Document):
    """What a person says about a work order.

    Attributes:
        work_order: its id.
        contract: the hash of the contract that it was said about; of another one it says nothing.
        after: how many attempts had been asked for then; those after them are told.
        text: what was said; empty where it is only to be tried again.
        llm: who makes the attempt that follows, as `--llm` names it; empty for whom the build asks.
        price: what that one costs, as `--price` takes it; empty if nothing is said of it.
        author: who said it, by name and address as git knows them.
        said: when.
    """

    work_order: WorkOrderId
    contract: str
    after: Annotated[int, Field(strict=True, ge=0)]
    text: Annotated[str, Field(strict=True, max_length=MAX_HINT_CHARS)]
    llm: Annotated[str, Field(strict=True, exclude_if=lambda value: not value)] = ""
    price: Annotated[str, Field(strict=True, exclude_if=lambda value: not value)] = ""
    author: str
    said: str


class Hints(Document):
    """All hints of an output directory, the oldest first."""

    hints: tuple[Hint, ...] = ()


def hints_of(out: Path, contract: str) -> tuple[Hint, ...]:
    """The hints about a contract, the oldest first.

    Args:
        out: the output directory of a build or of runs.
        contract: the contract's hash.

    Raises:
        FileProblem, BadJson, BadDocument: the file can't be read, or is not what we wrote.
    """
    return tuple(hint for hint in _read(out).hints if hint.contract == contract)


def texts_for(out: Path, contract: str, attempt: int) -> tuple[str, ...]:
    """What an attempt is told; see `hints_of`.

    Args:
        out: the output directory.
        contract: the hash of the work order's contract.
        attempt: its number, from 1.
    """
    return tuple(hint.text for hint in hints_of(out, contract) if hint.text and hint.after < attempt)


def others_for(out: Path, contract: str) -> dict[int, Hint]:
    """The attempts that another model than the build's makes, by their numbers; see `hints_of`.

    Of an attempt that was asked for several times, the last word counts.
    """
    last = {hint.after + 1: hint for hint in hints_of(out, contract) if not hint.text}
    return {attempt: hint for attempt, hint in last.items() if hint.llm}


def attempts_with(out: Path, contract: str, most: int) -> int:
    """How many attempts a work order has: one more than before where a person said something since.

    Args:
        out: the output directory.
        contract: the hash of its contract.
        most: how many it has otherwise.
    """
    return max([most, *(hint.after + 1 for hint in hints_of(out, contract))])


def add_hint(out: Path, hint: Hint) -> None:
    """Write down a hint.

    Raises:
        Locked: somebody else is doing that.
        FileProblem, BadJson, BadDocument: the file can't be read or written; what was there is as it was.
    """
    with exclusive(out / f"{HINTS_FILE}.lock", "factory hint", "the hints of this output directory"):
        kept = _read(out)
        whole = Hints(hints=(*kept.hints, hint))
        write_atomic(out / HINTS_FILE, readable_json(dump(whole)))


def _read(out: Path) -> Hints:
    path = out / HINTS_FILE
    if not path.exists():
        return Hints()
    document = read_json(read_bounded(path).decode("utf-8", "replace"), str(path))
    problems = schema_problems(Hints, document)
    if problems:
        raise BadDocument(str(path), problems, "remove it, and say again what is to be said")
    return Hints.model_validate(document)

"""Reads one file of a ledger, and trusts none that is damaged. Not for writing."""

from pathlib import Path
from typing import Final, TypeVar

from pydantic import BaseModel

from factory.contract.documents import schema_problems
from factory.contract.errors import Fault, WorkorderError
from factory.contract.limits import MAX_JSON_BYTES
from factory.contract.strict_json import BadJson, read_json
from factory.system.files.tree import FileProblem, read_bounded

# An answer may have MAX_JSON_BYTES, and JSON writes a control character with six bytes.
_MAX_BYTES: Final = 8 * MAX_JSON_BYTES

DocumentT = TypeVar("DocumentT", bound=BaseModel)


class DamagedLedger(WorkorderError):
    """A ledger file that can't be trusted; `where` holds its path."""

    fault = Fault.STATE_CORRUPT


def read_ledger_file(kind: type[DocumentT], path: Path, *, advice: str) -> DocumentT | None:
    """The document in the file, or None if there is no file.

    Raises:
        DamagedLedger: the file does not hold such a document; the hint is `advice`.
    """
    try:
        value = read_json(read_bounded(path, max_bytes=_MAX_BYTES), str(path), max_bytes=_MAX_BYTES)
    except (BadJson, FileProblem) as error:
        # Not asked for beforehand: another process may remove the file in between.
        if isinstance(error.__cause__, FileNotFoundError):
            return None
        raise DamagedLedger(
            f"this ledger file is damaged: {error.message}", where=error.where, hint=advice
        ) from error
    problems = schema_problems(kind, value)
    if problems:
        first = problems[0]
        message = f"this ledger file is damaged: {first.pointer or '/'}: {first.message}"
        raise DamagedLedger(message, where=str(path), hint=advice)
    return kind.model_validate(value)

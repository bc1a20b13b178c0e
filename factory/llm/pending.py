"""The calls that have been started and are not answered yet, one `KEY.pending.json` each.

Not for answers: those are the ledger's.
"""

from pathlib import Path
from typing import Protocol

from pydantic import BaseModel, ConfigDict

from factory.contract.canonical import dump, readable_json
from factory.llm.ledger_file import read_ledger_file
from factory.system.files import sync_directory, write_atomic


class PendingCalls(Protocol):
    """The calls that a provider is still working on, so that a restart waits on instead of paying again."""

    def get(self, key: str) -> str | None:
        """The provider's id of the running response, or None."""
        ...

    def put(self, key: str, response_id: str) -> None:
        """Remember a running response."""
        ...

    def remove(self, key: str) -> None:
        """Forget the call: it is answered, or has no future."""
        ...


class Reservations:
    """The open calls of one ledger directory."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def get(self, key: str) -> str | None:
        reservation = self._find(key)
        return reservation.response_id if reservation else None

    def put(self, key: str, response_id: str) -> None:
        self._write(key, _Reservation(response_id=response_id))

    def reserve(self, key: str) -> None:
        """Note that the call is about to be made, unless it is noted already."""
        if self._find(key) is None:
            self._write(key, _Reservation(response_id=None))

    def remove(self, key: str) -> None:
        path = self._path(key)
        try:
            path.unlink()
        except FileNotFoundError:
            return
        sync_directory(self._directory)

    def _find(self, key: str) -> "_Reservation | None":
        advice = "delete the file to ask the model again; a response that is still running is then paid twice"
        return read_ledger_file(_Reservation, self._path(key), advice=advice)

    def _write(self, key: str, reservation: "_Reservation") -> None:
        write_atomic(self._path(key), readable_json(dump(reservation)))

    def _path(self, key: str) -> Path:
        return self._directory / f"{key}.pending.json"


class _Reservation(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    response_id: str | None

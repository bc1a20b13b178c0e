"""The calls that were begun and have no stored answer, one `KEY.pending.json` each.

One that is begun again without an id to wait for was broken off, by a kill or a time limit: nobody knows
whether it is paid. What it can have used is kept in `broken_off/`. Not for answers: those are the ledger's.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Protocol

from pydantic import BaseModel, ConfigDict

from factory.contract.canonical import dump, readable_json
from factory.llm.ledger.file import read_ledger_file
from factory.llm.ledger.set_aside import SetAside
from factory.llm.port import Usage
from factory.system.files.tree import sync_directory, write_atomic

BROKEN_OFF: Final = "broken_off"
"""The directory of the calls that were broken off, in that of the ledger."""

_PENDING_NAME: Final = re.compile(r"([0-9a-f]{64})\.pending\.json")
_NOTHING: Final = Usage(input_tokens=0, output_tokens=0)


class PendingCalls(Protocol):
    """The calls that a provider is still working on, so that a restart waits on instead of paying again."""

    def get(self, key: str) -> str | None:
        """The provider's id of the running response, or None."""
        ...

    def put(self, key: str, response_id: str) -> None:
        """Remember a running response."""
        ...

    def break_off(self, key: str) -> None:
        """Give up waiting for the running response, which may be paid; the call is about to be made anew."""
        ...

    def remove(self, key: str) -> None:
        """Forget the call: it is answered, or has no future."""
        ...


class Reservations:
    """The open calls of one ledger directory, and those that were broken off."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._broken_off = SetAside(directory / BROKEN_OFF)

    def get(self, key: str) -> str | None:
        reservation = self._find(key)
        return reservation.response_id if reservation else None

    def put(self, key: str, response_id: str) -> None:
        self._write(key, _Reservation(response_id=response_id, at_most=self._at_most(key)))

    def break_off(self, key: str) -> None:
        self._begin_anew(key, self._at_most(key))

    def reserve(self, key: str, at_most: Usage) -> None:
        """Note that the call is about to be made, or that its response is waited for.

        Args:
            key: the call's name.
            at_most: what it can use.
        """
        if self.get(key) is None:
            self._begin_anew(key, at_most)

    def remove(self, key: str) -> None:
        path = self._path(key)
        try:
            path.unlink()
        except FileNotFoundError:
            return
        sync_directory(self._directory)

    def open(self) -> Iterator[tuple[str, Usage]]:
        """The calls that are open, or were when their process ended: their keys, and what they can use."""
        names = self._directory.iterdir() if self._directory.is_dir() else ()
        for key in sorted(name[1] for path in names if (name := _PENDING_NAME.fullmatch(path.name))):
            reservation = self._find(key)
            # Another process may have stored the answer meanwhile.
            if reservation is not None:
                yield key, reservation.at_most

    def broken_off(self) -> Iterator[Usage]:
        """What each call that was broken off can have used."""
        for key, numbers in sorted(self._broken_off.numbers().items()):
            for number in numbers:
                reservation = _read(self._broken_off.path(key, number))
                if reservation is not None:
                    yield reservation.at_most

    def _begin_anew(self, key: str, at_most: Usage) -> None:
        self._broken_off.take(self._path(key), key)
        self._write(key, _Reservation(response_id=None, at_most=at_most))

    def _at_most(self, key: str) -> Usage:
        reservation = self._find(key)
        return reservation.at_most if reservation is not None else _NOTHING

    def _find(self, key: str) -> "_Reservation | None":
        return _read(self._path(key))

    def _write(self, key: str, reservation: "_Reservation") -> None:
        write_atomic(self._path(key), readable_json(dump(reservation)))

    def _path(self, key: str) -> Path:
        return self._directory / f"{key}.pending.json"


class _Reservation(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    response_id: str | None
    at_most: Usage = _NOTHING


def _read(path: Path) -> _Reservation | None:
    advice = "delete the file to ask the model again; a response that is still running is then paid twice"
    return read_ledger_file(_Reservation, path, advice=advice)

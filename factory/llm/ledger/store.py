"""Every model call, remembered under its content: request in, answer out, stored before it is used.

Running again after a crash, replaying offline and adding up costs all read these files. Not for asking:
that is the adapters' part, and a ledger only wraps them.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol, TypeAlias, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field

from factory.contract.canonical import canonical_json, dump, readable_json, sha256_hex
from factory.contract.errors import MachineProblem
from factory.contract.strict_json import JsonValue
from factory.llm.ledger.file import DamagedLedger, read_ledger_file
from factory.llm.ledger.pending import PendingCalls, Reservations
from factory.llm.ledger.set_aside import SetAside
from factory.llm.port import Answer, Model, ProviderError, Request, Usage, Wrapper, worst_case
from factory.system.clock import Clock, SystemClock
from factory.system.files.tree import write_atomic

_ENTRY_NAME: Final = re.compile(r"[0-9a-f]{64}\.json")


class Entry(BaseModel):
    """One remembered call: who was asked what, and what came back.

    Attributes:
        adapter: the adapter of the model that was asked.
        model: its name within the adapter.
        request: what it was asked.
        answer: what it said.
        seconds: how long the answer took to come, as measured when it was paid; None if that is not known, as
            of a response that another process had begun to wait for. No part of the key, and for views only.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    adapter: str
    model: str
    request: Request
    answer: Answer
    seconds: float | None = Field(default=None, ge=0, exclude_if=lambda value: value is None)

    @property
    def key(self) -> str:
        """The name under which the call is stored."""
        return call_key(self.adapter, self.model, self.request)


@dataclass(frozen=True)
class Recorded:
    """An answer, and whether it cost a call.

    Attributes:
        answer: what the model said.
        key: the ledger's name for the call.
        from_ledger: whether the answer had been stored before, so that no model was asked now.
        adapter: the adapter of the model that answered.
        model: its name within the adapter.
    """

    answer: Answer
    key: str
    from_ledger: bool
    adapter: str
    model: str

    @property
    def identity(self) -> str:
        """Who answered, see `identity`."""
        return f"{self.adapter}:{self.model}"


Permit: TypeAlias = Callable[[str, Request], AbstractContextManager[None]]
"""Given a call's key and request, a block in which it may be made and its answer stored; raises otherwise."""


@runtime_checkable
class RecordedModel(Model, Protocol):
    """A model that says where its answers come from."""

    def ask(self, request: Request) -> Recorded:
        """Like `complete`, with the answer's key and origin."""
        ...


def call_key(adapter: str, model: str, request: Request) -> str:
    """The identity of a call: SHA-256 over everything that could change its answer.

    Fields at their default are left out, so a field added later does not orphan the calls that don't use it.
    """
    asked: JsonValue = request.model_dump(
        mode="json", exclude={"subject": True, "messages": {"__all__": {"stable"}}}, exclude_defaults=True
    )
    return sha256_hex(canonical_json({"adapter": adapter, "model": model, "request": asked}))


def recorded(model: Model, request: Request) -> Recorded:
    """Ask a model, whether or not it says where its answers come from.

    Raises:
        ProviderError: no answer could be had.
    """
    if isinstance(model, RecordedModel):
        return model.ask(request)
    key = call_key(model.adapter, model.name, request)
    return Recorded(model.complete(request), key, False, model.adapter, model.name)


class Ledger:
    """The remembered calls in one directory: `KEY.json` each, and `KEY.pending.json` while one is open.

    Two askers of the same call may both pay; the later answer is the one that stays. Answers that were
    retired are in `retired/`: only `paid` knows them. Calls that were broken off are in `broken_off/`.
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._reservations = Reservations(directory)
        self._retired = SetAside(directory / "retired")

    @property
    def pending(self) -> PendingCalls:
        """The reservations of calls that have no stored answer yet."""
        return self._reservations

    def wrap(self, model: Model, permit: "Permit | None" = None, clock: Clock | None = None) -> RecordedModel:
        """`model`, asked only what this ledger does not hold.

        Args:
            model: who is asked.
            permit: asked before each call, which is reserved by then; None to make every call.
            clock: by which it is measured how long answers take to come; the machine's by default.
        """
        return _LedgerModel(model, self, permit or _every_call, clock or SystemClock())

    def find(self, key: str) -> Entry | None:
        """The stored call of that name, or None.

        Raises:
            DamagedLedger: there is a file of that name and it does not hold that call.
        """
        return _read(self._path(key), key)

    def stored_keys(self) -> list[str]:
        """The names of all stored calls, sorted."""
        if not self.directory.is_dir():
            return []
        return sorted(path.stem for path in self.directory.iterdir() if _ENTRY_NAME.fullmatch(path.name))

    def entries(self) -> Iterator[Entry]:
        """All stored calls, sorted by key."""
        for key in self.stored_keys():
            entry = self.find(key)
            if entry is not None:
                yield entry

    def paid(self) -> Iterator[tuple[str, int]]:
        """Every answer that was ever paid, retired or not: its call's key, and its number from 1, sorted.

        The two name an answer for good.
        """
        # The stored ones first: what is retired in between is then named twice rather than not at all.
        stored = self.stored_keys()
        numbers = self._retired.numbers()
        for key in stored:
            numbers[key] = [*numbers.get(key, []), max(numbers.get(key, []), default=0) + 1]
        for key in sorted(numbers):
            for number in numbers[key]:
                yield key, number

    def find_paid(self, key: str, number: int) -> Entry | None:
        """An answer that `paid` named, or None if it was moved meanwhile.

        Raises:
            DamagedLedger: as for `find`.
        """
        retired = self._retired.path(key, number)
        # Once more at the end, because it may be retired between the first look and the second.
        for path in (retired, self._path(key), retired):
            entry = _read(path, key)
            if entry is not None:
                return entry
        return None

    def answers(self) -> Iterator[tuple[str, Entry]]:
        """All stored calls by their keys, then the retired ones by their names, each sorted.

        Raises:
            DamagedLedger: as for `find`.
        """
        for entry in self.entries():
            yield entry.key, entry
        for key, numbers in sorted(self._retired.numbers().items()):
            for number in numbers:
                path = self._retired.path(key, number)
                retired = _read(path, key)
                if retired is not None:
                    yield path.stem, retired

    def retire(self, key: str) -> str | None:
        """Set the stored answer aside for good, so that the model is asked again; it stays paid.

        One caller at a time, in any number of processes.

        Returns:
            The name that it has now; None if there was none.
        """
        return self._retired.take(self._path(key), key)

    def unanswered(self) -> dict[str, Usage]:
        """The open calls, those of other processes and of killed ones included: what each can use, by key.

        Raises:
            DamagedLedger: as for `find`.
        """
        return {key: usage for key, usage in self._reservations.open() if not self._path(key).exists()}

    def broken_off(self) -> list[Usage]:
        """What each call can have used that was broken off and begun again: it may be paid.

        Raises:
            DamagedLedger: as for `find`.
        """
        return list(self._reservations.broken_off())

    def reserve(self, key: str, at_most: Usage) -> None:
        """Note that a call which can use that much is about to be made, or waited for."""
        self._reservations.reserve(key, at_most)

    def release(self, key: str) -> None:
        """Forget a call that is not made, or has failed; not one whose response is still waited for."""
        if self.pending.get(key) is None:
            self.pending.remove(key)

    def store(self, entry: Entry) -> None:
        """Put an answered call on the disk for good, and drop its reservation."""
        key = entry.key
        write_atomic(self._path(key), readable_json(dump(entry)))
        self.pending.remove(key)

    def _path(self, key: str) -> Path:
        return self.directory / f"{key}.json"


def _read(path: Path, key: str) -> Entry | None:
    entry = read_ledger_file(Entry, path, advice="delete the file to ask the model again")
    if entry is not None and entry.key != key:
        raise DamagedLedger(
            "the call in this file is not the one that its name stands for: the content was changed",
            where=str(path),
            hint="restore the file, or delete it to ask the model again",
        )
    return entry


@dataclass(frozen=True)
class _LedgerModel(Wrapper):
    ledger: Ledger
    permit: Permit
    clock: Clock

    def complete(self, request: Request) -> Answer:
        return self.ask(request).answer

    def ask(self, request: Request) -> Recorded:
        key = call_key(self.adapter, self.name, request)
        stored = self.ledger.find(key)
        if stored is not None:
            # Left if a kill came between the two steps of `store`.
            self.ledger.pending.remove(key)
            return Recorded(stored.answer, key, True, self.adapter, self.name)
        is_waited_for = self.ledger.pending.get(key) is not None
        self.ledger.reserve(key, worst_case(request))
        with self.permit(key, request):
            began = self.clock.monotonic()
            try:
                answer = self.model.complete(request)
            except ProviderError as error:
                if not error.may_be_paid:
                    self.ledger.release(key)
                raise
            except MachineProblem:
                # Nobody was asked.
                self.ledger.release(key)
                raise
            seconds = None if is_waited_for else round(self.clock.monotonic() - began, 3)
            entry = Entry(
                adapter=self.adapter, model=self.name, request=request, answer=answer, seconds=seconds
            )
            self.ledger.store(entry)
        return Recorded(answer, key, False, self.adapter, self.name)


def _every_call(_key: str, _request: Request) -> AbstractContextManager[None]:
    return nullcontext()

"""A recording as a model: a ledger with no adapter behind it. Nothing is asked and nothing is written."""

from pathlib import Path
from typing import Final

from factory.contract.errors import WorkorderError
from factory.llm.adapters.difference import differences, nearest
from factory.llm.ledger.store import Ledger, Recorded, call_key
from factory.llm.port import Answer, ProviderError, Request

REPLAY: Final = "replay:"
"""How a name of `--llm` begins that stands for a recording."""


class NotRecorded(ProviderError):
    """A request that the recording does not hold; the message names what differs from the nearest one."""


def answered_by(directory: Path, purpose: str) -> str:
    """Who answered a recording's questions of a purpose, as `--llm` names a model; empty if nobody did.

    Args:
        directory: the ledger's directory.
        purpose: the purpose of a request, such as `plan`.

    Raises:
        DamagedLedger: a file of it can't be trusted.
    """
    if not directory.is_dir():
        return ""
    entries = Ledger(directory).entries()
    asked = {f"{entry.adapter}:{entry.model}" for entry in entries if entry.request.purpose == purpose}
    return min(asked, default="")


class ReplayModel:
    """Answers from a recording.

    It goes by the adapter and the model that were recorded. A recording of several answers for each of them.

    Args:
        directory: the ledger's directory.

    Raises:
        WorkorderError: there is no recording in it.
        DamagedLedger: a file of it can't be trusted.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        if not directory.is_dir():
            raise self._no_recording("there is no such directory")
        self._entries = {entry.key: entry for entry in Ledger(directory).entries()}
        if not self._entries:
            raise self._no_recording("the directory holds no recorded call")
        self._identities = sorted({(entry.adapter, entry.model) for entry in self._entries.values()})

    @property
    def adapter(self) -> str:
        return "+".join(sorted({adapter for adapter, _ in self._identities}))

    @property
    def name(self) -> str:
        return "+".join(sorted({name for _, name in self._identities}))

    def complete(self, request: Request) -> Answer:
        return self.ask(request).answer

    def ask(self, request: Request) -> Recorded:
        """The recorded answer.

        Raises:
            NotRecorded: there is none.
        """
        for adapter, name in self._identities:
            key = call_key(adapter, name, request)
            entry = self._entries.get(key)
            if entry is not None:
                return Recorded(entry.answer, key, True, adapter, name)
        raise self._not_recorded(request)

    def _not_recorded(self, request: Request) -> NotRecorded:
        entries = list(self._entries.values())
        entry = entries[nearest(request, [candidate.request for candidate in entries])]
        lines = "".join(f"\n  - {line}" for line in differences(entry.request, request))
        return NotRecorded(
            f"no answer is recorded for this request ({request.purpose}, attempt {request.attempt}); "
            f"the nearest recorded one is {entry.key}.json, and differs in{lines}",
            where=f"replay:{self._directory}",
            hint="replay with the inputs of the recording, or record again with a model that can be asked",
        )

    def _no_recording(self, message: str) -> WorkorderError:
        return WorkorderError(
            message,
            where=f"replay:{self._directory}",
            hint="name the directory of a ledger, which holds files such as 3f….json",
        )

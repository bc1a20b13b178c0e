"""What an agent did, as the text of its answer, which the ledger remembers. Pure."""

from typing import Final

from pydantic import BaseModel, ConfigDict

from factory.contract.canonical import dump, readable_json
from factory.contract.proposal import Write
from factory.contract.strict_json import read_json

# Files, transcript and diff are bounded each; JSON may write a character with six bytes.
_MAX_BYTES: Final = 20_000_000


class Record(BaseModel):
    """The base of these documents."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Refused(Record):
    """A change that can't be part of a proposal.

    Attributes:
        path: where; fit to be shown.
        why: what is wrong with it, as what is said of the path.
        hint: what to do instead.
    """

    path: str
    why: str
    hint: str


class Reached(Record):
    """What came of asking for one host, see `proxy.Contact`."""

    target: str
    refused: str = ""
    times: int
    sent: int
    received: int


class AgentAnswer(Record):
    """What an agent did.

    Attributes:
        summary: its own last words.
        writes: the allowed files that it changed, whole.
        refused: its other changes, sorted.
        diff: those as far as they can be shown, shortened.
        transcript: what it printed, shortened in its middle.
        network: what it asked for of the network; empty where no proxy was between.
    """

    summary: str
    writes: tuple[Write, ...]
    refused: tuple[Refused, ...] = ()
    diff: str = ""
    transcript: str = ""
    network: tuple[Reached, ...] = ()

    def text(self) -> str:
        """The text of the answer."""
        return readable_json(dump(self)).decode("utf-8")

    @property
    def record(self) -> "AgentRecord":
        """What of it is recorded where the rest has files of its own."""
        return AgentRecord(summary=self.summary, refused=self.refused, network=self.network)

    @classmethod
    def of(cls, text: str) -> "AgentAnswer":
        """The answer that a text holds.

        Raises:
            BadJson, pydantic.ValidationError: it is none, which only a changed ledger makes possible.
        """
        return cls.model_validate(read_json(text.encode("utf-8"), "the agent's answer", max_bytes=_MAX_BYTES))


class AgentRecord(Record):
    """`agent.json`: an agent's last words, what it changed in vain, and what it asked for of the network."""

    summary: str
    refused: tuple[Refused, ...] = ()
    network: tuple[Reached, ...] = ()

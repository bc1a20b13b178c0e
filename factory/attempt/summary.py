"""What is remembered of one attempt: what the model said of it, why it failed, what its answer used. Pure."""

from pydantic import BaseModel, ConfigDict

from factory.attempt.failure import Failure
from factory.llm.port import Usage


class AttemptSummary(BaseModel):
    """One attempt, as the graph's state and `run_summary.json` hold it.

    Attributes:
        attempt: its number, from 1.
        passed: whether its gates passed, those of the landing included.
        summary: what the model said of its proposal; None if there was none.
        failure: why it failed; None if it did not.
        answer: the ledger's name of its answer; None without one.
        usage: the tokens of the answer.
        cost_usd: what the answer cost; None if no price is known.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    attempt: int
    passed: bool
    summary: str | None = None
    failure: Failure | None = None
    answer: str | None = None
    usage: Usage | None = None
    cost_usd: float | None = None

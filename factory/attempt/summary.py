"""What is remembered of one attempt: what the model said of it, why it failed, what its answer used. Pure."""

from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from factory.attempt.failure import Failure
from factory.llm.port import Usage
from factory.system.terminal.console import visible

_NAMED: Final = 3
"""How many files a clause names."""


class KillScores(BaseModel):
    """How many changes of the written lines were noticed, by the acceptance commands and by the verification.

    Attributes:
        tried: how many there were; at least one, or something could not be changed.
        acceptance: how many the acceptance commands noticed.
        verification: how many the verification noticed.
        unchanged: the written sources in languages without mutants, whose lines nobody changed.
        executed: of how many the checks come to the changed line; None if that was not looked at.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    tried: int
    acceptance: int
    verification: int
    unchanged: tuple[str, ...] = Field(default=(), exclude_if=lambda value: not value)
    executed: int | None = Field(default=None, exclude_if=lambda value: value is None)

    @property
    def description(self) -> str:
        """Both scores, and what has none; a clause."""
        changes = f"{self.tried} change{'s' if self.tried != 1 else ''}"
        noticed = f"acceptance notices {self.acceptance} of {changes}, verification {self.verification}"
        return "; ".join([*([noticed] if self.tried else []), *([self.gap] if self.unchanged else [])])

    @property
    def counts(self) -> str:
        """Both scores as the trailer of a commit has them."""
        return (
            f"acceptance {self.acceptance} of {self.tried}, verification {self.verification} of {self.tried}"
        )

    @property
    def gap(self) -> str:
        """What was not measured, a clause; empty if all was."""
        named = ", ".join(visible(path) for path in self.unchanged[:_NAMED])
        more = f" and {len(self.unchanged) - _NAMED} more" if len(self.unchanged) > _NAMED else ""
        return f"there are no mutants of {named}{more}" if self.unchanged else ""

    @property
    def weakness(self) -> str:
        """What is wrong with acceptance by itself, a clause; empty if nothing is known to be."""
        if self.acceptance or not self.verification:
            return ""
        return (
            "weak acceptance: only the verification notices changes of what was written,"
            " the acceptance commands notice none"
        )

    @property
    def silence(self) -> str:
        """That changes were tried and nothing noticed one, a clause; empty if something did."""
        if not self.tried or self.acceptance or self.verification:
            return ""
        every = f"any of the {self.tried} changes" if self.tried != 1 else "the one change"
        begin = f"not proven: neither acceptance nor verification notices {every} of what was written"
        if self.executed is None:
            return begin
        reached = f"they execute {self.executed} of the changed lines" if self.executed else ""
        return f"{begin}, and {reached or 'they execute none of the changed lines'}"

    @property
    def shortcoming(self) -> str:
        """What a person should know of the scores, a clause; empty if there is nothing."""
        return self.weakness or self.silence


class AttemptSummary(BaseModel):
    """One attempt, as the graph's state and `run_summary.json` hold it.

    Attributes:
        attempt: its number, from 1.
        passed: whether its gates passed, those of the landing included.
        summary: what the model said of its proposal; None if there was none.
        remarks: what the model wants a person or the planner to know.
        failure: why it failed; None if it did not.
        answer: the ledger's name of its answer; None without one.
        model: who gave it, by the adapter's name and its own; empty without one.
        usage: the tokens of the answer.
        cost_usd: what the answer cost; None if no price is known.
        scores: how many mutants were noticed; None if none were tried.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    attempt: int
    passed: bool
    summary: str | None = None
    remarks: tuple[str, ...] = Field(default=(), exclude_if=lambda value: not value)
    failure: Failure | None = None
    answer: str | None = None
    model: str = Field(default="", exclude_if=lambda value: not value)
    usage: Usage | None = None
    cost_usd: float | None = None
    scores: KillScores | None = Field(default=None, exclude_if=lambda value: value is None)

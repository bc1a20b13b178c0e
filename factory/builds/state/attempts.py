"""What was tried for a work order, and what that used, as `state.json` holds it. Pure."""

from collections.abc import Iterable
from typing import Final

from pydantic import BaseModel, ConfigDict, Field

from factory.attempt.failure import Failure, FailureClass, Stage
from factory.attempt.summary import AttemptSummary, KillScores
from factory.llm.port import Usage
from factory.llm.spending.prices import Prices
from factory.system.terminal.console import visible

RETIRED: Final = ".retired-"
"""What the name of a run holds whose answers were set aside, so that the model is asked anew."""

_EXCERPT_CHARS: Final = 500


class Record(BaseModel):
    """A part of `state.json`."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class LastFailure(Record):
    """Why the latest failed attempt of a work order failed.

    Attributes:
        stage: where.
        failure_class: who must act.
        message: what was wrong.
        excerpt: the end of what the command printed, if a command failed.
    """

    stage: Stage
    failure_class: FailureClass
    message: str
    excerpt: str = ""

    @classmethod
    def of(cls, failure: Failure) -> "LastFailure":
        """The short form of a failure."""
        return cls(
            stage=failure.stage,
            failure_class=failure.failure_class,
            # Names of files may hold bytes that no text can.
            message=visible(failure.headline),
            excerpt=failure.excerpt[-_EXCERPT_CHARS:],
        )


class AttemptRecord(Record):
    """One attempt.

    Attributes:
        attempt: its number, from 1.
        passed: whether its gates passed, those of the landing included.
        stage: where it failed; None if it has not, or if it has not ended.
        answer: the ledger's name of its answer; None without one.
        model: who gave it, by the adapter's name and its own; empty if that is not known.
        input_tokens: of its answer, the cached ones included; 0 without an answer.
        output_tokens: of its answer.
        cached_tokens: the part of `input_tokens` that the provider had cached.
        cache_write_tokens: the part of `input_tokens` that it cached for later calls.
        cost_usd: what the answer cost; None if no price is known.
        scores: how many mutants were noticed; None if none were tried.
    """

    attempt: int
    passed: bool
    stage: Stage | None = None
    answer: str | None = None
    model: str = Field(default="", exclude_if=lambda value: not value)
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = Field(default=0, exclude_if=lambda value: not value)
    cache_write_tokens: int = Field(default=0, exclude_if=lambda value: not value)
    cost_usd: float | None = None
    scores: KillScores | None = Field(default=None, exclude_if=lambda value: value is None)

    @classmethod
    def of(cls, summary: AttemptSummary) -> "AttemptRecord":
        """The short form of an attempt's summary."""
        return cls(
            attempt=summary.attempt,
            passed=summary.passed,
            stage=summary.failure.stage if summary.failure else None,
            answer=summary.answer,
            model=summary.model,
            cost_usd=summary.cost_usd,
            scores=summary.scores,
        ).using(summary.usage)

    def using(self, usage: Usage | None) -> "AttemptRecord":
        """With the tokens of its answer; None for no answer."""
        if usage is None:
            return self
        names = ("input_tokens", "output_tokens", "cached_tokens", "cache_write_tokens")
        return self.model_copy(update={name: getattr(usage, name) for name in names})

    @property
    def ended(self) -> bool:
        """Whether it passed or failed: it is not under way, and was not cut off."""
        return self.passed or self.stage is not None

    def priced(self, prices: Prices) -> "AttemptRecord":
        """With what its answer cost at those prices."""
        price = prices.of(self.model)
        used = Usage(
            input_tokens=self.input_tokens,
            cached_tokens=self.cached_tokens,
            cache_write_tokens=self.cache_write_tokens,
            output_tokens=self.output_tokens,
        )
        cost = None if price is None or self.answer is None else float(round(price.of(used), 6))
        return self.model_copy(update={"cost_usd": cost})


def unpriced(attempts: Iterable[AttemptRecord]) -> int:
    """How many answers have no known price; one that several attempts took from the ledger counts once."""
    without = [attempt for attempt in attempts if attempt.cost_usd is None and attempt.output_tokens > 0]
    return len({attempt.answer or number for number, attempt in enumerate(without)})


class RunEntry(Record):
    """The attempts of one run folder: one work order on one baseline."""

    run_id: str
    attempts: tuple[AttemptRecord, ...]


class Spending(Record):
    """Tokens and money.

    Attributes:
        input_tokens: of all answers.
        output_tokens: of all answers.
        cached_tokens: the part of `input_tokens` that providers had cached.
        cost_usd: of all answers whose price is known, in US dollars; None if there is none.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = Field(default=0, exclude_if=lambda value: not value)
    cost_usd: float | None = None

    @classmethod
    def on(cls, attempts: Iterable[AttemptRecord]) -> "Spending":
        """What these attempts used; an answer that several took from the ledger was paid once."""
        distinct = {attempt.answer or number: attempt for number, attempt in enumerate(attempts)}.values()
        costs = [attempt.cost_usd for attempt in distinct if attempt.cost_usd is not None]
        return cls(
            input_tokens=sum(attempt.input_tokens for attempt in distinct),
            output_tokens=sum(attempt.output_tokens for attempt in distinct),
            cached_tokens=sum(attempt.cached_tokens for attempt in distinct),
            cost_usd=round(sum(costs), 6) if costs else None,
        )

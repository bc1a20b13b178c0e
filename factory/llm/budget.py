"""Stops before a limit is passed: the worst case of a call is set aside before it is made, or it is not made.

What was spent is what the ledger holds, also what was retired. So it survives restarts, counts answers that
came to nothing, and covers everything that shares the ledger, such as the work orders of one plan.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from factory.contract.canonical import canonical_json
from factory.contract.errors import WorkorderError
from factory.llm.ledger import Ledger, Recorded, RecordedModel, call_key
from factory.llm.port import Answer, Request, Usage, total
from factory.llm.prices import Price, known_price
from factory.llm.replay import ReplayModel
from factory.system.stop import Stop

_FRAME_TOKENS: Final = 64
"""What a provider adds around one message, generously."""

_LOOK_SECONDS: Final = 0.2
"""How long a call that waits for others to settle goes without looking whether it shall stop."""


class BudgetReached(WorkorderError):
    """A call that could pass a limit was not made."""


@dataclass(frozen=True)
class Limits:
    """What the user is ready to spend.

    Attributes:
        usd: the most that all calls of the ledger may cost, in US dollars; None for no limit.
        tokens: the most tokens they may use, in and out together; None for no limit.
        price: what the user says that the model costs; None to look it up.
    """

    usd: Decimal | None = None
    tokens: int | None = None
    price: Price | None = None


class Budget:
    """The limits, shared by all threads that ask.

    A call that fits only once others have settled waits for them: their worst case is set aside meanwhile.

    Args:
        limits: what may be spent.
        ledger: what counts as spent.
    """

    def __init__(self, limits: Limits, ledger: Ledger) -> None:
        self._limits = limits
        self._ledger = ledger
        self._settled = threading.Condition()
        self._used: dict[tuple[str, int], Usage] = {}
        self._open: list[Usage] = []

    def guarded(
        self, model: RecordedModel, stop: Stop | None = None, configured: Price | None = None
    ) -> RecordedModel:
        """`model`, asked only within the limits; as it is if there are none, or if it costs nothing.

        Args:
            model: who is asked.
            stop: ends the waiting for other calls.
            configured: what the repository says that the model costs, if the user says nothing.

        Raises:
            WorkorderError: there is a limit in money, and the model's price is not known.
        """
        if (self._limits.usd is None and self._limits.tokens is None) or isinstance(model, ReplayModel):
            return model
        price = None
        if self._limits.usd is not None:
            price = self._limits.price or configured or known_price(model)
            if price is None:
                raise WorkorderError(
                    f"the price of {model.adapter}:{model.name} is not known,"
                    " so no limit in money can be kept",
                    where="--max-cost-usd",
                    hint="limit tokens with --max-tokens, or give the price with --price INPUT,OUTPUT"
                    " or in workorder.toml",
                )
        return _GuardedModel(model, self._ledger, self, price, stop)

    @contextmanager
    def reserved(self, worst: Usage, price: Price | None, stop: Stop | None) -> Iterator[None]:
        """Set `worst` aside within the block, in which the call is made and its answer stored.

        Raises:
            BudgetReached: it does not fit into what is left, and no open call could make room.
            Stopped: `stop` asked for it meanwhile.
        """
        with self._settled:
            while (problem := self._problem(worst, price)) is not None:
                if not self._open:
                    raise problem
                self._settled.wait(_LOOK_SECONDS)
                if stop is not None:
                    stop.heed()
            self._open.append(worst)
        try:
            yield
        finally:
            with self._settled:
                self._open.remove(worst)
                self._settled.notify_all()

    def _problem(self, worst: Usage, price: Price | None) -> BudgetReached | None:
        spent = total((self._spent(), *self._open))
        if self._limits.tokens is not None:
            used, more = _tokens(spent), _tokens(worst)
            if used + more > self._limits.tokens:
                return BudgetReached(
                    f"the next call could use {more:,} tokens; {used:,} of {self._limits.tokens:,} are used",
                    where="--max-tokens",
                    hint=_HINT,
                )
        if self._limits.usd is not None and price is not None:
            paid, cost = price.of(spent), price.of(worst)
            if paid + cost > self._limits.usd:
                return BudgetReached(
                    f"the next call could cost ${cost:.4f}; ${paid:.4f} of ${self._limits.usd} are spent",
                    where="--max-cost-usd",
                    hint=_HINT,
                )
        return None

    def _spent(self) -> Usage:
        """What the ledger holds, retired answers included; an answer never changes, so each is read once."""
        for name in self._ledger.paid():
            if name not in self._used:
                entry = self._ledger.find_paid(*name)
                if entry is not None:
                    self._used[name] = entry.answer.usage
        return total(self._used.values())


def worst_case(request: Request) -> Usage:
    """The most tokens that a call can use.

    No token of a byte-level encoder is shorter than a byte, so the bytes of the prompt and of the schema
    bound its tokens from above.
    """
    schema = len(canonical_json(request.answer_schema)) if request.answer_schema is not None else 0
    prompt = sum(len(message.content.encode("utf-8")) + _FRAME_TOKENS for message in request.messages)
    return Usage(input_tokens=prompt + schema, output_tokens=request.parameters.max_output_tokens)


@dataclass(frozen=True)
class _GuardedModel:
    model: RecordedModel
    ledger: Ledger
    budget: Budget
    price: Price | None
    stop: Stop | None

    @property
    def adapter(self) -> str:
        return self.model.adapter

    @property
    def name(self) -> str:
        return self.model.name

    def complete(self, request: Request) -> Answer:
        return self.ask(request).answer

    def ask(self, request: Request) -> Recorded:
        if self.ledger.find(call_key(self.adapter, self.name, request)) is not None:
            return self.model.ask(request)
        with self.budget.reserved(worst_case(request), self.price, self.stop):
            return self.model.ask(request)


_HINT: Final = "run again with a higher limit: stored answers are not paid again"


def _tokens(usage: Usage) -> int:
    return usage.input_tokens + usage.output_tokens

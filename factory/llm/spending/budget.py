"""Stops before a limit is passed: the worst case of a call is set aside before it is made, or it is not made.

What was spent is what the ledger holds, also what was retired. So it survives restarts, counts answers that
came to nothing, and covers everything that shares the ledger, such as the work orders of one plan. A call
whose answer nobody knows, because it is open or was broken off, counts with its worst case.
"""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from factory.contract.errors import Fault, WorkorderError
from factory.llm.ledger.pending import BROKEN_OFF
from factory.llm.ledger.store import Ledger, Permit
from factory.llm.port import Model, Request, Usage, identity, total, worst_case
from factory.llm.spending.prices import Price, Prices, known_price
from factory.system.process.stop import Stop

_LOOK_SECONDS: Final = 0.2
"""How long a call that waits for others to settle goes without looking whether it shall stop."""


AGENTS: Final = frozenset({"agent", "acp"})
"""The adapters whose answers may say what they cost."""


class BudgetReached(WorkorderError):
    """A call that could pass a limit was not made."""

    fault = Fault.BUDGET


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

    A call that fits only once others of this process have settled waits for them.

    Args:
        limits: what may be spent.
        ledger: what counts as spent.
    """

    def __init__(self, limits: Limits, ledger: Ledger) -> None:
        self._limits = limits
        self._ledger = ledger
        self._settled = threading.Condition()
        self._used: dict[tuple[str, int], tuple[str, Usage]] = {}
        self._prices: dict[str, Price] = {}
        self._open: list[str] = []
        self._waiting: list[str] = []

    def permit(
        self,
        model: Model,
        stop: Stop | None = None,
        configured: Price | None = None,
        otherwise: Price | None = None,
    ) -> Permit | None:
        """What lets the calls of a model through; None if there are no limits.

        A call is reserved in the ledger before it is asked for here: so of two processes that start one at
        the same time, at least one sees the other's.

        Args:
            model: who is asked.
            stop: ends the waiting for other calls.
            configured: what the repository says that the model costs, if the user says nothing.
            otherwise: what it costs if nobody knows.

        Raises:
            WorkorderError: there is a limit in money, and the model's price is not known. An agent may say
                itself what it cost: then it counts with that, and the call after one that did not is refused.
        """
        if self._limits.usd is None and self._limits.tokens is None:
            return None
        price = None
        if self._limits.usd is not None:
            price = self._limits.price or configured or known_price(model) or otherwise
            if price is None and model.adapter not in AGENTS:
                raise WorkorderError(
                    f"the price of {model.adapter}:{model.name} is not known,"
                    " so no limit in money can be kept",
                    where="--max-cost-usd",
                    hint="limit tokens with --max-tokens, or give the price with --price INPUT,OUTPUT"
                    " or in workorder.toml",
                )
            if price is not None:
                self._prices[identity(model)] = price

        @contextmanager
        def permitted(key: str, request: Request) -> Iterator[None]:
            with self._settled:
                try:
                    self._wait_for_room(key, worst_case(request), price, stop)
                except BaseException:
                    self._ledger.release(key)
                    raise
                self._open.append(key)
            try:
                yield
            finally:
                with self._settled:
                    self._open.remove(key)
                    self._settled.notify_all()

        return permitted

    def _wait_for_room(self, key: str, worst: Usage, price: Price | None, stop: Stop | None) -> None:
        """Come back as soon as the call fits.

        Raises:
            BudgetReached: it does not fit, and no open call could make room.
            Stopped: `stop` asked for it meanwhile.
        """
        while (problem := self._problem(key, worst, price)) is not None:
            if not self._open:
                raise problem
            self._waiting.append(key)
            try:
                self._settled.wait(_LOOK_SECONDS)
            finally:
                self._waiting.remove(key)
            if stop is not None:
                stop.heed()

    def _problem(self, key: str, worst: Usage, price: Price | None) -> BudgetReached | None:
        answers, unknown = self._answers(), self._unknown(key)
        if self._limits.tokens is not None:
            spent = total(usage for _, usage in answers)
            used, held, more = (_tokens(usage) for usage in (spent, total(unknown), worst))
            if used + held + more > self._limits.tokens:
                return BudgetReached(
                    f"the next call could use {more:,} tokens; {used:,} of {self._limits.tokens:,} are used"
                    + (f", and up to {held:,} by {_calls(len(unknown))}" if unknown else ""),
                    where="--max-tokens",
                    hint=self._hint(unknown),
                )
        if self._limits.usd is not None and price is None:
            return self._unpriced([usage for _, usage in answers], len(unknown))
        if self._limits.usd is not None and price is not None:
            # Of an answer by a model that is not asked now, the price of the one that is.
            paid = sum((self._prices.get(model, price).of(usage) for model, usage in answers), Decimal(0))
            dearest = Prices(by_model=self._prices).dearest or price
            set_aside, cost = dearest.of(total(unknown)), price.of(worst)
            if paid + set_aside + cost > self._limits.usd:
                return BudgetReached(
                    f"the next call could cost ${cost:.4f}; ${paid:.4f} of ${self._limits.usd} are spent"
                    + (f", and up to ${set_aside:.4f} by {_calls(len(unknown))}" if unknown else ""),
                    where="--max-cost-usd",
                    hint=self._hint(unknown),
                )
        return None

    def _unpriced(self, answers: Sequence[Usage], unanswered: int) -> BudgetReached | None:
        """Why an agent is not started whose price nobody knows: by what those before say that they cost."""
        assert self._limits.usd is not None
        costs = [usage.cost_usd for usage in answers]
        unsaid = costs.count(None) + unanswered
        if unsaid:
            return BudgetReached(
                f"nobody knows what {_calls(unsaid, 'that told no price')} cost, so the limit may be passed",
                where="--max-cost-usd",
                hint="give the price with --price INPUT,OUTPUT, or leave the limit out",
            )
        paid = sum((Decimal(str(cost)) for cost in costs), Decimal(0))
        if paid < self._limits.usd:
            return None
        return BudgetReached(
            f"${paid:.4f} of ${self._limits.usd} are spent", where="--max-cost-usd", hint=_HINT
        )

    def _unknown(self, key: str) -> list[Usage]:
        """What calls may have used or may use whose answers nobody knows, but for that of `key`."""
        # Who waits here has not been let through.
        left_out = {key, *self._waiting}
        unanswered = self._ledger.unanswered().items()
        return [
            *(usage for name, usage in unanswered if name not in left_out),
            *self._ledger.broken_off(),
        ]

    def _hint(self, unknown: Sequence[Usage]) -> str:
        if not unknown:
            return _HINT
        return (
            f"{_HINT}; if the provider's bill does not have the calls without an answer, delete their"
            f" `*.pending.json` and `{BROKEN_OFF}` in {self._ledger.directory}"
        )

    def _answers(self) -> list[tuple[str, Usage]]:
        """Who answered and what that used, as the ledger holds it, retired answers included.

        An answer never changes, so each is read once.
        """
        for name in self._ledger.paid():
            if name not in self._used:
                entry = self._ledger.find_paid(*name)
                if entry is not None:
                    self._used[name] = (f"{entry.adapter}:{entry.model}", entry.answer.usage)
        return list(self._used.values())


_HINT: Final = "run again with a higher limit: stored answers are not paid again"


def _calls(count: int, which: str = "without an answer") -> str:
    return f"a call {which}" if count == 1 else f"{count} calls {which}"


def _tokens(usage: Usage) -> int:
    return usage.input_tokens + usage.output_tokens

"""Stops before a limit is passed: the worst case of a call must fit into what is left, or it is not made.

What was spent is what the ledger holds. So it survives restarts, counts answers that came to nothing, and
covers everything that shares the ledger, such as the work orders of one plan.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from factory.contract.canonical import canonical_json
from factory.contract.errors import WorkorderError
from factory.llm.ledger import Ledger, Recorded, RecordedModel, call_key
from factory.llm.port import Answer, Request, Usage, total
from factory.llm.prices import Price, known_price
from factory.llm.replay import ReplayModel

_FRAME_TOKENS: Final = 64
"""What a provider adds around one message, generously."""


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


def within(limits: Limits, model: RecordedModel, ledger: Ledger) -> RecordedModel:
    """`model`, asked only within the limits; as it is if there are none, or if it costs nothing.

    Raises:
        WorkorderError: there is a limit in money, and the model's price is not known.
    """
    if (limits.usd is None and limits.tokens is None) or isinstance(model, ReplayModel):
        return model
    price = None
    if limits.usd is not None:
        price = limits.price or known_price(model)
        if price is None:
            raise WorkorderError(
                f"the price of {model.adapter}:{model.name} is not known, so no limit in money can be kept",
                where="--max-cost-usd",
                hint="limit tokens with --max-tokens, or give the price with --price INPUT,OUTPUT",
            )
    return _LimitedModel(model, ledger, limits, price)


def worst_case(request: Request) -> Usage:
    """The most tokens that a call can use.

    No token of a byte-level encoder is shorter than a byte, so the bytes of the prompt and of the schema
    bound its tokens from above.
    """
    schema = len(canonical_json(request.answer_schema)) if request.answer_schema is not None else 0
    prompt = sum(len(message.content.encode("utf-8")) + _FRAME_TOKENS for message in request.messages)
    return Usage(input_tokens=prompt + schema, output_tokens=request.parameters.max_output_tokens)


@dataclass(frozen=True)
class _LimitedModel:
    model: RecordedModel
    ledger: Ledger
    limits: Limits
    price: Price | None

    @property
    def adapter(self) -> str:
        return self.model.adapter

    @property
    def name(self) -> str:
        return self.model.name

    def complete(self, request: Request) -> Answer:
        return self.ask(request).answer

    def ask(self, request: Request) -> Recorded:
        if self.ledger.find(call_key(self.adapter, self.name, request)) is None:
            spent = total(entry.answer.usage for entry in self.ledger.entries())
            self._require_room(spent, worst_case(request))
        return self.model.ask(request)

    def _require_room(self, spent: Usage, worst: Usage) -> None:
        if self.limits.tokens is not None:
            used, more = _tokens(spent), _tokens(worst)
            if used + more > self.limits.tokens:
                raise BudgetReached(
                    f"the next call could use {more:,} tokens; {used:,} of {self.limits.tokens:,} are used",
                    where="--max-tokens",
                    hint=_HINT,
                )
        if self.limits.usd is not None and self.price is not None:
            paid, cost = self.price.of(spent), self.price.of(worst)
            if paid + cost > self.limits.usd:
                raise BudgetReached(
                    f"the next call could cost ${cost:.4f}; ${paid:.4f} of ${self.limits.usd} are spent",
                    where="--max-cost-usd",
                    hint=_HINT,
                )


_HINT: Final = "run again with a higher limit: stored answers are not paid again"


def _tokens(usage: Usage) -> int:
    return usage.input_tokens + usage.output_tokens

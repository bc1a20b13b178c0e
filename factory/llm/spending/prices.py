"""What a model costs. Prices come from the `genai-prices` package, whose data travels with it."""

from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final

from factory.llm.port import Model, Usage

# The newest price that is known, whatever the day: a decision must not depend on the clock.
_NEWEST: Final = datetime(9999, 1, 1, tzinfo=UTC)
_MILLION: Final = 1_000_000
_PROVIDERS: Final = {"openai_chat": "openai", "openai_responses": "openai"}


@dataclass(frozen=True)
class Price:
    """US dollars for a million tokens."""

    input_tokens: Decimal
    output_tokens: Decimal

    def of(self, usage: Usage) -> Decimal:
        """The price of a call, in US dollars; never less than it is: cached tokens count in full."""
        return (self.input_tokens * usage.input_tokens + self.output_tokens * usage.output_tokens) / _MILLION


def cost_usd(model: Model, usage: Usage, price: Price | None) -> float | None:
    """What calls cost in US dollars, rounded to a millionth; None if no price is known.

    Args:
        model: who was asked.
        usage: the tokens of the calls.
        price: what the user says that the model costs; None to look it up.
    """
    known = price or known_price(model)
    return None if known is None else float(round(known.of(usage), 6))


def known_price(model: Model) -> Price | None:
    """The price of a hosted model, or None if nobody knows it, as of a local program."""
    provider = _PROVIDERS.get(model.adapter)
    if provider is None:
        return None
    # Here and not above: it takes a fifth of a second, and most commands set no limit in money.
    from genai_prices import Usage as Priced
    from genai_prices import calc_price

    try:
        quote = calc_price(
            Priced(input_tokens=_MILLION, output_tokens=_MILLION),
            model.name,
            provider_id=provider,
            genai_request_timestamp=_NEWEST,
        )
    except LookupError:
        return None
    return Price(quote.input_price, quote.output_price)

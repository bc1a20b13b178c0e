"""What a model costs. Prices come from the `genai-prices` package, whose data travels with it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final

from factory.llm.port import Model, Usage

# The newest price that is known, whatever the day: a decision must not depend on the clock.
# At noon no provider has a discount for the night.
_NEWEST: Final = datetime(9999, 1, 1, 12, tzinfo=UTC)
_MILLION: Final = 1_000_000
_PROVIDERS: Final = {
    "anthropic": "anthropic",
    "deepseek": "deepseek",
    "gemini": "google",
    "groq": "groq",
    "mistral": "mistral",
    "openai_chat": "openai",
    "openai_responses": "openai",
    "openrouter": "openrouter",
    "together": "together",
    "xai": "x-ai",
}
# What providers ask for that charge for writing to a cache.
_WRITE_FACTOR: Final = Decimal("1.25")


@dataclass(frozen=True)
class Price:
    """US dollars for a million tokens.

    Attributes:
        input_tokens: of the prompt.
        output_tokens: of the answer.
        cached_tokens: of the part of the prompt that was cached; None for that of the prompt.
        cache_write_tokens: of the part that was put into a cache; None for a quarter more than the prompt's.
    """

    input_tokens: Decimal
    output_tokens: Decimal
    cached_tokens: Decimal | None = None
    cache_write_tokens: Decimal | None = None

    def of(self, usage: Usage) -> Decimal:
        """The price of a call, in US dollars; never less than it is, as far as the prices are known.

        What who answered says that it cost goes before.
        """
        if usage.cost_usd is not None:
            return Decimal(str(usage.cost_usd))
        cached = self.input_tokens if self.cached_tokens is None else self.cached_tokens
        written = self.cache_write_tokens
        if written is None:
            written = self.input_tokens * _WRITE_FACTOR
        plain = usage.input_tokens - usage.cached_tokens - usage.cache_write_tokens
        spent = self.input_tokens * plain + cached * usage.cached_tokens
        return (
            spent + written * usage.cache_write_tokens + self.output_tokens * usage.output_tokens
        ) / _MILLION


@dataclass(frozen=True)
class Prices:
    """What the models cost that are asked.

    Attributes:
        common: of one that has no price of its own; None if it is not known.
        by_model: by their names with their adapters', as `port.identity` writes them.
    """

    common: Price | None = None
    by_model: Mapping[str, Price] = field(default_factory=dict)

    def of(self, model: str) -> Price | None:
        """The price of a model, None if it is not known."""
        return self.by_model.get(model, self.common)

    @property
    def dearest(self) -> Price | None:
        """One that no price exceeds: for calls of which nobody knows who was asked."""
        known = [*self.by_model.values(), *([self.common] if self.common else [])]
        if not known:
            return None
        return Price(max(price.input_tokens for price in known), max(price.output_tokens for price in known))


def cost_usd(model: Model, usage: Usage, price: Price | None) -> float | None:
    """What calls cost in US dollars, rounded to a millionth; None if no price is known.

    Args:
        model: who was asked.
        usage: the tokens of the calls.
        price: what the user says that the model costs; None to look it up.
    """
    if usage.cost_usd is not None:
        return usage.cost_usd
    known = price or known_price(model)
    return None if known is None else float(round(known.of(usage), 6))


def known_price(model: Model) -> Price | None:
    """The price of a hosted model, or None if nobody knows it, as of a local program."""
    return price_of(model.adapter, model.name)


def price_of(adapter: str, name: str) -> Price | None:
    """Likewise of a model that nobody is about to ask, by its adapter's name and its own."""
    provider = _PROVIDERS.get(adapter)
    if provider is None:
        return None
    # Here and not above: it takes a fifth of a second, and most commands set no limit in money.
    from genai_prices import Usage as Priced
    from genai_prices import calc_price

    def price(**tokens: int) -> tuple[Decimal, Decimal]:
        quote = calc_price(Priced(**tokens), name, provider_id=provider, genai_request_timestamp=_NEWEST)
        return quote.input_price, quote.output_price

    try:
        prompt, answer = price(input_tokens=_MILLION, output_tokens=_MILLION)
        cached, _ = price(input_tokens=_MILLION, cache_read_tokens=_MILLION, output_tokens=0)
        written, _ = price(input_tokens=_MILLION, cache_write_tokens=_MILLION, output_tokens=0)
    except LookupError:
        return None
    return Price(prompt, answer, cached, written)

"""Adds up what the answers of one run used, whether they were asked now or remembered."""

from dataclasses import dataclass, field

from factory.llm.ladder import prices_of
from factory.llm.ledger.store import Recorded, recorded
from factory.llm.port import Answer, Model, Request, Usage, Wrapper, total
from factory.llm.spending.prices import Price


@dataclass
class Meter:
    """The tokens and the number of the answers so far, by the models that gave them."""

    used: dict[str, Usage] = field(default_factory=dict)
    calls: int = 0
    model: Model | None = None

    def wrap(self, model: Model) -> Model:
        """`model`, its answers counted here."""
        self.model = model
        return _Metered(model, self)

    @property
    def usage(self) -> Usage:
        """The tokens of all answers."""
        return total(self.used.values())

    def cost_usd(self, price: Price | None) -> float | None:
        """What the answers cost in US dollars; None if there were some, and no price of theirs is known."""
        if not self.calls:
            return 0.0
        costs = [self.cost_of(usage, model, price) for model, usage in self.used.items()]
        known = [cost for cost in costs if cost is not None]
        return round(sum(known), 6) if known else None

    def cost_of(self, usage: Usage | None, model: str, price: Price | None) -> float | None:
        """What one model's answers cost in US dollars; None if there were none, or no price is known."""
        if self.model is None or usage is None:
            return None
        if usage.cost_usd is not None:
            return usage.cost_usd
        known = prices_of(self.model, price).of(model)
        return None if known is None else float(round(known.of(usage), 6))

    def add(self, model: str, usage: Usage) -> None:
        """Count one answer."""
        self.calls += 1
        self.used[model] = total((*([self.used[model]] if model in self.used else []), usage))


@dataclass(frozen=True)
class _Metered(Wrapper):
    meter: Meter

    def complete(self, request: Request) -> Answer:
        return self.ask(request).answer

    def ask(self, request: Request) -> Recorded:
        answered = recorded(self.model, request)
        self.meter.add(answered.identity, answered.answer.usage)
        return answered

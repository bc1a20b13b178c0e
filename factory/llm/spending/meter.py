"""Adds up what the answers of one run used, whether they were asked now or remembered."""

from dataclasses import dataclass, field

from factory.llm.port import Answer, Model, Request, Usage, Wrapper, total
from factory.llm.spending.prices import Price, cost_usd


@dataclass
class Meter:
    """The tokens and the number of the answers so far."""

    usage: Usage = field(default_factory=lambda: total(()))
    calls: int = 0
    model: Model | None = None

    def wrap(self, model: Model) -> Model:
        """`model`, its answers counted here."""
        self.model = model
        return _Metered(model, self)

    def cost_usd(self, price: Price | None) -> float | None:
        """What the answers cost in US dollars; None if there were some, and no price is known."""
        if not self.calls:
            return 0.0
        return None if self.model is None else cost_usd(self.model, self.usage, price)

    def cost_of(self, usage: Usage | None, price: Price | None) -> float | None:
        """What one answer cost in US dollars; None if there was none, or no price is known."""
        return None if self.model is None or usage is None else cost_usd(self.model, usage, price)

    def add(self, usage: Usage) -> None:
        """Count one answer."""
        self.calls += 1
        self.usage = total((self.usage, usage))


@dataclass(frozen=True)
class _Metered(Wrapper):
    meter: Meter

    def complete(self, request: Request) -> Answer:
        answer = self.model.complete(request)
        self.meter.add(answer.usage)
        return answer

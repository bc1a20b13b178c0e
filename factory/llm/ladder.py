"""Several models, a cheap one first, or another one where a person says so: who is asked in which attempt.

Who is asked follows from the request and the work order alone, so a run that is resumed or replayed asks the
same. Not here: what a model defect is, and how many attempts there are.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

from factory.contract.work_order import Difficulty
from factory.llm.ledger.store import Ledger, Recorded, RecordedModel, call_key, recorded
from factory.llm.port import Answer, Model, ProviderError, Request, Wrapper, identity
from factory.llm.spending.prices import Price, Prices, known_price

_RANKS: Mapping[Difficulty, int] = {"easy": 0, "medium": 1, "hard": 2}


@dataclass(frozen=True)
class Ladder:
    """Models, the cheapest first: the first attempt is the first one's, each further one the next one's.

    Attributes:
        members: the models; at least two.
        ledger: where all of them are remembered.
        falls_over: whether the next one is asked where one can't be.
        named: what the user says that some of them cost, by their names with their adapters'.
        start: who gets the first attempt.
        progress: told when one falls over.
    """

    members: tuple[RecordedModel, ...]
    ledger: Ledger
    falls_over: bool = False
    named: Mapping[str, Price] = field(default_factory=dict)
    start: int = 0
    progress: Callable[[str], None] = lambda _text: None

    @property
    def adapter(self) -> str:
        return "+".join(member.adapter for member in self.members)

    @property
    def name(self) -> str:
        return "+".join(member.name for member in self.members)

    def at(self, attempt: int) -> RecordedModel:
        """Who is asked first in an attempt, counted from 1."""
        return self.members[min(self.start + attempt - 1, len(self.members) - 1)]

    def complete(self, request: Request) -> Answer:
        return self.ask(request).answer

    def ask(self, request: Request) -> Recorded:
        """The answer of the model whose turn it is, or of one after it if that is allowed.

        Raises:
            ProviderError: none of them could be asked.
        """
        turn = self.members.index(self.at(request.attempt))
        if not self.falls_over:
            return self.members[turn].ask(request)
        candidates = self.members[turn:]
        # Whoever answered this before, because another one could not: that stays.
        for member in candidates:
            if self.ledger.find(call_key(member.adapter, member.name, request)) is not None:
                return member.ask(request)
        for member, following in pairwise(candidates):
            try:
                return member.ask(request)
            except ProviderError as error:
                self.progress(f"{error.headline}; asking {identity(following)} instead")
        return candidates[-1].ask(request)


@dataclass(frozen=True)
class Diverted:
    """A model whose place others take in single attempts, because a person said so.

    Attributes:
        model: who is asked otherwise.
        others: who is asked instead, by the number of the attempt.
        named: what a person says that some of them cost, by their names with their adapters'.
    """

    model: Model
    others: Mapping[int, RecordedModel]
    named: Mapping[str, Price] = field(default_factory=dict)

    @property
    def adapter(self) -> str:
        return self.model.adapter

    @property
    def name(self) -> str:
        return self.model.name

    def complete(self, request: Request) -> Answer:
        return self.ask(request).answer

    def ask(self, request: Request) -> Recorded:
        """The answer of who is to give it; a second opinion is never another one's.

        Raises:
            ProviderError: they could not be asked.
        """
        proposes = request.purpose == "propose"
        return recorded(self.at(request.attempt) if proposes else self.model, request)

    def at(self, attempt: int) -> Model:
        """Who proposes in an attempt, counted from 1."""
        return self.others.get(attempt, self.model)


def who(model: Model, attempt: int) -> Model:
    """Who is asked in an attempt."""
    while isinstance(model, Wrapper):
        model = model.model
    if isinstance(model, Diverted):
        return who(model.at(attempt), attempt)
    return model.at(attempt) if isinstance(model, Ladder) else model


def started_at(model: Model, difficulty: Difficulty | None) -> Model:
    """`model`, of which the first attempt is that of the one that a work order's difficulty asks for."""
    if difficulty is None or not isinstance(model, Ladder):
        return model
    return replace(model, start=_RANKS[difficulty] * (len(model.members) - 1) // 2)


def prices_of(model: Model, common: Price | None) -> Prices:
    """What a model, or each of a ladder, costs.

    Args:
        model: who is asked.
        common: what the user or the repository says that a model costs. Of several, each has its own price
            if one is known.
    """
    while isinstance(model, Wrapper):
        model = model.model
    if isinstance(model, Diverted):
        prices = prices_of(model.model, common)
        named = {
            identity(other): model.named.get(identity(other)) or known_price(other)
            for other in model.others.values()
        }
        more = {name: price for name, price in named.items() if price is not None}
        return Prices(prices.common, {**more, **prices.by_model})
    if not isinstance(model, Ladder):
        return Prices(common or known_price(model))
    known = {
        identity(member): model.named.get(identity(member)) or known_price(member) for member in model.members
    }
    return Prices(common, {name: price for name, price in known.items() if price is not None})

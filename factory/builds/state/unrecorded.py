"""What only the ledger tells of: answers that were paid and that no attempt on record has used. Only reads.

An attempt is on record a moment after its answer. Where a kill came in between, or where the state was
deleted, the ledger alone knows what was paid.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from factory.builds.state.attempts import RETIRED, AttemptRecord, RunEntry, Spending
from factory.builds.state.model import BuildState
from factory.contract.errors import WorkorderError
from factory.llm.ledger.store import Entry, Ledger
from factory.llm.port import total
from factory.llm.spending.prices import Prices


def with_unrecorded(state: BuildState, ledger: Ledger) -> tuple[BuildState, Spending]:
    """The state with the answers that it does not tell of, as attempts of runs that are called `ledger`.

    Args:
        state: of a build.
        ledger: where its answers are remembered.

    Returns:
        The state, and what the ledger's other answers used: those for work orders of other plans.

    Raises:
        DamagedLedger: a file of the ledger can't be trusted.
    """
    orders = {order.contract: order for order in state.orders}
    recorded = {attempt.answer for order in state.orders for run in order.runs for attempt in run.attempts}
    unrecorded: dict[str, dict[str, list[AttemptRecord]]] = {}
    others = []
    for name, entry in ledger.answers():
        attempt = _not_ended(name, entry, state.known_prices)
        if entry.request.subject not in orders:
            others.append(attempt)
        elif name not in recorded:
            _, retired, number = name.partition(".")
            run = f"ledger{RETIRED}{number}" if retired else "ledger"
            unrecorded.setdefault(entry.request.subject, {}).setdefault(run, []).append(attempt)
    for contract, runs in unrecorded.items():
        order = orders[contract]
        # In front: the last run is the one that may still land.
        entries = tuple(RunEntry(run_id=run, attempts=tuple(attempts)) for run, attempts in runs.items())
        state = state.with_order(order.model_copy(update={"runs": (*entries, *order.runs)}))
    return state, Spending.on(others)


def unanswered(ledger: Ledger, prices: Prices) -> Spending:
    """What calls without an answer can have used: those that are open, and those that were broken off.

    Args:
        ledger: where they are noted.
        prices: of the models; nobody knows who was asked, so the dearest counts.

    Raises:
        DamagedLedger: a file of the ledger can't be trusted.
    """
    used = total((*ledger.unanswered().values(), *ledger.broken_off()))
    if not used.input_tokens:
        return Spending()
    price = prices.dearest
    return Spending(
        input_tokens=used.input_tokens,
        output_tokens=used.output_tokens,
        cost_usd=None if price is None else float(round(price.of(used), 6)),
    )


@dataclass(frozen=True)
class Remembered:
    """What a ledger held at one moment.

    Attributes:
        attempts: an attempt for each answer, without its price.
        contracts: the work orders that some of them are for, by their contracts, and how many seconds their
            answers took to come, all together; None where that is not known.
    """

    attempts: tuple[AttemptRecord, ...] = ()
    contracts: Mapping[str, float | None] = field(default_factory=dict)

    @classmethod
    def of(cls, ledger: Ledger) -> "Remembered":
        """What it holds now; nothing if a file of it can't be trusted, which is told where it is used."""
        try:
            answers = list(ledger.answers())
        except WorkorderError:
            return cls()
        return cls(
            tuple(_not_ended(name, entry, Prices()) for name, entry in answers),
            # What was retired is asked again.
            _seconds_by_contract(entry for name, entry in answers if name == entry.key),
        )

    def with_those_of(self, state: BuildState) -> tuple[AttemptRecord, ...]:
        """All attempts of a build, and what else the ledger held, at the build's prices."""
        recorded = {attempt.answer for attempt in state.attempts}
        prices = state.known_prices
        others = (attempt.priced(prices) for attempt in self.attempts if attempt.answer not in recorded)
        return (*others, *state.attempts)


def _seconds_by_contract(entries: Iterable[Entry]) -> dict[str, float | None]:
    taken: dict[str, float | None] = {}
    for entry in entries:
        contract = entry.request.subject
        before = taken.get(contract, 0.0)
        taken[contract] = None if before is None or entry.seconds is None else before + entry.seconds
    # What is no work order's, such as a plan.
    taken.pop("", None)
    return taken


def _not_ended(name: str, entry: Entry, prices: Prices) -> AttemptRecord:
    attempt = AttemptRecord(
        attempt=entry.request.attempt, passed=False, answer=name, model=f"{entry.adapter}:{entry.model}"
    )
    return attempt.using(entry.answer.usage).priced(prices)

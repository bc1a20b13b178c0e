"""What a build of a plan costs at least and at most, before it is begun; pure.

Counted are the answers and, of their prompts, what is known now: the engineer's rules, the contracts and the
passages that they quote. Files that are there by then come on top.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from factory.contract.canonical import canonical_json
from factory.contract.strict_json import JsonObject
from factory.contract.work_order import Plan, WorkOrder, requirements_of
from factory.llm.port import Usage
from factory.llm.spending.prices import Price
from factory.plans.diagnostics.render import counted

ATTEMPTS: Final = 2
"""How many `factory build` makes at a work order with one model, unless it is told otherwise."""

LONGEST_ANSWER: Final = 32_000
"""How many tokens an answer has at most, unless it is told otherwise."""

_BYTES_A_TOKEN: Final = 4
_NOT_SHOWN: Final = frozenset({"requirements", "preconditions", "depends_on", "provenance"})


@dataclass(frozen=True)
class Building:
    """What is left to be asked.

    Attributes:
        answers: how many work orders ask for one, at least.
        tokens: about how many tokens their prompts have by what is known now.
    """

    answers: int
    tokens: int


def building(plan: Plan, landed: Collection[str], rules_bytes: int) -> Building:
    """What a build of a plan will ask.

    Args:
        plan: the plan.
        landed: the ids of the work orders that have landed.
        rules_bytes: how long the engineer's rules are, which begin each prompt.
    """
    asked = [order for order in plan.work_orders if not order.fixed_files and order.id not in landed]
    size = sum(rules_bytes + _size(order, plan) for order in asked)
    return Building(len(asked), size // _BYTES_A_TOKEN)


def in_words(left: Building, prices: Mapping[str, Price | None]) -> Iterator[str]:
    """A line for what is asked, and one for what each model would take for it.

    Args:
        left: what is left to be asked.
        prices: what the models cost, by their names; None of one whose price nobody knows.
    """
    if not left.answers:
        yield "no answer of a model: nothing is left that asks for one"
        return
    most = ATTEMPTS * left.answers
    yield (
        f"at least {counted(left.answers, 'answer')} of a model, one a work order; {most} if each needs"
        " a second attempt, the last unless --max-attempts says otherwise; their prompts have at least about"
        f" {left.tokens:,} tokens together"
    )
    least = Usage(input_tokens=left.tokens, output_tokens=0)
    worst = Usage(input_tokens=ATTEMPTS * left.tokens, output_tokens=most * LONGEST_ANSWER)
    for name, price in prices.items():
        if price is None:
            yield f"{name}: its price is not known"
        else:
            yield (
                f"{name}: {_dollars(price.of(least))} and what the answers take; {_dollars(price.of(worst))}"
                f" if each of {most} has {LONGEST_ANSWER:,} tokens"
            )


def _size(order: WorkOrder, plan: Plan) -> int:
    document: JsonObject = order.model_dump(mode="json", exclude=set(_NOT_SHOWN))
    quotes = (quote for item in requirements_of(order, plan.requirements) for quote in item.quotes)
    return len(canonical_json(document)) + sum(
        len(quote.encode("utf-8", "surrogatepass")) for quote in quotes
    )


def _dollars(amount: Decimal) -> str:
    return f"${amount.quantize(Decimal('0.01'))}"

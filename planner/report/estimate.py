"""What a compile costs at least and at most, before a model is asked.

Not here: what it cost in the end (`compile.summary`), and the limits that stop it (`factory.llm.spending`).
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from factory.llm.port import Request, Usage, total, worst_case
from factory.llm.spending.prices import Price
from factory.plans.diagnostics.render import counted

_BYTES_OF_A_TOKEN: Final = 4
"""What a token of prose and code has, about; the lower end says so."""


@dataclass(frozen=True)
class Estimate:
    """What calls may use.

    Attributes:
        calls: how many.
        usage: their tokens.
    """

    calls: int
    usage: Usage


def at_least(first: Request) -> Estimate:
    """One answer to the first question; what an answer takes nobody knows, so it counts nothing.

    Args:
        first: the first call.
    """
    worst = worst_case(first)
    return Estimate(1, Usage(input_tokens=-(-worst.input_tokens // _BYTES_OF_A_TOKEN), output_tokens=0))


def of_opinion(first: Request) -> Estimate:
    """A second opinion at most: it reads what the first question showed, and a plan as long as it may be."""
    read = worst_case(first)
    limit = first.parameters.max_output_tokens
    return Estimate(1, total([read, Usage(input_tokens=limit, output_tokens=0)]))


def at_most(first: Request, attempts: int) -> Estimate:
    """All attempts, each answer as long as it may be and sent back, the first one cut off and asked again.

    One token for every byte of a prompt, as limits count. The findings that go back with an answer are not in
    it.

    Args:
        first: the first call.
        attempts: how many answers are checked.
    """
    limit = first.parameters.max_output_tokens
    longer = first.parameters.model_copy(update={"max_output_tokens": 2 * limit})
    again = worst_case(first.model_copy(update={"parameters": longer}))
    # An answer that is sent back is read as the tokens that it was written in.
    sent_back = Usage(input_tokens=2 * limit, output_tokens=0)
    usage = total([worst_case(first), *([again] * attempts), *([sent_back] * (attempts - 1))])
    return Estimate(1 + attempts, usage)


def in_words(first: Request, attempts: int, price: Price | None, *, reviews: bool = False) -> str:
    """Both ends, for a person.

    Args:
        first: the first call.
        attempts: how many answers are checked.
        price: what the model costs; None if nobody knows.
        reviews: whether a second opinion on the plan is asked for.
    """
    least, most = at_least(first), at_most(first, attempts)
    if reviews:
        least = Estimate(2, total([least.usage, least.usage]))
        opinion = of_opinion(first)
        most = Estimate(most.calls + opinion.calls, total([most.usage, opinion.usage]))
    size = sum(len(message.content.encode("utf-8")) for message in first.messages)
    reads, most_reads = (f"{estimate.usage.input_tokens:,} tokens in" for estimate in (least, most))
    lines = [
        f"first prompt  {size:,} bytes",
        (
            f"at least      {counted(least.calls, 'answer')}, about {reads}, and what {_they(least)}"
            f"{_cost(least, price)}"
        ),
        (
            f"at most       {most.calls} answers, {most_reads}, {most.usage.output_tokens:,} out,"
            f" and the findings sent back{_cost(most, price)}"
        ),
    ]
    if price is None:
        lines.append("price         not known; say it with --price INPUT,OUTPUT")
    return "\n".join(lines)


def _they(estimate: Estimate) -> str:
    return "the answer takes" if estimate.calls == 1 else "the answers take"


def _cost(estimate: Estimate, price: Price | None) -> str:
    return f"; ${price.of(estimate.usage).quantize(Decimal('0.0001'))}" if price else ""

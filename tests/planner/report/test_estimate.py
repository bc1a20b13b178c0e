"""What a compile may cost, said before a model is asked."""

from decimal import Decimal

from factory.llm.port import Message, Parameters, Request
from factory.llm.spending.prices import Price
from planner.report.estimate import at_least, at_most, in_words

FIRST = Request(
    purpose="plan",
    messages=(Message(role="user", content="x" * 4_000),),
    schema_name="plan",
    answer_schema=None,
    parameters=Parameters(max_output_tokens=1_000),
    attempt=1,
)


def test_the_least_is_one_prompt_in_tokens_of_four_bytes() -> None:
    least = at_least(FIRST)

    assert least.calls == 1
    assert 1_000 <= least.usage.input_tokens <= 1_100
    assert least.usage.output_tokens == 0


def test_the_most_is_every_attempt_at_its_longest_and_a_first_answer_that_is_cut_off() -> None:
    once, twice = at_most(FIRST, 1), at_most(FIRST, 2)

    assert (once.calls, twice.calls) == (2, 3)
    assert (once.usage.output_tokens, twice.usage.output_tokens) == (3_000, 5_000)
    # A second attempt reads the question again, and the answer that is sent back.
    assert once.usage.input_tokens >= 8_000
    assert twice.usage.input_tokens - once.usage.input_tokens == once.usage.input_tokens // 2 + 2_000


def test_a_price_is_said_where_there_is_one() -> None:
    price = Price(Decimal(1), Decimal(10))

    assert in_words(FIRST, 1, price).count("; $0.0") == 2
    assert "price" not in in_words(FIRST, 1, price)
    assert in_words(FIRST, 1, None).splitlines()[-1] == (
        "price         not known; say it with --price INPUT,OUTPUT"
    )

"""Limits on money and tokens: a call that could pass one is not made."""

import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.contract.errors import WorkorderError
from factory.llm.budget import Budget, BudgetReached, Limits, worst_case
from factory.llm.ledger import Ledger
from factory.llm.port import Answer, FinishReason, Message, ProviderError, Request, Usage
from factory.llm.prices import Price, known_price
from factory.llm.replay import ReplayModel
from factory.system.stop import Stop, Stopped
from tests.support.requests import a_request
from tests.support.scripted_model import ScriptedModel

A_DOLLAR_FOR_A_TOKEN = Price(Decimal(1_000_000), Decimal(1_000_000))


def an_answer(tokens: int) -> Answer:
    usage = Usage(input_tokens=tokens, output_tokens=0)
    return Answer(text="yes", finish_reason=FinishReason.STOP, usage=usage, model="script-1")


def worst_tokens() -> int:
    worst = worst_case(a_request())
    return worst.input_tokens + worst.output_tokens


def test_a_call_whose_worst_case_just_fits_is_made(tmp_path: Path) -> None:
    model = ScriptedModel([an_answer(1)])

    limited = Budget(Limits(tokens=worst_tokens()), Ledger(tmp_path)).guarded(Ledger(tmp_path).wrap(model))

    assert limited.complete(a_request()).text == "yes"


def test_a_call_that_could_use_a_token_too_many_is_not_made(tmp_path: Path) -> None:
    model = ScriptedModel([an_answer(1)])
    limited = Budget(Limits(tokens=worst_tokens() - 1), Ledger(tmp_path)).guarded(
        Ledger(tmp_path).wrap(model)
    )

    with pytest.raises(BudgetReached, match="could use"):
        limited.complete(a_request())

    assert model.requests == []
    assert list(Ledger(tmp_path).entries()) == []


def test_what_the_ledger_holds_was_spent_also_by_a_run_before(tmp_path: Path) -> None:
    Ledger(tmp_path).wrap(ScriptedModel([an_answer(7)])).complete(a_request(attempt=1))
    model = ScriptedModel([an_answer(7)])
    limits = Limits(tokens=worst_tokens() + 6)

    limited = Budget(limits, Ledger(tmp_path)).guarded(Ledger(tmp_path).wrap(model))

    with pytest.raises(BudgetReached, match="7 of"):
        limited.complete(a_request(attempt=2))
    assert model.requests == []


def test_a_stored_answer_is_free(tmp_path: Path) -> None:
    Ledger(tmp_path).wrap(ScriptedModel([an_answer(7)])).complete(a_request())

    limited = Budget(Limits(tokens=1), Ledger(tmp_path)).guarded(Ledger(tmp_path).wrap(ScriptedModel([])))

    assert limited.ask(a_request()).from_ledger


def test_money_is_counted_with_the_price_that_the_user_gave(tmp_path: Path) -> None:
    exact = Limits(usd=Decimal(worst_tokens()), price=A_DOLLAR_FOR_A_TOKEN)
    short = Limits(usd=Decimal(worst_tokens()) - Decimal("0.01"), price=A_DOLLAR_FOR_A_TOKEN)
    ledger = Ledger(tmp_path)

    with pytest.raises(BudgetReached, match="could cost"):
        Budget(short, ledger).guarded(ledger.wrap(ScriptedModel([an_answer(1)]))).complete(a_request())

    assert Budget(exact, ledger).guarded(ledger.wrap(ScriptedModel([an_answer(1)]))).complete(a_request())


def test_a_limit_in_money_needs_a_price(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)

    with pytest.raises(WorkorderError, match="price of scripted:script is not known") as caught:
        Budget(Limits(usd=Decimal(1)), ledger).guarded(ledger.wrap(ScriptedModel([])))

    assert "--max-tokens" in caught.value.hint
    assert "--price" in caught.value.hint


def test_a_recording_costs_nothing(tmp_path: Path) -> None:
    Ledger(tmp_path).wrap(ScriptedModel([an_answer(7)])).complete(a_request())
    replay = ReplayModel(tmp_path)

    assert Budget(Limits(usd=Decimal(0)), Ledger(tmp_path / "other")).guarded(replay) is replay


def test_without_limits_nothing_stands_between(tmp_path: Path) -> None:
    model = Ledger(tmp_path).wrap(ScriptedModel([]))

    assert Budget(Limits(), Ledger(tmp_path)).guarded(model) is model


def test_prices_of_hosted_models_are_known_and_of_others_not() -> None:
    known = known_price(ScriptedModel([], adapter="openai_chat", name="gpt-4o-mini"))

    assert known is not None
    assert 0 < known.input_tokens < known.output_tokens
    assert known_price(ScriptedModel([], adapter="openai_chat", name="no-such-model-1")) is None
    assert known_price(ScriptedModel([], adapter="command", name="gpt-4o-mini")) is None


@given(st.text(max_size=200))
def test_the_worst_case_has_a_token_for_every_byte_of_the_prompt(text: str) -> None:
    text = text.encode("utf-8", "ignore").decode("utf-8")
    request = a_request().model_copy(update={"messages": (Message(role="user", content=text),)})

    worst = worst_case(request)

    assert worst.input_tokens >= len(text.encode("utf-8"))
    assert worst.output_tokens == request.parameters.max_output_tokens


class _Gate:
    """A turn of the script that waits until the test lets it answer."""

    def __init__(self) -> None:
        self.asked, self.may_answer = threading.Event(), threading.Event()

    def __call__(self, _request: Request) -> Answer:
        self.asked.set()
        assert self.may_answer.wait(30)
        return an_answer(1)


def test_a_call_beside_an_open_one_waits_until_that_has_settled(tmp_path: Path) -> None:
    ledger, first, second = Ledger(tmp_path), _Gate(), _Gate()
    budget = Budget(Limits(tokens=worst_tokens() + 1), ledger)
    model = budget.guarded(ledger.wrap(ScriptedModel([first, second])))
    with ThreadPoolExecutor(2) as pool:
        answers = [pool.submit(model.complete, a_request(attempt=1))]
        assert first.asked.wait(30)
        answers.append(pool.submit(model.complete, a_request(attempt=2)))

        assert not second.asked.wait(0.5)
        first.may_answer.set()
        assert second.asked.wait(30)
        second.may_answer.set()

        assert [answer.result(30).text for answer in answers] == ["yes", "yes"]


def test_a_call_that_waits_for_others_can_be_stopped(tmp_path: Path) -> None:
    ledger, first = Ledger(tmp_path), _Gate()
    budget = Budget(Limits(tokens=worst_tokens()), ledger)
    with ThreadPoolExecutor(2) as pool, Stop() as stop:
        recorded = ledger.wrap(ScriptedModel([first]))
        open_call = pool.submit(budget.guarded(recorded).complete, a_request(attempt=1))
        assert first.asked.wait(30)
        waiting = pool.submit(budget.guarded(recorded, stop).complete, a_request(attempt=2))
        stop.ask()

        with pytest.raises(Stopped):
            waiting.result(30)
        first.may_answer.set()
        assert open_call.result(30).text == "yes"


def test_a_call_that_failed_gives_back_what_was_set_aside(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    model = ledger.wrap(ScriptedModel([ProviderError("down"), an_answer(1)]))
    limited = Budget(Limits(tokens=worst_tokens()), ledger).guarded(model)

    with pytest.raises(ProviderError):
        limited.complete(a_request())

    assert limited.complete(a_request()).text == "yes"


def test_what_is_retired_and_asked_anew_while_a_budget_lives_is_counted_once_each(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    wrapped = ledger.wrap(ScriptedModel([an_answer(7), an_answer(5)]))
    # Room for the worst case after the first answer, and for no token more after the second.
    limited = Budget(Limits(tokens=worst_tokens() + 11), ledger).guarded(wrapped)
    key = limited.ask(a_request()).key

    ledger.retire(key)
    assert limited.ask(a_request()).answer.usage.input_tokens == 5

    with pytest.raises(BudgetReached, match="12 of"):
        limited.complete(a_request(attempt=2))

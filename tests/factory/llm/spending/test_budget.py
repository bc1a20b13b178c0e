"""Limits on money and tokens: a call that could pass one is not made."""

import threading
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.contract.errors import WorkorderError
from factory.llm.adapters.replay import ReplayModel
from factory.llm.adapters.select import select_model
from factory.llm.ledger.store import Ledger, RecordedModel, call_key
from factory.llm.port import Answer, FinishReason, Message, ProviderError, Request, Usage, worst_case
from factory.llm.spending.budget import Budget, BudgetReached, Limits
from factory.llm.spending.prices import Price, known_price
from factory.system.process.stop import Stop, Stopped
from tests.support.requests import a_request
from tests.support.scripted_model import Script, ScriptedModel

A_DOLLAR_FOR_A_TOKEN = Price(Decimal(1_000_000), Decimal(1_000_000))


def an_answer(tokens: int) -> Answer:
    usage = Usage(input_tokens=tokens, output_tokens=0)
    return Answer(text="yes", finish_reason=FinishReason.STOP, usage=usage, model="script-1")


def limited(limits: Limits, directory: Path, *turns: Script) -> RecordedModel:
    """A model that answers with `turns`, within limits, as a process has it."""
    ledger, model = Ledger(directory), ScriptedModel(turns)
    return ledger.wrap(model, Budget(limits, ledger).permit(model))


def worst_tokens() -> int:
    worst = worst_case(a_request())
    return worst.input_tokens + worst.output_tokens


def test_a_call_whose_worst_case_just_fits_is_made(tmp_path: Path) -> None:
    model = limited(Limits(tokens=worst_tokens()), tmp_path, an_answer(1))

    assert model.complete(a_request()).text == "yes"


def test_a_call_that_could_use_a_token_too_many_is_not_made(tmp_path: Path) -> None:
    asked = ScriptedModel([an_answer(1)])
    ledger = Ledger(tmp_path)
    model = ledger.wrap(asked, Budget(Limits(tokens=worst_tokens() - 1), ledger).permit(asked))

    with pytest.raises(BudgetReached, match="could use"):
        model.complete(a_request())

    assert asked.requests == []
    assert list(tmp_path.iterdir()) == []


def test_what_the_ledger_holds_was_spent_also_by_a_run_before(tmp_path: Path) -> None:
    Ledger(tmp_path).wrap(ScriptedModel([an_answer(7)])).complete(a_request(attempt=1))

    with pytest.raises(BudgetReached, match="7 of"):
        limited(Limits(tokens=worst_tokens() + 6), tmp_path).complete(a_request(attempt=2))


def test_a_stored_answer_is_free(tmp_path: Path) -> None:
    Ledger(tmp_path).wrap(ScriptedModel([an_answer(7)])).complete(a_request())

    assert limited(Limits(tokens=1), tmp_path).ask(a_request()).from_ledger


def test_money_is_counted_with_the_price_that_the_user_gave(tmp_path: Path) -> None:
    exact = Limits(usd=Decimal(worst_tokens()), price=A_DOLLAR_FOR_A_TOKEN)
    short = Limits(usd=Decimal(worst_tokens()) - Decimal("0.01"), price=A_DOLLAR_FOR_A_TOKEN)

    with pytest.raises(BudgetReached, match="could cost"):
        limited(short, tmp_path).complete(a_request())

    assert limited(exact, tmp_path, an_answer(1)).complete(a_request())


def test_a_limit_in_money_needs_a_price(tmp_path: Path) -> None:
    with pytest.raises(WorkorderError, match="price of scripted:script is not known") as caught:
        limited(Limits(usd=Decimal(1)), tmp_path)

    assert "--max-tokens" in caught.value.hint
    assert "--price" in caught.value.hint


def test_a_recording_costs_nothing(tmp_path: Path) -> None:
    Ledger(tmp_path).wrap(ScriptedModel([an_answer(7)])).complete(a_request())
    ledger = Ledger(tmp_path / "other")
    budget = Budget(Limits(usd=Decimal(0)), ledger)

    replay = select_model(f"replay:{tmp_path}", stage="factory", ledger=ledger, environment={}, budget=budget)

    assert isinstance(replay, ReplayModel)


def test_without_limits_nothing_stands_between(tmp_path: Path) -> None:
    assert Budget(Limits(), Ledger(tmp_path)).permit(ScriptedModel([])) is None


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
    first, second = _Gate(), _Gate()
    model = limited(Limits(tokens=worst_tokens() + 1), tmp_path, first, second)
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
        model = ScriptedModel([first])
        open_call = pool.submit(ledger.wrap(model, budget.permit(model)).complete, a_request(attempt=1))
        assert first.asked.wait(30)
        waiting = pool.submit(ledger.wrap(model, budget.permit(model, stop)).complete, a_request(attempt=2))
        stop.ask()

        with pytest.raises(Stopped):
            waiting.result(30)
        first.may_answer.set()
        assert open_call.result(30).text == "yes"


def test_a_call_that_failed_gives_back_what_was_set_aside(tmp_path: Path) -> None:
    model = limited(Limits(tokens=worst_tokens()), tmp_path, ProviderError("down"), an_answer(1))

    with pytest.raises(ProviderError):
        model.complete(a_request())

    assert model.complete(a_request()).text == "yes"


def test_what_is_retired_and_asked_anew_while_a_budget_lives_is_counted_once_each(tmp_path: Path) -> None:
    # Room for the worst case after the first answer, and for no token more after the second.
    model = limited(Limits(tokens=worst_tokens() + 11), tmp_path, an_answer(7), an_answer(5))
    key = model.ask(a_request()).key

    Ledger(tmp_path).retire(key)
    assert model.ask(a_request()).answer.usage.input_tokens == 5

    with pytest.raises(BudgetReached, match="12 of"):
        model.complete(a_request(attempt=2))


class TestCallsWithoutAnAnswer:
    """Nobody knows what they cost, so they count with their worst case, for whoever shares the ledger."""

    @pytest.mark.parametrize("attempt", [1, 2])
    @pytest.mark.parametrize(
        "end", [KeyboardInterrupt(), ProviderError("no answer in time", may_be_paid=True)]
    )
    def test_one_that_was_broken_off_counts(self, end: BaseException, attempt: int, tmp_path: Path) -> None:
        with pytest.raises(type(end)):
            limited(Limits(), tmp_path, end).complete(a_request())
        worst = worst_tokens()

        with pytest.raises(BudgetReached) as caught:
            limited(Limits(tokens=2 * worst - 1), tmp_path).complete(a_request(attempt=attempt))

        assert caught.value.message == (
            f"the next call could use {worst:,} tokens; 0 of {2 * worst - 1:,} are used,"
            f" and up to {worst:,} by a call without an answer"
        )
        assert str(tmp_path) in caught.value.hint
        again = limited(Limits(tokens=2 * worst), tmp_path, an_answer(1))
        assert again.complete(a_request(attempt=attempt)).text == "yes"

    def test_each_time_that_it_was_broken_off_counts(self, tmp_path: Path) -> None:
        model = limited(Limits(), tmp_path, KeyboardInterrupt(), KeyboardInterrupt(), an_answer(1))
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                model.complete(a_request())
        model.complete(a_request())

        with pytest.raises(BudgetReached, match="by 2 calls without an answer"):
            limited(Limits(tokens=3 * worst_tokens()), tmp_path).complete(a_request(attempt=2))

    def test_the_open_call_of_another_process_counts_until_it_is_answered(self, tmp_path: Path) -> None:
        gate = _Gate()
        other = limited(Limits(), tmp_path, gate)
        model = limited(Limits(tokens=worst_tokens() + 1), tmp_path, an_answer(1))
        with ThreadPoolExecutor(1) as pool:
            open_call = pool.submit(other.complete, a_request(attempt=1))
            assert gate.asked.wait(30)
            with pytest.raises(BudgetReached, match="by a call without an answer"):
                model.complete(a_request(attempt=2))
            gate.may_answer.set()
            open_call.result(30)

        assert model.complete(a_request(attempt=2)).text == "yes"

    def test_a_response_that_is_waited_for_again_is_one_call(self, tmp_path: Path) -> None:
        def begins(request: Request) -> Answer:
            ledger = Ledger(tmp_path)
            ledger.pending.put(call_key("scripted", "script", request), "resp_1")
            raise ProviderError("still running")

        with pytest.raises(ProviderError):
            limited(Limits(), tmp_path, begins).complete(a_request())
        worst = worst_tokens()

        with pytest.raises(BudgetReached, match="by a call without an answer"):
            limited(Limits(tokens=2 * worst - 1), tmp_path).complete(a_request(attempt=2))
        with pytest.raises(BudgetReached, match="0 of"):
            limited(Limits(tokens=worst - 1), tmp_path).complete(a_request())
        assert limited(Limits(tokens=worst), tmp_path, an_answer(1)).complete(a_request()).text == "yes"

    def test_a_response_that_the_provider_has_lost_counts_beside_the_next_one(self, tmp_path: Path) -> None:
        def begins_anew(request: Request) -> Answer:
            pending = Ledger(tmp_path).pending
            key = call_key("scripted", "script", request)
            pending.put(key, "resp_1")
            pending.break_off(key)
            pending.put(key, "resp_2")
            return an_answer(1)

        limited(Limits(), tmp_path, begins_anew).complete(a_request())

        assert Ledger(tmp_path).broken_off() == [worst_case(a_request())]
        assert Ledger(tmp_path).unanswered() == {}

    def test_reservations_of_before_say_nothing_of_their_size(self, tmp_path: Path) -> None:
        (tmp_path / f"{'a' * 64}.pending.json").write_text('{"response_id": null}')

        assert (
            limited(Limits(tokens=worst_tokens()), tmp_path, an_answer(1)).complete(a_request()).text == "yes"
        )


class TestAgents:
    """Agents, whose price nobody knows, say afterwards what they cost, or don't."""

    @staticmethod
    def limited(directory: Path, *costs: float | None) -> RecordedModel:
        answers = [
            an_answer(1).model_copy(update={"usage": Usage(input_tokens=1, output_tokens=0, cost_usd=cost)})
            for cost in costs
        ]
        ledger, model = Ledger(directory), ScriptedModel(answers, adapter="agent")
        return ledger.wrap(model, Budget(Limits(usd=Decimal(1)), ledger).permit(model))

    def test_what_they_say_counts(self, tmp_path: Path) -> None:
        model = self.limited(tmp_path, 0.5, 0.5, 0.5)
        for attempt in (1, 2):
            model.complete(a_request(attempt=attempt))

        with pytest.raises(BudgetReached, match="are spent"):
            model.complete(a_request(attempt=3))

    def test_after_one_that_told_no_price_none_is_started(self, tmp_path: Path) -> None:
        model = self.limited(tmp_path, None, 0.5)
        model.complete(a_request(attempt=1))

        with pytest.raises(BudgetReached, match="nobody knows what a call that told no price cost"):
            model.complete(a_request(attempt=2))

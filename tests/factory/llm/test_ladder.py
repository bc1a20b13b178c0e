"""Several models, a cheap one first: who is asked in which attempt, and what they cost."""

from decimal import Decimal
from pathlib import Path

import pytest

from factory.contract.work_order import Difficulty
from factory.llm.adapters.replay import ReplayModel
from factory.llm.ladder import Ladder, prices_of, started_at, who
from factory.llm.ledger.store import Ledger, recorded
from factory.llm.port import ProviderError, Usage
from factory.llm.spending.budget import Budget, BudgetReached, Limits
from factory.llm.spending.meter import Meter
from factory.llm.spending.prices import Price
from tests.support.requests import a_request
from tests.support.scripted_model import Script, ScriptedModel

CHEAP, DEAR = Price(Decimal(1), Decimal(2)), Price(Decimal(10), Decimal(20))


def ladder(directory: Path, *scripts: list[Script], falls_over: bool = False) -> Ladder:
    ledger = Ledger(directory)
    models = [ScriptedModel(script, name=f"m{number}") for number, script in enumerate(scripts, start=1)]
    return Ladder(tuple(map(ledger.wrap, models)), ledger, falls_over)


def test_each_attempt_is_the_next_one_s_and_the_last_one_keeps_the_rest(tmp_path: Path) -> None:
    models = ladder(tmp_path, ["a"], ["b"], ["c", "d"])

    asked = [models.ask(a_request(attempt=attempt)) for attempt in (1, 2, 3, 4)]

    assert [(answer.answer.text, answer.model) for answer in asked] == [
        ("a", "m1"),
        ("b", "m2"),
        ("c", "m3"),
        ("d", "m3"),
    ]


@pytest.mark.parametrize(
    ("difficulty", "of_two", "of_three"),
    [(None, "m1", "m1"), ("easy", "m1", "m1"), ("medium", "m1", "m2"), ("hard", "m2", "m3")],
)
def test_a_hard_work_order_starts_higher(
    tmp_path: Path, difficulty: Difficulty | None, of_two: str, of_three: str
) -> None:
    started = [started_at(ladder(tmp_path, *[[]] * count), difficulty) for count in (2, 3)]

    assert [who(model, 1).name for model in started] == [of_two, of_three]


def test_a_model_alone_is_asked_in_every_attempt() -> None:
    model = ScriptedModel(["a"])

    assert who(started_at(model, "hard"), 3) is model
    assert recorded(model, a_request()).identity == "scripted:script"


def test_without_fallback_an_error_of_the_provider_ends_it(tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match="down"):
        ladder(tmp_path, [ProviderError("down")], ["b"]).ask(a_request())


def test_with_fallback_the_next_is_asked_and_its_answer_stays(tmp_path: Path) -> None:
    first = ladder(tmp_path, [ProviderError("down")], ["b"], falls_over=True)
    assert first.ask(a_request()).model == "m2"

    # The first one is back: what was answered is not asked again, nor by another one.
    again = ladder(tmp_path, ["a"], [], falls_over=True).ask(a_request())

    assert (again.answer.text, again.model, again.from_ledger) == ("b", "m2", True)


def test_the_last_one_s_error_is_everybody_s(tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match="gone"):
        ladder(tmp_path, [ProviderError("down")], [ProviderError("gone")], falls_over=True).ask(a_request())


def test_a_recording_of_several_says_who_answered(tmp_path: Path) -> None:
    models = ladder(tmp_path, ["a"], ["b"])
    keys = [models.ask(a_request(attempt=attempt)).key for attempt in (1, 2)]

    replayed = [ReplayModel(tmp_path).ask(a_request(attempt=attempt)) for attempt in (1, 2)]

    assert [(answer.key, answer.identity) for answer in replayed] == [
        (keys[0], "scripted:m1"),
        (keys[1], "scripted:m2"),
    ]


def test_each_is_paid_at_its_own_price(tmp_path: Path) -> None:
    models = ladder(tmp_path, ["a"], ["b"])
    models = Ladder(models.members, models.ledger, named={"scripted:m2": DEAR})
    meter = Meter()
    metered = meter.wrap(models)
    for attempt in (1, 2):
        metered.complete(a_request(attempt=attempt))

    # A hundred tokens in and twenty out, each.
    assert meter.cost_usd(CHEAP) == pytest.approx((140 + 1_400) / 1_000_000)
    assert meter.cost_usd(None) == pytest.approx(1_400 / 1_000_000)
    used = Usage(input_tokens=100, output_tokens=20)
    assert meter.cost_of(used, "scripted:m1", None) is None
    assert prices_of(metered, CHEAP).dearest == DEAR


def test_a_limit_counts_each_answer_at_the_price_of_who_gave_it(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    budget = Budget(Limits(usd=Decimal("0.022")), ledger)
    models = [ScriptedModel(["x", "y"], name=name) for name in ("m1", "m2")]
    cheap, dear = (
        ledger.wrap(model, budget.permit(model, configured=price))
        for model, price in zip(models, (CHEAP, DEAR), strict=True)
    )
    cheap.complete(a_request(attempt=1))
    with pytest.raises(BudgetReached, match=r"\$0.0001 of \$0.022 are spent"):
        dear.complete(a_request(attempt=2))
    cheap.complete(a_request(attempt=3))

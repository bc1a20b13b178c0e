"""What a build has spent is what its ledger holds, whatever its state and its folders tell."""

import shutil
from decimal import Decimal
from pathlib import Path

import pytest

from factory.builds.state.attempts import RunEntry, Spending
from factory.builds.state.file import require_state
from factory.builds.state.records import with_runs
from factory.builds.state.reset import reset
from factory.builds.state.unrecorded import Remembered, with_unrecorded
from factory.llm.ledger.file import DamagedLedger
from factory.llm.ledger.store import Entry, Ledger, call_key
from factory.llm.port import Request
from factory.llm.spending.prices import Price
from tests.support.answers import a_proposal
from tests.support.build_states import a_state, an_order
from tests.support.builds import BuildScene, writes
from tests.support.repositories import commit_files, make_repo
from tests.support.requests import a_request
from tests.support.scripted_model import answer

PRICE = Price(Decimal(10_000), Decimal(0))
"""Each answer has 100 tokens in, and costs a dollar."""


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return make_repo(tmp_path / "repo")


def writes_its_file(order_id: str, _attempt: int, _request: Request) -> str:
    return a_proposal({f"{order_id}.txt": f"by {order_id}\n"})


def spent(scene: BuildScene) -> tuple[float | None, ...]:
    """What was spent, and its parts: useful, wasted, open, and what is no part of it."""
    state, others = with_unrecorded(require_state(scene.out), Ledger(scene.out / "ledger"))
    return tuple(part.cost_usd for part in (state.spent, state.useful, state.wasted, state.open, others))


def test_what_an_attempt_paid_that_was_cut_off_is_open_until_the_next_build(repo: Path) -> None:
    slow = writes("WO-02.txt")
    slow["acceptance_commands"] = [f"sh -c 'test -e {repo.parent / 'fast'} || sleep 600'"]
    scene = BuildScene(repo, [writes("WO-01.txt"), slow], writes_its_file)
    assert scene.build(deadline_seconds=12.0, price=PRICE).ended.exit_code == 5
    assert scene.model.asked == [("WO-01", 1), ("WO-02", 1)]

    assert spent(scene) == (2.0, 1.0, None, 1.0, None)
    (scene.out / "state.json").unlink()
    (repo.parent / "fast").touch()
    assert scene.build(price=PRICE).ended.exit_code == 0
    assert spent(scene) == (2.0, 2.0, None, None, None)


def test_an_answer_that_is_used_on_two_baselines_was_paid_once(repo: Path) -> None:
    failing = writes("WO-01.txt", acceptance_commands=["test -f fixed.txt"])
    scene = BuildScene(repo, [failing], writes_its_file)
    assert scene.build(price=PRICE, max_attempts=1).ended.exit_code == 1
    assert spent(scene) == (1.0, None, 1.0, None, None)
    commit_files(repo, {"fixed.txt": "by hand\n"})

    built = scene.build(price=PRICE, red_probe=False)

    assert built.ended.exit_code == 0
    assert scene.model.asked == [("WO-01", 1)]
    assert built.state is not None
    assert built.state.spent.cost_usd == 1.0
    assert spent(scene) == (1.0, 1.0, None, None, None)


def test_folders_and_a_state_that_are_gone_take_no_money_with_them(repo: Path) -> None:
    def reply(order_id: str, attempt: int, request: Request) -> str:
        return "prose" if attempt == 1 else writes_its_file(order_id, attempt, request)

    scene = BuildScene(repo, [writes("WO-01.txt")], reply)
    assert scene.build(price=PRICE).ended.exit_code == 0
    assert spent(scene) == (2.0, 1.0, 1.0, None, None)
    (scene.out / "state.json").unlink()
    for run in scene.out.glob("*/run.json"):
        shutil.rmtree(run.parent)
    assert scene.build(price=PRICE).ended.exit_code == 0

    state, _ = with_unrecorded(require_state(scene.out), Ledger(scene.out / "ledger"))

    assert state.spent.input_tokens == 200


def test_what_was_paid_for_a_contract_that_was_replaced_is_told_beside(repo: Path) -> None:
    scene = BuildScene(repo, [writes("WO-01.txt")], lambda *_: "prose")
    assert scene.build(price=PRICE, max_attempts=1).ended.exit_code == 1
    scene.model._reply = writes_its_file
    BuildScene(repo, [writes("WO-01.txt", title="Another")], writes_its_file)

    assert scene.build(price=PRICE, accept_plan=True).ended.exit_code == 0

    assert spent(scene) == (1.0, 1.0, None, None, 1.0)


def test_what_is_retired_is_wasted_also_without_an_attempt_on_record(repo: Path) -> None:
    scene = BuildScene(repo, [writes("WO-01.txt")], lambda *_: "prose")
    assert scene.build(price=PRICE).ended.exit_code == 1
    ledger = Ledger(scene.out / "ledger")
    reset(scene.out, ledger.directory, [])
    assert spent(scene) == (2.0, None, 2.0, None, None)
    state = require_state(scene.out)
    forgotten = state.with_order(state.orders[0].model_copy(update={"runs": ()}))

    completed, others = with_unrecorded(forgotten, ledger)

    assert (completed.spent, completed.wasted, others) == (state.spent, state.spent, Spending())


def test_a_damaged_file_of_the_ledger_is_named(repo: Path) -> None:
    scene = BuildScene(repo, [writes("WO-01.txt")], writes_its_file)
    scene.build()
    (stored,) = (scene.out / "ledger").glob("*.json")
    stored.write_text("{")

    with pytest.raises(DamagedLedger, match=stored.name):
        with_unrecorded(require_state(scene.out), Ledger(scene.out / "ledger"))


def test_a_run_in_which_nothing_was_tried_is_not_told_of() -> None:
    order = an_order(1)

    assert with_runs(order, [(RunEntry(run_id="stopped", attempts=()), None)]) == order


def test_how_long_all_answers_for_a_work_order_took_is_known_or_not(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    asked = [("a", 20.0), ("a", 30.5), ("b", 5.0), ("b", None), ("", 99.0)]
    for number, (contract, seconds) in enumerate(asked, 1):
        request = a_request(attempt=number).model_copy(update={"subject": contract})
        entry = Entry(adapter="a", model="m", request=request, answer=answer("x"), seconds=seconds)
        ledger.store(entry)

    assert Remembered.of(ledger).contracts == {"a": 50.5, "b": None}

    ledger.retire(call_key("a", "m", a_request(attempt=1)))
    assert Remembered.of(ledger).contracts["a"] == 30.5


def test_what_a_ledger_held_counts_once_beside_what_a_build_records(repo: Path) -> None:
    scene = BuildScene(repo, [writes("WO-01.txt"), writes("WO-02.txt")], writes_its_file)
    ledger = Ledger(scene.out / "ledger")
    assert Remembered.of(ledger) == Remembered()
    assert scene.build(price=PRICE).ended.exit_code == 0
    state = require_state(scene.out)
    of_another_plan = a_state(an_order(7)).model_copy(update={"price": PRICE})

    held = Remembered.of(ledger)

    assert set(held.contracts) == {order.contract for order in state.orders}
    assert Spending.on(held.with_those_of(state)).cost_usd == 2.0
    assert Spending.on(held.with_those_of(of_another_plan)).cost_usd == 2.0
    next(iter((scene.out / "ledger").glob("*.json"))).write_text("{}")
    assert Remembered.of(ledger) == Remembered()

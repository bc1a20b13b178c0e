"""What a work order got as answers can be forgotten, so that the next build asks anew; it stays paid."""

from decimal import Decimal
from pathlib import Path

import pytest

from factory.builds.settings import Built
from factory.builds.state.file import NoBuild, StateCorrupt, require_state
from factory.builds.state.model import BuildState
from factory.builds.state.reset import Reset, reset
from factory.contract.errors import WorkorderError
from factory.llm.ledger.file import DamagedLedger
from factory.llm.ledger.store import Ledger
from factory.llm.port import Request
from factory.llm.spending.budget import Budget, BudgetReached, Limits
from factory.llm.spending.prices import Price
from factory.repository.target import Refused
from factory.system.files.lock import Locked, exclusive
from tests.support.answers import a_proposal
from tests.support.builds import BuildScene, writes
from tests.support.repositories import files_of, make_repo
from tests.support.requests import a_request
from tests.support.scripted_model import ScriptedModel


class Fickle:
    """A model that answers the second work order with prose until it is `better`."""

    better = False

    def __call__(self, order_id: str, _attempt: int, _request: Request) -> str:
        if order_id == "WO-02" and not self.better:
            return "prose"
        return a_proposal({f"{order_id}.txt": f"by {order_id}\n"})


@pytest.fixture
def fickle() -> Fickle:
    return Fickle()


@pytest.fixture
def scene(tmp_path: Path, fickle: Fickle) -> BuildScene:
    """A build of three whose second has failed."""
    orders = [writes(f"WO-0{number}.txt") for number in (1, 2, 3)]
    scene = BuildScene(make_repo(tmp_path / "repo"), orders, fickle)
    assert scene.build().ended.exit_code == 1
    return scene


def kept(scene: BuildScene) -> dict[str, bytes]:
    """All that the build left, but the lock, which tells who held it last."""
    return {name: data for name, data in files_of(scene.out).items() if name != "lock"}


def state_of(built: Built) -> BuildState:
    assert built.state is not None
    return built.state


def test_the_next_build_asks_anew_and_both_answers_stay_paid(scene: BuildScene, fickle: Fickle) -> None:
    before = require_state(scene.out)
    assert scene.build().ended.exit_code == 1
    assert len(scene.model.asked) == 3
    fickle.better = True

    done = reset(scene.out, scene.out / "ledger", [])
    after = require_state(scene.out)
    built = scene.build()

    assert done == (Reset("WO-02", 2),)
    assert after.spent == before.spent
    assert built.ended.exit_code == 0
    assert scene.model.asked == [
        ("WO-01", 1),
        ("WO-02", 1),
        ("WO-02", 2),
        ("WO-02", 1),
        ("WO-03", 1),
    ]
    # Each answer has 100 tokens in.
    state = state_of(built)
    assert (state.spent.input_tokens, state.wasted.input_tokens) == (500, 200)


def test_what_was_retired_counts_in_a_budget(scene: BuildScene) -> None:
    ledger = Ledger(scene.out / "ledger")
    price = Price(Decimal(1_000_000), Decimal(1_000_000))

    def spent() -> str:
        model = ScriptedModel([])
        limited = ledger.wrap(model, Budget(Limits(usd=Decimal(1), price=price), ledger).permit(model))
        with pytest.raises(BudgetReached) as caught:
            limited.complete(a_request(attempt=9))
        return caught.value.message.partition("; ")[2]

    before = spent()

    reset(scene.out, ledger.directory, [])

    assert before == "$360.0000 of $1 are spent"
    assert spent() == before


def test_a_reset_for_the_second_time_finds_nothing_and_loses_nothing(scene: BuildScene) -> None:
    reset(scene.out, scene.out / "ledger", [])
    before = (files_of(scene.out / "ledger"), require_state(scene.out))

    assert reset(scene.out, scene.out / "ledger", ["WO-02"]) == (Reset("WO-02", 0),)

    assert (files_of(scene.out / "ledger"), require_state(scene.out)) == before


def test_two_resets_keep_what_both_builds_paid(scene: BuildScene) -> None:
    ledger = Ledger(scene.out / "ledger")
    reset(scene.out, ledger.directory, [])
    assert scene.build().ended.exit_code == 1
    reset(scene.out, ledger.directory, [])
    assert scene.build().ended.exit_code == 1

    paid = list(ledger.paid())

    assert len(paid) == 7
    assert len(list(ledger.entries())) == 3
    assert require_state(scene.out).spent.input_tokens == 700
    assert require_state(scene.out).wasted.input_tokens == 600


def test_an_answer_of_a_build_that_was_killed_is_found_without_its_folder(scene: BuildScene) -> None:
    for path in sorted(scene.out.glob("*/run.json")):
        path.unlink()
    (scene.out / "events.jsonl").unlink()

    assert reset(scene.out, scene.out / "ledger", []) == (Reset("WO-02", 2),)


def test_with_another_ledger_nothing_is_told_as_reset(scene: BuildScene, tmp_path: Path) -> None:
    before = kept(scene)

    assert reset(scene.out, tmp_path / "other", []) == ()

    assert kept(scene) == before


def test_a_blocked_work_order_that_is_named_is_told_of(scene: BuildScene) -> None:
    assert reset(scene.out, scene.out / "ledger", ["WO-03", "WO-02"]) == (
        Reset("WO-02", 2),
        Reset("WO-03", 0),
    )


def test_nothing_failed_and_nothing_named_is_nothing_to_do(tmp_path: Path) -> None:
    scene = BuildScene(make_repo(tmp_path / "repo"), [writes("WO-01.txt")], Fickle())
    scene.build()

    assert reset(scene.out, scene.out / "ledger", []) == ()


def test_what_landed_or_is_unknown_is_refused_and_nothing_changes(scene: BuildScene) -> None:
    before = kept(scene)

    with pytest.raises(Refused, match="WO-01 landed, and what has landed is not asked again"):
        reset(scene.out, scene.out / "ledger", ["WO-02", "WO-01"])
    with pytest.raises(Refused, match="no work order WO-07, x"):
        reset(scene.out, scene.out / "ledger", ["WO-02", "WO-07", "x"])

    assert kept(scene) == before


def test_a_running_build_is_left_alone(scene: BuildScene) -> None:
    before = files_of(scene.out / "ledger")

    with exclusive(scene.out / "lock", "factory build"), pytest.raises(Locked, match="factory build"):
        reset(scene.out, scene.out / "ledger", [])

    assert files_of(scene.out / "ledger") == before


def test_without_a_build_nothing_is_made(tmp_path: Path) -> None:
    with pytest.raises(NoBuild, match=r"there is no state\.json"):
        reset(tmp_path, tmp_path / "ledger", [])

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("name", "error"), [("state.json", StateCorrupt), ("ledger/{}.json", DamagedLedger)])
def test_a_damaged_file_stops_before_anything_is_changed(
    scene: BuildScene, name: str, error: type[WorkorderError]
) -> None:
    key = max(Ledger(scene.out / "ledger").stored_keys())
    (scene.out / name.format(key)).write_text("{")
    before = kept(scene)

    with pytest.raises(error):
        reset(scene.out, scene.out / "ledger", [])

    assert kept(scene) == before

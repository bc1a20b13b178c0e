"""Runs that ask for a second opinion: a wrong value of the plan costs no further attempt."""

import json
from pathlib import Path

import pytest

from factory.contract.strict_json import JsonValue
from factory.contract.work_order import MANIFEST_NAME
from factory.llm.port import ProviderError
from factory.runs.record.files import REPAIR_REQUEST
from tests.support.answers import a_proposal
from tests.support.repositories import commit_files, make_repo
from tests.support.runs import Scene

pytestmark = pytest.mark.slow

COMMAND = "python -c 'from double import double; assert double(2) == 98765'"
WORK = a_proposal({"double.py": "def double(number):\n    return number * 2\n"})


def opinion(value: str, *, determined: bool = True) -> str:
    entry = {"number": 1, "determined": determined, "value": value, "reason": "Twice two is four."}
    return json.dumps({"values": [entry]})


@pytest.fixture
def order() -> dict[str, JsonValue]:
    return {
        "allowed_files": ["double.py"],
        "acceptance_commands": [COMMAND],
        "requirements": ["REQ-01"],
    }


def with_plan(scene: Scene) -> Scene:
    """The scene with the plan of its work order beside it."""
    document = json.loads(scene.work_order.read_text())
    requirement = {"id": "REQ-01", "text": "x", "quotes": ["`double(n)` returns twice the number."]}
    plan = {"requirements": [requirement], "work_orders": [document]}
    (scene.work_order.parent / MANIFEST_NAME).write_text(json.dumps(plan))
    return scene


def test_a_disputed_value_is_the_plans_defect_and_no_further_attempt_is_paid(
    tmp_path: Path, order: dict[str, JsonValue]
) -> None:
    scene = with_plan(Scene(make_repo(tmp_path / "repo"), [WORK, opinion("4"), WORK], **order))

    finished = scene.run(oracle_check="auto")

    assert finished.ending.exit_code == 4
    assert scene.asked == 2
    assert finished.folder is not None
    request = REPAIR_REQUEST.read(finished.folder)
    assert request is not None and request.at_fault == "plan"
    assert "returns twice the number" in request.evidence.output
    question = (finished.folder / "second_opinion" / "question_1.txt").read_text()
    assert "double(2)" in question and "98765" not in question


@pytest.mark.parametrize(
    "said", [opinion("98765"), opinion("4", determined=False), "no JSON", ProviderError("down")]
)
def test_without_another_value_the_attempt_has_failed_as_before(
    tmp_path: Path, order: dict[str, JsonValue], said: str | ProviderError
) -> None:
    scene = with_plan(Scene(make_repo(tmp_path / "repo"), [WORK, said], **order))
    assert scene.run(oracle_check="auto", max_attempts=1).ending.exit_code == 1


def test_always_asks_before_an_attempt_is_paid(tmp_path: Path, order: dict[str, JsonValue]) -> None:
    scene = with_plan(Scene(make_repo(tmp_path / "repo"), [opinion("4"), WORK], **order))
    assert scene.run(oracle_check="always").ending.exit_code == 4
    assert scene.asked == 1


def test_nobody_is_asked_unless_it_is_switched_on_or_without_the_requirements(
    tmp_path: Path, order: dict[str, JsonValue]
) -> None:
    scene = with_plan(Scene(make_repo(tmp_path / "repo"), [WORK, WORK], **order))
    assert scene.run(max_attempts=1).ending.exit_code == 1
    assert scene.asked == 1

    alone = Scene(make_repo(tmp_path / "other" / "repo"), [WORK, WORK], **order)
    assert alone.run(oracle_check="auto", max_attempts=1).ending.exit_code == 1
    assert alone.asked == 1
    assert any("no second opinion" in line or "second opinion without" in line for line in alone.progress)


def test_the_work_order_that_owns_a_failing_test_is_named_when_a_later_one_runs_into_it(
    tmp_path: Path,
) -> None:
    repo = make_repo(tmp_path / "repo", {"base.py": "def size():\n    return 2\n"})
    tested = "from base import size\n\n\ndef test_size():\n    assert size() == 2\n"
    commit_files(
        repo, {"test_base.py": tested}, "WO-07: x\n\nWork-Order: WO-07\nContract: c0ffee\nRun-Id: r1\n"
    )
    broken = a_proposal(
        {"base.py": "def size():\n    return 3\n"}, bases={"base.py": (repo / "base.py").read_text()}
    )
    scene = Scene(repo, [broken], allowed_files=["base.py"], acceptance_commands=["true"])

    finished = scene.run(max_attempts=1)

    assert finished.ending.exit_code == 1 and finished.folder is not None
    request = REPAIR_REQUEST.read(finished.folder)
    assert request is not None and request.at_fault == "plan or code"
    (failing,) = request.failing_tests
    assert (failing.test, failing.work_order) == ("test_base.py::test_size", "WO-07")

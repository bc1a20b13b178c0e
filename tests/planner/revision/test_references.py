"""Answers that name what stays instead of copying it."""

import json
from pathlib import Path

import pytest

from factory.contract.identity import contract_hash
from factory.contract.repo_path import RepoPath
from factory.contract.services.declared import Service
from factory.contract.work_order import Condition, Plan
from planner.check.document import check_reply
from planner.cli import main
from planner.compile.emit import with_computed_fields, write_plan
from planner.compile.ending import Outcome
from planner.compile.manifest_schema import revision_schema
from planner.revision.amendment import Amendment, content
from planner.revision.references import each_alone, resolved
from planner.specification.spec import Spec
from tests.support.plans import Json, absent
from tests.support.revisions import Bench, answer, codes, document, mend, same, step


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_what_stays_is_named_and_not_copied(bench: Bench) -> None:
    changed = document()
    mend(changed)
    whole = changed["work_orders"][1]
    answered = {
        "system_overview": None,
        "verify_contract": None,
        "requirements": [same(f"REQ-0{number}") for number in (1, 2, 3)],
        "work_orders": [same("WO-01"), whole, same("WO-03")],
    }

    result = bench.revise([json.dumps(answered)], "--failure", bench.failure())

    assert (result.summary.outcome, codes(result)) == (Outcome.WRITTEN, [])
    before, after = bench.before, bench.after
    assert after.work_orders[1].intent == whole["intent"]
    assert [contract_hash(after.work_orders[place]) for place in (0, 2)] == [
        contract_hash(before.work_orders[place]) for place in (0, 2)
    ]
    assert (after.requirements, after.system_overview) == (before.requirements, before.system_overview)
    assert bench.models[-1].requests[0].answer_schema == revision_schema()


def test_a_work_order_is_named_with_the_fields_that_change(bench: Bench) -> None:
    answered = {
        "requirements": [same("REQ-01 to REQ-03")],
        "work_orders": [
            same("WO-01"),
            {**same("WO-02"), "intent": "Sort them.", "notes": None},
            same("WO-03"),
        ],
    }

    result = bench.revise([json.dumps(answered)], "--failure", bench.failure())

    assert (result.summary.outcome, codes(result)) == (Outcome.WRITTEN, [])
    before, after = bench.before.work_orders[1], bench.after.work_orders[1]
    assert after.intent == "Sort them."
    assert content(after.model_copy(update={"intent": before.intent})) == content(before)


def test_conditions_follow_files_that_change() -> None:
    before = Plan.model_validate(document())
    changed = {**same("WO-02"), "allowed_files": ["other.py"]}
    made = resolved({"work_orders": [same("WO-01"), changed, same("WO-03")]}, before)
    orders = made["work_orders"]
    assert isinstance(orders, list) and isinstance(orders[1], dict) and isinstance(orders[2], dict)
    assert orders[1]["allowed_files"] == ["other.py"]
    assert {"preconditions", "postconditions"}.isdisjoint(orders[1])
    assert "postconditions" in orders[2]


def test_a_requirement_that_changes_is_written_whole(bench: Bench) -> None:
    answered = document()
    answered["requirements"][0] = {**same("REQ-01"), "text": "Something else."}
    result = bench.revise([json.dumps(answered)], "--feedback", "Sort.", "--max-attempts", "1")
    (diagnostic,) = (found for found in result.diagnostics if found.code == "E211")
    assert "stands beside other fields" in diagnostic.message


def test_several_that_follow_each_other_are_named_by_the_first_and_the_last() -> None:
    before = Plan.model_validate(document())
    every = each_alone(
        {"requirements": [same("REQ-01 to REQ-03")], "work_orders": [same("WO-02 to WO-03")]}, before
    )
    each: Json = {
        "requirements": [same("REQ-01"), same("REQ-02"), same("REQ-03")],
        "work_orders": [same("WO-02"), same("WO-03")],
    }
    assert every == each
    for nothing in ("REQ-03 to REQ-01", "REQ-01 to REQ-77", "WO-01 to WO-02"):
        answered: Json = {"requirements": [same(nothing)]}
        assert each_alone(answered, before) == answered
        assert resolved(answered, before)["requirements"] == [same(nothing)]


def test_requirements_that_are_named_together_are_not_taken_from_the_specification_again() -> None:
    before = Plan.model_validate(document())
    lines = ["- REQ-01: It prints words.", "- REQ-02: It sorts them.", "- REQ-03: It counts them."]
    changed = document()["work_orders"][2] | {"intent": "Count them, letter by letter."}
    changed.pop("postconditions")
    answered = {
        "requirements": [same("REQ-01 to REQ-03")],
        "work_orders": [same("WO-01 to WO-02"), changed],
    }

    spec, amendment = Spec.of_text("\n".join(lines)), Amendment(before, failing="WO-03")
    checked = check_reply(json.dumps(answered), frozenset(), spec, amendment=amendment)

    assert checked.plan is not None
    assert [requirement.id for requirement in checked.plan.requirements] == ["REQ-01", "REQ-02", "REQ-03"]
    assert [diagnostic.code for diagnostic in checked.diagnostics if diagnostic.code == "E202"] == []
    kept = [order.model_dump() for order in checked.plan.work_orders[:2]]
    assert kept == [order.model_dump() for order in before.work_orders[:2]]
    assert checked.plan.work_orders[2].postconditions


def test_services_of_the_present_plan_stay_where_nothing_is_said_of_them() -> None:
    bare = Plan.model_construct(**{**document(), "requirements": (), "work_orders": ()})
    before = bare.model_copy(update={"services": (Service(preset="postgres"),)})

    assert "services" not in resolved({}, bare)
    assert resolved({}, before)["services"] == [Service(preset="postgres").model_dump(mode="json")]


def test_a_work_order_that_is_named_gets_the_number_of_its_place(bench: Bench) -> None:
    between = step(3, "between.py", "REQ-01")
    answered = {
        "requirements": [same(f"REQ-0{number}") for number in (1, 2, 3)],
        "work_orders": [same("WO-01"), same("WO-02"), between, same("WO-03")],
    }

    result = bench.revise([json.dumps(answered)], "--feedback", "Put something between.")

    assert result.summary.outcome is Outcome.WRITTEN
    assert [order.title for order in bench.after.work_orders] == ["Step 1", "Step 2", "Step 3", "Step 3"]
    assert content(bench.after.work_orders[3]) == content(bench.before.work_orders[2])


class TestWhereALaterOneHasLanded:
    def test_the_number_of_one_that_is_dropped_stays_free(self, bench: Bench) -> None:
        # What held before it landed, and does not any more.
        began = document()
        began["work_orders"][2]["preconditions"] = [absent("count.py")]
        plan = with_computed_fields(Plan.model_validate(began), frozenset(), "c0ffee")
        write_plan(plan, bench.root / "plan", overwrite=True)
        bench.land(plan, 3, {"count.py": "print(1)\n"})
        answered = {
            "requirements": [same("REQ-01 to REQ-03")],
            "work_orders": [same("WO-01"), same("WO-03"), step(4, "other.py", "REQ-02")],
        }

        result = bench.revise([json.dumps(answered)], "--feedback", "Sort in another file.")

        assert (result.summary.outcome, codes(result)) == (Outcome.WRITTEN, [])
        assert [order.id for order in bench.after.work_orders] == ["WO-01", "WO-03", "WO-04"]
        revised, repo = str(bench.root / "revised"), str(bench.root / "repo")
        assert main(["check", revised]) == main(["check", revised, "--repo", repo]) == 0

    def test_one_in_its_place_begins_with_the_files_that_have_landed(self, bench: Bench) -> None:
        bench.land(bench.before, 3, {"count.py": "print(1)\n"})
        taken = step(2, "count.py", "REQ-02")
        del taken["postconditions"]
        answered = {
            "requirements": [same("REQ-01 to REQ-03")],
            "work_orders": [same("WO-01"), taken, same("WO-03")],
        }

        result = bench.revise([json.dumps(answered)], "--feedback", "Sort where it counts.")

        assert (result.summary.outcome, codes(result)) == (Outcome.WRITTEN, [])
        assert bench.after.work_orders[1].preconditions == (
            Condition(kind="file_exists", path=RepoPath.parse("count.py")),
        )

    def test_what_stands_before_it_with_its_number_is_sent_back(self, bench: Bench) -> None:
        bench.land(bench.before, 3, {"count.py": "print(1)\n"})
        answered = {
            "requirements": [same("REQ-01 to REQ-03")],
            "work_orders": [same("WO-01"), same("WO-02"), step(3, "new.py", "REQ-02"), same("WO-03")],
        }

        result = bench.revise([json.dumps(answered)], "--feedback", "More.", "--max-attempts", "1")

        hints = {diagnostic.hint for diagnostic in result.diagnostics if diagnostic.code == "E001"}
        assert hints == {"it has landed and keeps its number: what is new comes after it, with a higher one"}


@pytest.mark.parametrize(
    ("element", "message"),
    [
        (same("WO-09"), "the present plan has no `WO-09`"),
        (same("WO-01"), "`WO-01` has been used"),
        (same("REQ-01"), "`REQ-01` has been used, or belongs into another list"),
        ({**same("WO-03"), "id": "WO-03"}, "`same_as` stands beside other fields"),
        ({"same_as": 3}, "`same_as` is not an id"),
    ],
)
def test_one_that_stands_for_nothing_is_told(bench: Bench, element: Json, message: str) -> None:
    def point(plan: Json) -> None:
        mend(plan)
        plan["work_orders"][0] = same("WO-01")
        plan["work_orders"][2] = element

    result = bench.revise([answer(point)], "--failure", bench.failure(), "--max-attempts", "1")

    # Its requirement has no work order now, which is told as well.
    assert set(codes(result)) == {"E203", "E206", "E211"}
    (diagnostic,) = (diagnostic for diagnostic in result.diagnostics if diagnostic.code == "E211")
    assert diagnostic.pointer == "/work_orders/2"
    assert message in diagnostic.message

"""What an amended plan must keep, and what may change in it."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from factory.contract.identity import contract_hash
from factory.contract.work_order import NOT_BINDING_FIELDS, Plan, WorkOrder
from planner.check.document import check_document, check_reply
from planner.cli import main
from planner.commands.reasons.comparison import impact_of
from planner.compile.emit import with_computed_fields, write_plan
from planner.compile.ending import Outcome
from planner.revision.amendment import Amendment
from planner.specification.spec import Spec
from tests.support.plans import Json, absent, exists
from tests.support.repositories import git
from tests.support.revisions import (
    CHANGED,
    SPEC,
    Bench,
    answer,
    codes,
    document,
    mend,
    on_top,
    same,
    step,
)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def forge(plan: Json) -> None:
    mend(plan)
    plan["work_orders"][0]["intent"] = "Print words, but better."


class TestFailure:
    def test_a_landed_work_order_that_was_altered_is_sent_back(self, bench: Bench) -> None:
        result = bench.revise([answer(forge), answer(mend)], "--failure", bench.failure())
        assert result.summary.outcome is Outcome.WRITTEN
        sent_back = bench.prompt(1)
        assert "error[E209] WO-01 /work_orders/0: WO-01 has landed, and other values" in sent_back
        assert contract_hash(bench.after.work_orders[0]) == contract_hash(bench.before.work_orders[0])

    @pytest.mark.parametrize(
        "lose",
        [
            lambda plan: plan["work_orders"].pop(0),
            lambda plan: plan["work_orders"].reverse(),
            lambda plan: plan["work_orders"][0].update(title=7),
            lambda plan: plan["work_orders"].insert(0, step(1, "new.py")),
        ],
    )
    def test_a_landed_work_order_keeps_its_place(self, bench: Bench, lose: Callable[[Json], None]) -> None:
        def change(plan: Json) -> None:
            lose(plan)
            for number, order in enumerate(plan["work_orders"], start=1):
                order["id"] = f"WO-{number:02d}"

        result = bench.revise([answer(change)], "--failure", bench.failure(), "--max-attempts", "1")
        assert result.summary.exit_code == 2
        assert "E209" in codes(result)
        assert not (bench.root / "revised").exists()

    @pytest.mark.parametrize(
        "lose",
        [
            lambda orders: orders[1].update(intent="Sort them, but better."),
            lambda orders: orders[1].update(red_exempt=[{"command": "python sort.py", "reason": "Green."}]),
            lambda orders: orders.insert(1, {**step(2, "new.py"), "requirements": ["REQ-02"]}),
            lambda orders: orders.append(orders.pop(1)),
        ],
        ids=["altered", "exempt", "moved back", "moved to the end"],
    )
    def test_what_comes_before_the_failure_stays_at_its_place(
        self, bench: Bench, lose: Callable[[list[Json]], None]
    ) -> None:
        def change(plan: Json) -> None:
            plan["work_orders"][2]["intent"] = "Count them, with the option."

        def more(plan: Json) -> None:
            change(plan)
            lose(plan["work_orders"])
            for number, order in enumerate(plan["work_orders"], start=1):
                order["id"] = f"WO-{number:02d}"

        # The specification alone gives no other reason.
        asked = ["--failure", bench.failure(3), "--spec", bench.spec(SPEC)]
        result = bench.revise([answer(more), answer(change)], *asked)
        assert result.summary.outcome is Outcome.WRITTEN
        assert "WO-02 of the plan before comes before WO-03, which failed, and is not" in bench.prompt(1)
        assert "error[E207] WO-02 /work_orders/1: " in bench.prompt(1)
        assert contract_hash(bench.after.work_orders[1]) == contract_hash(bench.before.work_orders[1])

    def test_what_comes_after_the_failure_may_change(self, bench: Bench) -> None:
        def change(plan: Json) -> None:
            mend(plan)
            plan["work_orders"][2]["intent"] = "Count what is sorted."
            plan["work_orders"].insert(2, step(3, "between.py"))
            plan["work_orders"][3]["id"] = "WO-04"

        result = bench.revise([answer(change)], "--failure", bench.failure())
        assert (result.summary.outcome, codes(result)) == (Outcome.WRITTEN, [])

    def test_what_the_specification_touches_may_change_before_the_failure(self, bench: Bench) -> None:
        def change(plan: Json) -> None:
            plan["requirements"][1]["quotes"] = ["It sorts them backwards."]
            plan["work_orders"][1]["intent"] = "Sort them backwards."
            plan["work_orders"][2]["intent"] = "Count them, with the option."

        changed = bench.spec(SPEC.replace("sorts them", "sorts them backwards"))
        result = bench.revise([answer(change)], "--failure", bench.failure(3), "--spec", changed)
        assert (result.summary.outcome, codes(result)) == (Outcome.WRITTEN, [])

    def test_a_check_is_not_given_up(self, bench: Bench) -> None:
        def weaken(plan: Json) -> None:
            plan["work_orders"][1]["acceptance_commands"] = ["test -f sort.py"]

        def drop(plan: Json) -> None:
            del plan["requirements"][1], plan["work_orders"][1]
            plan["work_orders"][1]["id"] = "WO-02"

        for change in (weaken, drop):
            result = bench.revise(
                [answer(change)], "--failure", bench.failure(), "--max-attempts", "1", "--overwrite"
            )
            assert "E206" in codes(result)

    def test_a_plan_that_does_the_same_is_no_answer(self, bench: Bench) -> None:
        same = answer(lambda plan: None)
        result = bench.revise([same], "--failure", bench.failure(), "--max-attempts", "1")
        assert codes(result) == ["E210"]

    def test_what_landed_is_not_criticised_any_more(self, bench: Bench) -> None:
        altered = document()
        altered["work_orders"][0]["preconditions"] = [exists("gone.py")]
        plan = with_computed_fields(Plan.model_validate(altered), frozenset(), "c0ffee")
        write_plan(plan, bench.root / "plan", overwrite=True)
        bench.land(plan, 1, {"words.py": "print('b')\n"})
        mend(altered)
        result = bench.revise([json.dumps(altered)], "--failure", bench.failure())
        assert (result.summary.outcome, codes(result)) == (Outcome.WRITTEN, [])


class TestChangedSpecification:
    def test_a_change_to_what_landed_comes_on_top(self, bench: Bench) -> None:
        result = bench.revise([answer(on_top)], "--spec", bench.spec(CHANGED))
        assert result.summary.outcome is Outcome.WRITTEN
        assert [order.id for order in bench.after.work_orders] == ["WO-01", "WO-02", "WO-03", "WO-04"]
        assert bench.changes[0].endswith("1 more that may be affected; added WO-04")
        assert "REQ-01  dirty, taken by WO-01" in bench.prompt()
        provenance = bench.after.work_orders[3].provenance
        assert provenance is not None and provenance.spec_hash == result.summary.settings.spec_sha256

    def test_a_change_that_nothing_new_takes_is_sent_back(self, bench: Bench) -> None:
        def forget(plan: Json) -> None:
            plan["requirements"][0]["quotes"] = ["It prints letters."]

        bench.revise([answer(forget), answer(on_top)], "--spec", bench.spec(CHANGED))
        assert "error[E208] /requirements/0: " in bench.prompt(1)

    def test_a_new_line_that_nothing_new_takes_is_sent_back(self, bench: Bench) -> None:
        def add_to_what_landed(plan: Json) -> None:
            plan["requirements"][0]["quotes"].append("It must beep.")

        def build_it(plan: Json) -> None:
            add_to_what_landed(plan)
            plan["work_orders"].append(step(4, "beep.py", "REQ-01"))

        spec = bench.spec(SPEC + "- It must beep.\n")
        result = bench.revise([answer(add_to_what_landed), answer(build_it)], "--spec", spec)
        assert result.summary.outcome is Outcome.WRITTEN
        assert "error[E208] /requirements/0: `REQ-01` quotes line 4 of the" in bench.prompt(1)

    def test_what_comes_back_needs_new_work(self, bench: Bench) -> None:
        # Given a plan that has withdrawn what landed
        withdrawn = document()
        withdrawn["requirements"][0]["withdrawn"] = True
        plan = with_computed_fields(Plan.model_validate(withdrawn), frozenset(), "c0ffee")
        write_plan(plan, bench.root / "plan", overwrite=True)

        def name_it(plan: Json) -> None:
            plan["requirements"][0] = same("REQ-01")

        def build_it(plan: Json) -> None:
            more = step(4, "words.py", "REQ-01", preconditions=[exists("words.py")], title="Print again")
            plan["work_orders"].append(more)

        script = [answer(name_it), answer(lambda plan: None), answer(build_it)]
        result = bench.revise(script, "--spec", bench.spec(SPEC))
        assert result.summary.outcome is Outcome.WRITTEN
        assert "error[E211] /requirements/0: the present plan has no `REQ-01`" in bench.prompt(1)
        assert "error[E208] /requirements/0: `REQ-01` quotes line 1 of the" in bench.prompt(2)

    def test_who_may_write_what_a_dirty_one_has_written_is_affected(
        self, bench: Bench, capsys: pytest.CaptureFixture[str]
    ) -> None:
        # WO-01 has landed and changed old.py, which its contract does not tell; WO-03 may write it, too.
        altered = document()
        altered["work_orders"][2]["allowed_files"].append("old.py")
        altered["work_orders"][2]["postconditions"].append(exists("old.py"))
        plan = with_computed_fields(Plan.model_validate(altered), frozenset({"old.py"}), "c0ffee")
        write_plan(plan, bench.root / "plan", overwrite=True)
        arguments = ["impact", "--plan", str(bench.root / "plan"), "--spec", bench.spec(CHANGED)]
        assert main(arguments) == 0
        assert "WO-03" not in capsys.readouterr().out
        assert main([*arguments, "--repo", str(bench.root / "repo")]) == 0
        assert (
            "WO-03  may be affected, not landed  `Step 3`\n  writes `old.py`, as WO-01 does\n"
            in capsys.readouterr().out
        )

        on_top(altered)
        altered["work_orders"][2]["title"] = "Count, as letters"
        result = bench.revise([json.dumps(altered)], "--spec", bench.spec(CHANGED))
        assert (result.summary.outcome, codes(result)) == (Outcome.WRITTEN, [])

    def test_an_unaffected_work_order_stays_but_may_move(self, bench: Bench) -> None:
        def alter(plan: Json) -> None:
            on_top(plan)
            plan["work_orders"][2]["title"] = "Count, somehow"

        def move(plan: Json) -> None:
            on_top(plan)
            orders = plan["work_orders"]
            orders[2:] = [{**orders[3], "id": "WO-03"}, {**orders[2], "id": "WO-04"}]

        bench.revise([answer(alter), answer(move)], "--spec", bench.spec(CHANGED))
        assert "error[E207] WO-03 /work_orders/2: WO-03 of the plan before is not affected" in bench.prompt(1)
        assert bench.after.work_orders[3].allowed_files == ("count.py",)

    def test_what_the_specification_gave_up_is_withdrawn(self, bench: Bench) -> None:
        def leave_out(plan: Json) -> None:
            del plan["requirements"][0]

        gone = bench.spec(SPEC.replace("- It prints words.\n", ""))
        result = bench.revise([answer(leave_out)], "--spec", gone)
        assert result.summary.outcome is Outcome.WRITTEN
        assert {requirement.id: requirement.withdrawn for requirement in bench.after.requirements} == {
            "REQ-01": True,
            "REQ-02": False,
            "REQ-03": False,
        }
        # The plan is right by itself, too.
        assert main(["check", str(bench.root / "revised"), "--spec", gone]) == 0

    def test_what_it_still_says_is_not_left_out(self, bench: Bench) -> None:
        def leave_out(plan: Json) -> None:
            on_top(plan)
            del plan["requirements"][2], plan["work_orders"][2]
            plan["work_orders"][2]["id"] = "WO-03"

        result = bench.revise([answer(leave_out)], "--spec", bench.spec(CHANGED), "--max-attempts", "1")
        assert {"E206", "E207"} <= set(codes(result))


@pytest.mark.parametrize("branch", [[], ["--branch", "main"]])
def test_what_the_user_removed_can_be_made_again(bench: Bench, branch: list[str]) -> None:
    git(bench.root / "repo", "rm", "-q", "words.py")
    git(bench.root / "repo", "commit", "-qm", "Remove what WO-01 made")

    def again(condition: Json) -> str:
        changed = document()
        changed["work_orders"].insert(1, step(2, "words.py", "REQ-01", preconditions=[condition]))
        for number, order in enumerate(changed["work_orders"], start=1):
            order["id"] = f"WO-{number:02d}"
        return json.dumps(changed)

    script = [again(exists("words.py")), again(absent("words.py"))]
    result = bench.revise(script, "--feedback", "Make it again.", *branch)
    assert (result.summary.outcome, codes(result)) == (Outcome.WRITTEN, [])
    sent_back = bench.prompt(1)
    assert "error[E101] WO-02 /work_orders/1/preconditions/0: `words.py` does not exist" in sent_back
    revised, repo = str(bench.root / "revised"), str(bench.root / "repo")
    assert main(["check", revised, "--repo", repo, *branch]) == 0


@pytest.mark.parametrize("field", sorted(set(WorkOrder.model_fields) - NOT_BINDING_FIELDS))
def test_no_binding_field_of_a_landed_work_order_may_change(field: str) -> None:
    before = Plan.model_validate(document())
    other: Json = {
        "intent": "Other.",
        "id": "WO-07",
        "preconditions": [exists("other.py")],
        "postconditions": [exists("words.py"), exists("words.py")],
        "provides": ["words:f() -> None"],
        "consumes": ["words:f() -> None"],
        "red_exempt": [{"command": "python words.py", "reason": "Other."}],
        "requirements": [],
        "project": "other",
        "fixed_files": [{"path": "words.py", "text": "Other.\n"}],
        "requires_packages": [{"ecosystem": "python", "specifier": "other"}],
    }
    altered = document()
    altered["work_orders"][0][field] = other.get(field, ["other.py"])
    amendment = Amendment(before, frozenset({"WO-01"}))
    diagnostics = check_document(altered, frozenset(), amendment=amendment).diagnostics
    messages = [diagnostic.message for diagnostic in diagnostics if diagnostic.code == "E209"]
    assert messages == [f"WO-01 has landed, and other values than before stand here for `{field}`"]


def test_the_hint_for_a_landed_work_order_is_what_the_prompt_says_and_clears_the_finding() -> None:
    before = Plan.model_validate(document())
    amendment = Amendment(before, frozenset({"WO-01"}))
    altered = document()
    altered["work_orders"][0]["intent"] = "Other."
    (found,) = check_reply(json.dumps(altered), frozenset(), amendment=amendment).diagnostics
    reference = found.hint[found.hint.index("{") : found.hint.index("}") + 1]

    altered["work_orders"][0] = json.loads(reference)

    assert "letter for letter" not in found.hint
    assert check_reply(json.dumps(altered), frozenset(), amendment=amendment).ok


def test_what_binds_nobody_may_change_in_a_landed_work_order() -> None:
    altered = document()
    altered["work_orders"][0] |= {"title": "Other", "notes": "Other."}
    amendment = Amendment(Plan.model_validate(document()), frozenset({"WO-01"}))
    diagnostics = check_document(altered, frozenset(), amendment=amendment).diagnostics
    assert "E209" not in {diagnostic.code for diagnostic in diagnostics}


@pytest.mark.parametrize("value", [None, [], {}, 7, "x", [[]], [{}], [{"id": []}], [{"id": {}}]])
@pytest.mark.parametrize("key", ["requirements", "work_orders", "verify_contract"])
def test_any_answer_is_judged(key: str, value: Any) -> None:
    before = Plan.model_validate(document())
    touched = impact_of(before, None, Spec.of_text(CHANGED), None)
    landed = frozenset({"WO-01"})
    reply = json.dumps({**document(), key: value})
    for amendment in (
        Amendment(before, landed, touched, within_impact=True, must_change=True),
        Amendment(before, landed, touched, failing="WO-03", must_change=True),
        Amendment(before, landed, failing="WO-03", must_change=True),
    ):
        checked = check_reply(reply, frozenset(), Spec.of_text(CHANGED), amendment=amendment)
        assert not checked.ok

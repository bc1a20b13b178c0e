"""A plan becomes commits: in the plan's order, whatever is executed when."""

import re
import shutil
import threading
from decimal import Decimal
from pathlib import Path

import pytest

from factory.attempt.brief import excerpt
from factory.builds.state.machine import BuildPhase, OrderPhase
from factory.builds.watch import Doing
from factory.contract.note import Note
from factory.gates.step import Step, StepKind
from factory.llm.port import ProviderError, Request
from factory.llm.spending.prices import Price
from factory.runs.record.files import REPAIR_REQUEST
from tests.support.answers import a_proposal, an_edit
from tests.support.builds import BuildScene, ReplyingModel, write_plan, writes
from tests.support.repositories import commit_files, git, make_repo
from tests.support.runs import read_object


def writes_its_file(order_id: str, _attempt: int, _request: Request) -> str:
    return a_proposal({f"{order_id}.txt": f"by {order_id}\n"})


THREE = [writes("WO-01.txt"), writes("WO-02.txt"), writes("WO-03.txt")]


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return make_repo(tmp_path / "repo")


@pytest.mark.parametrize("jobs", [1, 4])
def test_all_work_orders_land_in_the_plans_order(repo: Path, jobs: int) -> None:
    orders = [{**order, "depends_on": []} for order in THREE]
    scene = BuildScene(repo, orders, writes_its_file)

    built = scene.build(jobs=jobs)

    assert (built.ended.exit_code, built.ended.message) == (0, "3 of 3 work orders have landed on main")
    assert scene.landed() == ["WO-01", "WO-02", "WO-03"]
    assert built.state is not None
    assert built.state.state is BuildPhase.COMPLETE
    assert {order.state for order in built.state.orders} == {OrderPhase.LANDED}
    assert git(repo, "status", "--porcelain") == ""
    assert (repo / "WO-03.txt").read_text() == "by WO-03\n"
    assert sorted(scene.model.asked) == [("WO-01", 1), ("WO-02", 1), ("WO-03", 1)]


def test_the_commit_of_a_repair_also_says_what_it_repaired(repo: Path) -> None:
    def repairs(order_id: str, attempt: int, _request: Request) -> str:
        name = f"{order_id}.txt"
        return a_proposal({name: "bad\n"}) if attempt == 1 else an_edit(name, "bad\n", ("bad", "good"))

    order = writes("WO-01.txt", acceptance_commands=["grep -q good WO-01.txt"])
    assert BuildScene(repo, [order], repairs).build().ended.exit_code == 0

    assert "\n\n  Wrote the files.\n\n  Edited WO-01.txt.\n\nWork-Order: " in git(
        repo, "log", "-1", "--format=%B"
    )


def test_building_again_asks_nobody(repo: Path) -> None:
    scene = BuildScene(repo, THREE, writes_its_file)
    scene.build()
    trees = scene.trees()

    built = scene.build()

    assert built.ended.exit_code == 0
    assert len(scene.model.asked) == 3
    assert scene.trees() == trees


@pytest.mark.parametrize("landed", [2, 3])
def test_a_branch_that_is_made_from_what_has_landed_holds_it(repo: Path, landed: int) -> None:
    scene = BuildScene(repo, THREE, writes_its_file)
    scene.build()
    git(repo, "reset", "--hard", f"HEAD~{3 - landed}")
    shutil.rmtree(scene.out)

    def fails(_order_id: str, _attempt: int, _request: Request) -> str:
        raise ProviderError("the model is away")

    built = BuildScene(repo, THREE, fails).build(branch="next")

    assert built.ended.message.endswith(f"{landed} of 3 work orders have landed on next")
    assert git(repo, "rev-parse", "next") == git(repo, "rev-parse", "main")


def test_without_depends_on_each_work_order_sees_all_before_it(repo: Path) -> None:
    second = writes("WO-02.txt", context_files=["WO-01.txt"])
    scene = BuildScene(repo, [writes("WO-01.txt"), second], writes_its_file)

    assert scene.build(jobs=4).ended.exit_code == 0

    assert "by WO-01" in scene.model.prompts["WO-02", 1]


def test_a_work_order_sees_only_what_it_depends_on(repo: Path) -> None:
    orders = [
        writes("WO-01.txt", depends_on=[]),
        writes("WO-02.txt", depends_on=[]),
        writes("WO-03.txt", depends_on=["WO-02"], context_files=["WO-01.txt", "WO-02.txt"]),
    ]
    scene = BuildScene(repo, orders, writes_its_file)

    assert scene.build().ended.exit_code == 0

    assert "by WO-02" in scene.model.prompts["WO-03", 1]
    assert "by WO-01" not in scene.model.prompts["WO-03", 1]


@pytest.mark.parametrize("jobs", [1, 3])
def test_guidance_is_that_of_what_a_work_order_starts_from_in_every_schedule(repo: Path, jobs: int) -> None:
    # Given a work order that writes an AGENTS.md, and one that depends on it, and one that does not
    orders = [
        writes("sub/AGENTS.md", depends_on=[]),
        writes("sub/WO-02.txt", depends_on=["WO-01"]),
        writes("sub/WO-03.txt", depends_on=[]),
    ]
    commit_files(repo, {"AGENTS.md": "of the root\n"})

    def reply(order_id: str, _attempt: int, _request: Request) -> str:
        name = "AGENTS.md" if order_id == "WO-01" else f"{order_id}.txt"
        return a_proposal({f"sub/{name}": f"of {order_id}\n"})

    scene = BuildScene(repo, orders, reply)
    built = scene.build(jobs=jobs, notes=(Note("a.md", "a note\n"),))

    assert built.ended.exit_code == 0, built.ended.message
    shown = {
        order_id: re.findall(r'<(?:agents_md|note) id="\w+">\n"(.*)"\n\n(.*)\n', prompt)
        for (order_id, _), prompt in scene.model.prompts.items()
    }
    note = ("a.md", "a note")
    assert shown == {
        "WO-01": [note, ("AGENTS.md", "of the root")],
        "WO-02": [note, ("sub/AGENTS.md", "of WO-01")],
        "WO-03": [note, ("AGENTS.md", "of the root")],
    }


def test_the_gates_run_again_on_the_tree_that_will_be_the_tip(repo: Path) -> None:
    """The second was right on its base; beside the first it is wrong, and its next attempt sees that."""
    first = writes("WO-01.txt", depends_on=[])
    second = writes("WO-02.txt", depends_on=[])
    second["acceptance_commands"] = ["sh -c 'test ! -e WO-01.txt || grep -q again WO-02.txt'"]

    def reply(order_id: str, attempt: int, _request: Request) -> str:
        return a_proposal({f"{order_id}.txt": "once\n" if attempt == 1 else "again\n"})

    scene = BuildScene(repo, [first, second], reply)

    built = scene.build()

    assert built.ended.exit_code == 0
    assert scene.model.asked == [("WO-01", 1), ("WO-02", 1), ("WO-02", 2)]
    assert "acceptance_failed" in scene.model.prompts["WO-02", 2]
    assert (repo / "WO-02.txt").read_text() == "again\n"


def test_what_was_built_on_a_candidate_that_could_not_land_is_made_again(repo: Path) -> None:
    first = writes("WO-01.txt", depends_on=[])
    second = writes("WO-02.txt", depends_on=[])
    second["acceptance_commands"] = ["sh -c 'test ! -e WO-01.txt || grep -q again WO-02.txt'"]
    third = writes("WO-03.txt", depends_on=["WO-02"], context_files=["WO-02.txt"])

    def reply(order_id: str, attempt: int, request: Request) -> str:
        if order_id == "WO-03":
            seen = "again" if "again" in request.messages[-1].content else "once"
            return a_proposal({"WO-03.txt": f"saw {seen}\n"})
        return a_proposal({f"{order_id}.txt": "once\n" if attempt == 1 else "again\n"})

    scene = BuildScene(repo, [first, second, third], reply)

    assert scene.build(jobs=4).ended.exit_code == 0

    assert scene.landed() == ["WO-01", "WO-02", "WO-03"]
    assert (repo / "WO-03.txt").read_text() == "saw again\n"


def test_two_that_write_one_file_without_saying_so_do_not_overwrite_each_other(repo: Path) -> None:
    orders = [writes("a.txt", depends_on=[]), writes("a.txt", depends_on=[])]

    def reply(order_id: str, attempt: int, _request: Request) -> str:
        if attempt == 1:
            return a_proposal({"a.txt": f"{order_id}\n"})
        return a_proposal({"a.txt": "both\n"}, bases={"a.txt": "WO-01\n"})

    scene = BuildScene(repo, orders, reply)

    assert scene.build().ended.exit_code == 0

    assert git(repo, "show", "HEAD~1:a.txt") == "WO-01"
    assert (repo / "a.txt").read_text() == "both\n"
    assert "stale_context" in scene.model.prompts["WO-02", 2]


def test_attempts_on_all_bases_are_counted_where_they_are_spent(repo: Path) -> None:
    orders = [writes("a.txt", depends_on=[]), writes("a.txt", depends_on=[])]
    scene = BuildScene(repo, orders, lambda order_id, *_: a_proposal({"a.txt": f"{order_id}\n"}))

    ended = scene.build().ended

    assert "WO-02 failed: 2 attempts are spent, the last at stale_context" in ended.message


def test_the_first_failure_ends_the_build_where_a_sequential_one_would_end(repo: Path) -> None:
    orders = [{**order, "depends_on": []} for order in [*THREE, writes("WO-04.txt")]]

    def reply(order_id: str, attempt: int, request: Request) -> str:
        return "no json" if order_id == "WO-02" else writes_its_file(order_id, attempt, request)

    scene = BuildScene(repo, orders, reply)

    built = scene.build(jobs=4)

    assert built.ended.exit_code == 1
    assert "WO-02 failed: 2 attempts are spent" in built.ended.message
    assert "1 of 4 work orders have landed" in built.ended.message
    assert scene.landed() == ["WO-01"]
    assert built.state is not None
    assert built.state.state is BuildPhase.FAILED
    assert [order.state.value for order in built.state.orders] == ["landed", "failed", "pending", "pending"]


def test_keep_going_finishes_what_does_not_depend_on_the_failure(repo: Path) -> None:
    orders = [
        writes("WO-01.txt", depends_on=[]),
        writes("WO-02.txt", depends_on=[]),
        writes("WO-03.txt", depends_on=["WO-02"]),
        writes("WO-04.txt", depends_on=["WO-01"]),
    ]

    def reply(order_id: str, attempt: int, request: Request) -> str:
        return "no json" if order_id == "WO-02" else writes_its_file(order_id, attempt, request)

    scene = BuildScene(repo, orders, reply)

    built = scene.build(jobs=2, keep_going=True)

    assert built.ended.exit_code == 1
    assert scene.landed() == ["WO-01", "WO-04"]
    assert built.state is not None
    assert [order.state.value for order in built.state.orders] == ["landed", "failed", "blocked", "landed"]


def test_a_failed_work_order_is_tried_further_with_more_attempts(repo: Path) -> None:
    def reply(order_id: str, attempt: int, request: Request) -> str:
        return "no json" if attempt < 3 else writes_its_file(order_id, attempt, request)

    scene = BuildScene(repo, [writes("WO-01.txt")], reply)
    assert scene.build().ended.exit_code == 1

    assert scene.build(max_attempts=3).ended.exit_code == 0

    assert scene.model.asked == [("WO-01", 1), ("WO-01", 2), ("WO-01", 3)]


def test_one_that_is_retried_is_the_only_one_that_is_tried_anew(repo: Path) -> None:
    orders = [writes(f"WO-0{number}.txt", depends_on=[]) for number in (1, 2)]
    scene = BuildScene(repo, orders, lambda *_asked: "no json")
    assert scene.build(keep_going=True, max_attempts=1).ended.exit_code == 1
    scene.model = ReplyingModel(writes_its_file)

    built = scene.build(retried="WO-02", max_attempts=2)

    assert (scene.model.asked, scene.landed()) == ([("WO-02", 2)], ["WO-02"])
    assert built.state is not None
    assert [order.state.value for order in built.state.orders] == ["failed", "landed"]
    assert built.ended.message.startswith("WO-01 failed before, at llm_output_invalid: ")
    assert scene.build(max_attempts=2).ended.exit_code == 0


def test_a_plan_that_breaks_a_rule_ends_the_build_before_anything_is_spent(repo: Path) -> None:
    needs_more = writes("WO-02.txt", preconditions=[{"kind": "file_exists", "path": "absent.txt"}])
    scene = BuildScene(repo, [writes("WO-01.txt"), needs_more], writes_its_file)

    built = scene.build()

    assert built.ended.exit_code == 4
    assert built.ended.message == (
        "plan defect at preflight: plan: 1 error, 0 warnings\n"
        "error[E101] WO-02 /work_orders/1/preconditions/0: `absent.txt` does not exist at this point\n"
        "  hint: let an earlier work order create it, or drop the precondition\n"
        "0 of 2 work orders have landed on main"
    )
    assert scene.model.asked == []
    assert built.state is not None
    given_up, broken = built.state.orders
    assert built.state.state is BuildPhase.FAILED
    assert (given_up.state, given_up.last_failure, given_up.runs) == (OrderPhase.BLOCKED, None, ())
    assert broken.state is OrderPhase.FAILED
    assert broken.last_failure is not None
    assert "E101" in broken.last_failure.message
    assert built.ended.run_id == broken.runs[0].run_id
    request = read_object(scene.out / broken.runs[0].run_id / "repair_request.json")
    assert (request["work_order"], request["at_fault"]) == ("WO-02", "plan")
    summary = read_object(scene.out / broken.runs[0].run_id / "run_summary.json")
    assert (summary["outcome"], summary["exit_code"], summary["model_answers"]) == ("stopped", 4, 0)

    commit_files(repo, {"absent.txt": "is there now"})
    assert scene.build().ended.exit_code == 0


WARNED = writes("WO-02.txt", context_files=["absent.md"], requirements=["REQ-01"])
WARNED["acceptance_commands"] = ["grep -q WO-02 WO-02.txt"]


def test_a_warning_stops_a_plan_before_a_model_is_asked_and_says_the_ways_out(repo: Path) -> None:
    scene = BuildScene(repo, [writes("WO-01.txt"), WARNED], writes_its_file)

    built = scene.build()

    assert built.ended.exit_code == 4
    assert built.ended.message.startswith(
        "plan defect at preflight: plan: 0 errors, 1 warning\nwarning[W102] WO-02 "
    )
    assert "`planner revise`" in built.ended.hint
    assert "`accepted_warnings`" in built.ended.hint
    assert "`--warnings accept`" in built.ended.hint
    assert scene.model.asked == []
    assert built.state is not None
    assert [order.state for order in built.state.orders] == [OrderPhase.BLOCKED, OrderPhase.FAILED]

    accepted = {**WARNED, "accepted_warnings": [{"code": "W102", "reason": "Somebody writes it."}]}
    write_plan(scene.plan, [writes("WO-01.txt"), accepted])
    assert scene.build().ended.exit_code == 0


def test_a_warning_that_the_user_accepts_is_told(repo: Path) -> None:
    scene = BuildScene(repo, [writes("WO-01.txt"), WARNED], writes_its_file)
    assert scene.build().ended.exit_code == 4
    assert scene.build(warnings="accept").ended.exit_code == 0


def test_what_has_landed_is_not_judged_any_more(repo: Path) -> None:
    first = writes("WO-01.txt", preconditions=[{"kind": "file_absent", "path": "new.txt"}])
    scene = BuildScene(repo, [first], writes_its_file)
    assert scene.build().ended.exit_code == 0
    commit_files(repo, {"new.txt": "made since"})

    write_plan(scene.plan, [first, writes("WO-02.txt")])

    assert scene.build(accept_plan=True).ended.exit_code == 0
    assert scene.model.asked == [("WO-01", 1), ("WO-02", 1)]


@pytest.mark.parametrize("compiled", [True, False])
def test_dependencies_are_computed_anew_for_a_compiled_plan_only(repo: Path, compiled: bool) -> None:
    provenance = {"compile_hash": "0" * 16, "plan_hash": "0" * 64}
    computed = {"provenance": provenance} if compiled else {}
    plan = [writes("WO-01.txt", **computed), writes("WO-02.txt", depends_on=["WO-01"], **computed)]
    scene = BuildScene(repo, plan, writes_its_file)

    assert scene.build().ended.exit_code == 0

    bases = {read_object(path)["baseline"] for path in scene.out.glob("*/run.json")}
    assert len(bases) == (1 if compiled else 2)


def test_what_takes_the_number_of_a_dropped_one_starts_from_what_has_landed_after_it(repo: Path) -> None:
    def reply(order_id: str, attempt: int, request: Request) -> str:
        if order_id != "WO-02":
            return writes_its_file(order_id, attempt, request)
        is_new = "grep -q more" in request.messages[-1].content
        return a_proposal({"WO-03.txt": "more\n"}, bases={"WO-03.txt": "by WO-03\n"}) if is_new else "no json"

    provenance = {"compile_hash": "0" * 16, "plan_hash": "0" * 64}
    orders = [writes(f"WO-0{number}.txt", provenance=provenance) for number in (1, 2, 3)]
    scene = BuildScene(repo, orders, reply)
    assert scene.build(keep_going=True).ended.exit_code == 1

    exists = [{"kind": "file_exists", "path": "WO-03.txt"}]
    orders[1] = writes("WO-03.txt", preconditions=exists, provenance=provenance)
    orders[1]["acceptance_commands"] = ["grep -q more WO-03.txt"]
    write_plan(scene.plan, orders)

    assert scene.build(accept_plan=True).ended.exit_code == 0
    assert scene.landed() == ["WO-01", "WO-03", "WO-02"]
    assert (repo / "WO-03.txt").read_text() == "more\n"


def test_an_api_that_fails_ends_the_build_and_what_has_passed_still_lands(repo: Path) -> None:
    def reply(order_id: str, attempt: int, request: Request) -> str:
        if order_id == "WO-02" and not (repo.parent / "up").exists():
            raise ProviderError("the service is down")
        return writes_its_file(order_id, attempt, request)

    scene = BuildScene(repo, THREE, reply)

    built = scene.build()

    assert built.ended.exit_code == 3
    assert "the service is down" in built.ended.message
    assert built.state is not None
    assert built.state.state is BuildPhase.INTERRUPTED
    assert [order.state.value for order in built.state.orders] == ["landed", "pending", "pending"]
    (repo.parent / "up").touch()
    assert scene.build().ended.exit_code == 0
    assert scene.landed() == ["WO-01", "WO-02", "WO-03"]


def test_a_commit_of_the_users_in_between_is_what_the_rest_starts_from(repo: Path) -> None:
    def reply(order_id: str, attempt: int, request: Request) -> str:
        if order_id == "WO-02" and not (repo / "fixed.txt").exists():
            raise ProviderError("down")
        return writes_its_file(order_id, attempt, request)

    second = writes("WO-02.txt", context_files=["fixed.txt", "WO-01.txt"])
    scene = BuildScene(repo, [writes("WO-01.txt"), second], reply)
    scene.build()
    commit_files(repo, {"fixed.txt": "by hand\n"})

    assert scene.build().ended.exit_code == 0

    assert "by hand" in scene.model.prompts["WO-02", 1]
    assert "by WO-01" in scene.model.prompts["WO-02", 1]


def test_another_plan_is_refused_with_the_difference_until_it_is_accepted(repo: Path) -> None:
    scene = BuildScene(repo, THREE[:2], writes_its_file)
    scene.build()
    other = [THREE[0], {**THREE[1], "intent": "Another."}, THREE[2]]
    BuildScene(repo, other, writes_its_file)

    refused = scene.build()

    assert refused.ended.exit_code == 2
    assert "WO-02 has another contract, WO-03 is new" in refused.ended.message
    assert len(scene.model.asked) == 2

    def adds(order_id: str, _attempt: int, _request: Request) -> str:
        bases = {"WO-02.txt": "by WO-02\n"} if order_id == "WO-02" else {}
        return a_proposal({f"{order_id}.txt": f"anew by {order_id}\n"}, bases=bases)

    scene.model._reply = adds
    built = scene.build(accept_plan=True)
    assert built.ended.exit_code == 0
    assert scene.landed() == ["WO-01", "WO-02", "WO-02", "WO-03"]
    assert (repo / "WO-01.txt").read_text() == "by WO-01\n"
    # What was tried for the contract before is no part of the new one, derived from the folders either.
    derived = scene.build(rebuild_state=True)
    assert built.state is not None
    assert derived.state is not None
    for order, known in zip(derived.state.orders, built.state.orders, strict=True):
        assert (order.runs, order.attempt) == (known.runs, known.attempt)


def test_the_branch_that_a_directory_belongs_to_is_named_and_how_to_go_on(repo: Path) -> None:
    scene = BuildScene(repo, THREE[:1], writes_its_file)
    assert scene.build(branch="work").ended.exit_code == 0

    refused = scene.build().ended
    assert refused.exit_code == 2
    assert "to go on with it, say --branch work; else name another directory" in refused.hint

    scene.repo = repo.rename(repo.with_name("moved"))
    refused = scene.build(branch="work").ended
    assert refused.exit_code == 2
    assert "if the repository was moved, say --rebuild-state" in refused.hint
    assert scene.build(branch="work", rebuild_state=True).ended.exit_code == 0


@pytest.mark.parametrize("loss", ["deleted", "damaged"])
def test_the_state_is_a_view(repo: Path, loss: str) -> None:
    scene = BuildScene(repo, THREE, writes_its_file)
    before = scene.build().state
    assert before is not None
    path = scene.out / "state.json"
    if loss == "deleted":
        path.unlink()
        built = scene.build()
    else:
        path.write_text('{"state": "flying"}')
        corrupt = scene.build()
        assert corrupt.ended.exit_code == 7
        assert "--rebuild-state" in corrupt.ended.hint
        built = scene.build(rebuild_state=True)

    assert built.ended.exit_code == 0
    assert built.state is not None
    assert len(scene.model.asked) == 3
    for order, known in zip(built.state.orders, before.orders, strict=True):
        assert (order.state, order.commit, order.runs) == (known.state, known.commit, known.runs)


def test_what_is_in_the_way_of_a_landing_is_named(repo: Path) -> None:
    lock = repo / ".git" / "index.lock"

    def reply(order_id: str, attempt: int, request: Request) -> str:
        lock.touch()
        return writes_its_file(order_id, attempt, request)

    scene = BuildScene(repo, THREE[:1], reply)
    ended = scene.build().ended
    assert ended.exit_code == 8
    assert ended.message.startswith(f"{lock}: another git is at work in the checkout")
    lock.unlink()

    assert scene.build().ended.exit_code == 0

    assert scene.model.asked == [("WO-01", 1)]


def test_a_state_that_the_disk_does_not_take_is_the_machines_fault(repo: Path) -> None:
    state = repo.parent / "out" / "state.json"

    def reply(order_id: str, attempt: int, request: Request) -> str:
        # A directory of its name stands for a disk that is full.
        state.unlink()
        state.mkdir()
        return writes_its_file(order_id, attempt, request)

    scene = BuildScene(repo, THREE[:1], reply)
    ended = scene.build().ended
    assert (ended.exit_code, ended.hint) == (8, "see whether the disk is full or a permission is missing")
    assert f"{state}: can't be written" in ended.message
    state.rmdir()

    assert scene.build().ended.exit_code == 0

    assert scene.model.asked == [("WO-01", 1)]


def test_the_deadline_ends_the_build_and_the_next_one_goes_on(repo: Path, tmp_path: Path) -> None:
    slow = writes("WO-02.txt")
    slow["acceptance_commands"] = [f"sh -c 'test -e {tmp_path / 'fast'} || sleep 600'"]
    scene = BuildScene(repo, [writes("WO-01.txt"), slow], writes_its_file)

    built = scene.build(deadline_seconds=3.0)

    assert built.ended.exit_code == 5
    assert "deadline" in built.ended.message
    assert scene.landed() == ["WO-01"]
    assert built.state is not None
    assert built.state.orders[1].state is OrderPhase.PENDING
    (tmp_path / "fast").touch()
    assert scene.build().ended.exit_code == 0
    assert scene.model.asked == [("WO-01", 1), ("WO-02", 1)]


def test_a_dirty_checkout_is_refused_before_anything_is_asked(repo: Path) -> None:
    (repo / "mine.txt").write_text("not committed")
    scene = BuildScene(repo, THREE, writes_its_file)

    built = scene.build()

    assert built.ended.exit_code == 2
    assert "not clean" in built.ended.message
    assert scene.model.asked == []


def test_why_an_attempt_failed_is_told_while_the_next_one_goes_on(repo: Path) -> None:
    def reply(_order_id: str, attempt: int, _request: Request) -> str:
        return "prose" if attempt == 1 else a_proposal({"WO-01.txt": "x"})

    scene = BuildScene(repo, [writes("WO-01.txt")], reply)

    assert scene.build().ended.exit_code == 0

    (event,) = [event for event in scene.events if event.get("after") == "patching"]
    failure = event["failure"]
    assert isinstance(failure, dict)
    assert failure["stage"] == "llm_output_invalid"
    assert scene.events[-2]["failure"] is None


def test_what_an_attempt_used_is_told_while_it_and_the_next_one_go_on(repo: Path) -> None:
    def reply(order_id: str, attempt: int, request: Request) -> str:
        return "prose" if attempt == 1 else writes_its_file(order_id, attempt, request)

    scene = BuildScene(repo, THREE[:1], reply)

    # Each answer has 100 tokens in.
    assert scene.build(price=Price(Decimal(10_000), Decimal(0))).ended.exit_code == 0

    costs = {
        state.orders[0].state: (state.spent.cost_usd, state.wasted.cost_usd, state.open.cost_usd)
        for state in scene.states
    }
    assert costs[OrderPhase.PATCHING] == (1.0, 1.0, None)
    assert costs[OrderPhase.TESTING] == (2.0, 1.0, 1.0)
    assert costs[OrderPhase.LANDED] == (2.0, 1.0, None)


def test_why_a_work_order_fails_that_could_never_land_is_told(repo: Path) -> None:
    commit_files(repo, {".gitignore": "WO-01.txt\n"})
    scene = BuildScene(repo, [writes("WO-01.txt")], writes_its_file)

    built = scene.build()

    assert built.ended.exit_code == 4
    assert built.state is not None
    failure = built.state.order("WO-01").last_failure
    assert failure is not None
    assert "WO-01.txt" in failure.message
    assert scene.model.asked == []


def test_the_code_map_tells_where_each_file_comes_from(repo: Path) -> None:
    orders = [writes("a.txt", requirements=["REQ-01"]), writes("a.txt", requirements=["REQ-02"])]

    def reply(order_id: str, _attempt: int, _request: Request) -> str:
        bases = {"a.txt": "WO-01\n"} if order_id == "WO-02" else {}
        return a_proposal({"a.txt": f"{order_id}\n"}, bases=bases)

    scene = BuildScene(repo, orders, reply)
    state = scene.build().state

    assert state is not None
    entry = read_object(scene.out / "code_map.json")["files"]["a.txt"]  # type: ignore[index,call-overload]
    assert entry == {
        "commits": [order.commit for order in state.orders],
        "requirements": ["REQ-01", "REQ-02"],
        "work_orders": ["WO-01", "WO-02"],
    }


def test_attempts_that_fail_at_the_same_place_leave_a_request_to_repair_the_plan(repo: Path) -> None:
    never = writes("WO-01.txt")
    never["acceptance_commands"] = ["grep -q something-else WO-01.txt"]
    said = ["The command looks for other words.", "Still: grep can't find them.\n" * 200]

    def reply(order_id: str, attempt: int, _request: Request) -> str:
        return a_proposal({f"{order_id}.txt": f"{attempt}\n"}, summary=said[attempt - 1])

    scene = BuildScene(repo, [never], reply)

    ended = scene.build().ended

    assert ended.run_id is not None
    request = read_object(scene.out / ended.run_id / "repair_request.json")
    assert (request["work_order"], request["stage"], request["attempts"]) == ("WO-01", "acceptance_failed", 2)
    evidence = request["evidence"]
    assert isinstance(evidence, dict)
    assert evidence["command"] == "grep -q something-else WO-01.txt"
    assert evidence["code"][0]["path"] == "WO-01.txt"  # type: ignore[index,call-overload]
    assert evidence["summaries"] == [
        {"attempt": number, "summary": excerpt(text)} for number, text in enumerate(said, 1)
    ]
    # The code may be wrong, or what it is held against: nobody knows.
    assert request["at_fault"] == "plan or code"
    assert "model_defect" not in str(request)


def test_attempts_that_fail_in_different_ways_are_the_models_own(repo: Path) -> None:
    def reply(order_id: str, attempt: int, request: Request) -> str:
        return "no json" if attempt == 1 else a_proposal({"elsewhere.txt": "x\n"})

    scene = BuildScene(repo, [writes("WO-01.txt")], reply)

    ended = scene.build().ended

    assert ended.exit_code == 1
    assert ended.run_id is not None
    request = REPAIR_REQUEST.read(scene.out / ended.run_id)
    assert request is not None and request.at_fault == "code"


def test_whoever_watches_learns_what_is_done_where_it_is_done(repo: Path) -> None:
    told: list[str] = []
    order = writes("a.py", acceptance_commands=["test -f a.py", "python -c 'import a; assert a.total == 3'"])
    content = "one = 1\ntotal = one + 2\n"
    scene = BuildScene(repo, [order], lambda *_: a_proposal({"a.py": content}))

    scene.build(red_probe=True, second_pass=True, mutants=2)

    assert {doing.order_id for doing in scene.doing} == {"", "WO-01"}
    for doing in scene.doing:
        step = doing.step
        if step is not None and doing.order_id and (step.number or step.kind is not StepKind.CHECK):
            told.append(f"{step.occasion} {step.kind} {step.number}/{step.total} {step.subject}".strip())
    assert told == [
        "preparing 0/0",
        "probe 1/2 test -f a.py",
        "probe 2/2 python -c 'import a; assert a.total == 3'",
        "asking 0/0 replying:script",
        "acceptance 1/2 test -f a.py",
        "acceptance 2/2 python -c 'import a; assert a.total == 3'",
        "second pass acceptance 1/2 test -f a.py",
        "second pass acceptance 2/2 python -c 'import a; assert a.total == 3'",
        "mutant 1/2 a.py:1",
        "mutant 2/2 a.py:2",
    ]
    assert scene.doing[-1] == Doing("WO-01", None)


def test_one_that_has_passed_waits_to_land_behind_the_one_before(repo: Path) -> None:
    second = threading.Event()

    def reply(order_id: str, _attempt: int, _request: Request) -> str:
        # The first is answered when the second has passed.
        if order_id == "WO-01":
            assert second.wait(30)
        return a_proposal({f"{order_id}.txt": "text\n"})

    orders = [writes("WO-01.txt", depends_on=[]), writes("WO-02.txt", depends_on=[])]
    scene = BuildScene(repo, orders, reply)

    class Watching(list[Doing]):
        def append(self, doing: Doing) -> None:
            super().append(doing)
            if doing == Doing("WO-02", Step(StepKind.WAITING, "WO-01")):
                second.set()

    scene.doing = Watching()

    assert scene.build(jobs=2).ended.exit_code == 0
    assert second.is_set()

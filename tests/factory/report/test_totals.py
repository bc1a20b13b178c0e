"""What a build came to: told from its state and the folders of what landed."""

from pathlib import Path

import pytest

from factory.attempt.exit_codes import ExitCode
from factory.builds.settings import Built
from factory.builds.state.machine import OrderPhase
from factory.builds.state.model import Ended
from factory.builds.state.plan_record import record_plan
from factory.contract.work_order import Plan, WorkOrder
from factory.mutation.kill_proof import Fate
from factory.report.totals import render_totals
from factory.repository.onward import Onward
from factory.runs.record.files import KILL_PROOF, WORK_ORDER
from factory.runs.record.model import ProofResult
from tests.support.build_states import a_state, an_attempt, an_order
from tests.support.plans import makes

ENDED = Ended(exit_code=ExitCode.PASS, message="done")


def fate(line: int, killed_by: str | None) -> Fate:
    return Fate(
        path="a.py",
        line=line,
        operator="constant",
        change="1 for 0\x1b[31m",
        killed_by=killed_by,
        noticed_by=(),
    )


def test_time_price_failures_what_nobody_noticed_and_what_next(tmp_path: Path) -> None:
    attempt = tmp_path / "run" / "attempt_2"
    attempt.mkdir(parents=True)
    fates = (fate(3, "acceptance"), fate(7, None), fate(9, None))
    proof = ProofResult(verdict="measured", fates=fates, percent=33, threshold=None)
    KILL_PROOF.write(attempt, proof)
    accepted = [{"code": "W401", "reason": "It is a table."}]
    order = WorkOrder.model_validate(makes(1, "a.py", accepted_warnings=accepted))
    WORK_ORDER.write(tmp_path / "run", order)
    tried = (an_attempt(1, passed=False), an_attempt(2, cost=None))
    state = a_state(an_order(1, OrderPhase.LANDED, attempts=tried), an_order(2, OrderPhase.SKIPPED))

    around = Onward("main", "origin", "github")
    state = state.model_copy(update={"branch": "built it"})

    text = render_totals(Built(ENDED, state), tmp_path, 75.9, around, ["WO-01 remarks: Odd."])

    assert text.splitlines() == [
        "landed: 1 of 2; not: WO-02 (skipped)",
        (
            "took 1:15; all calls of factory build for this plan used 2,000 tokens in, 400 out, $0.0100, and"
            " 1 answer has no known price; 2 attempts, 1 was a retry, 1 failed"
        ),
        "WO-01: no check notices 2 of 3 changes, such as a.py:7 (1 for 0\\x1b[31m)",
        "WO-01: the plan accepts W401",
        "  WO-01 remarks: Odd.",
        "next: git log --stat 'built it'",
        "to merge it into main: git merge 'built it'",
        "to push it: git push origin 'built it'",
        (
            f"to open a pull request: factory report --out {tmp_path} --markdown report.md"
            " && gh pr create --head 'built it' --title 'built it' -F report.md"
        ),
        f"to show it: factory report --out {tmp_path} --html report.html",
    ]


def test_files_that_the_plan_gives_are_no_attempt_unless_they_fail(tmp_path: Path) -> None:
    given = makes(1, "a.py", fixed_files=[{"path": "a.py", "text": ""}])
    record_plan(tmp_path, Plan.model_validate({"work_orders": [given, makes(2, "b.py")]}))
    other = an_order(2, OrderPhase.LANDED, attempts=(an_attempt(1),))

    for attempts, told in (
        ((an_attempt(1),), "; 1 attempt, 0 failed"),
        ((an_attempt(1, passed=False), an_attempt(1)), "; 2 attempts, 1 failed"),
    ):
        state = a_state(an_order(1, OrderPhase.LANDED, attempts=attempts), other)
        first, *_ = render_totals(Built(ENDED, state), tmp_path, 1).splitlines()
        assert first.startswith("took 0:01; all calls of factory build for this plan used ")
        assert first.endswith(told)


def test_what_was_not_begun_came_to_nothing(tmp_path: Path) -> None:
    assert render_totals(Built(ENDED, None), tmp_path, 1) == ""
    assert render_totals(Built(ENDED, a_state(an_order(1))), tmp_path, 1) == ""


@pytest.mark.parametrize(
    ("around", "then"),
    [
        (None, []),
        (Onward("main", "", "github"), []),
        (Onward("main", "hub", "github"), ["to push it: git push hub main"]),
        (
            Onward("dev", "hub"),
            ["to merge it into dev: git merge main", "to push it: git push hub main"],
        ),
        (
            Onward("", "hub", "gitlab"),
            ["to push it: git push hub main"],
        ),
        (
            Onward("dev", "hub", "gitlab"),
            [
                "to merge it into dev: git merge main",
                "to push it: git push hub main",
                "to open a merge request: git push -o merge_request.create hub main",
            ],
        ),
    ],
)
def test_what_comes_next_is_what_the_repository_allows(
    around: Onward | None, then: list[str], tmp_path: Path
) -> None:
    state = a_state(an_order(1, OrderPhase.LANDED, attempts=(an_attempt(1),)))

    _, looked, *others, _ = render_totals(Built(ENDED, state), tmp_path, 1, around).splitlines()

    assert (looked, others) == ("next: git log --stat main", then)


def test_what_comes_next_names_a_repository_that_is_elsewhere(tmp_path: Path) -> None:
    state = a_state(an_order(1, OrderPhase.LANDED, attempts=(an_attempt(1),)))
    around, there = Onward("dev", "hub", "github"), Path("../my repo")

    text = render_totals(Built(ENDED, state), tmp_path, 1, around, repo=there)

    _, looked, merged, pushed, opened, _ = text.splitlines()
    assert looked == "next: git -C '../my repo' log --stat main"
    assert merged == "to merge it into dev: git -C '../my repo' merge main"
    assert pushed == "to push it: git -C '../my repo' push hub main"
    assert opened.endswith(
        "&& (cd '../my repo' && gh pr create --head main --title main -F \"$OLDPWD/report.md\")"
    )


def test_what_is_not_done_is_not_pushed(tmp_path: Path) -> None:
    state = a_state(
        an_order(1, OrderPhase.FAILED, attempts=(an_attempt(1, passed=False),)),
        *(an_order(number, OrderPhase.BLOCKED) for number in range(2, 9)),
    )

    text = render_totals(Built(ENDED, state), tmp_path, 1, Onward("main", "origin"))

    assert "git push" not in text
    assert text.startswith(
        "landed: 0 of 8; not: WO-01 (failed), WO-02 (blocked), WO-03 (blocked), WO-04 (blocked),"
        " WO-05 (blocked) and 3 more\n"
    )

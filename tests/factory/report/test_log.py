"""A log of a build: beside the transitions it tells once for each attempt that its proof begins."""

from io import StringIO
from pathlib import Path

import pytest

from factory.builds.state.machine import OrderPhase
from factory.builds.state.plan_record import record_plan
from factory.builds.watch import Doing
from factory.contract.strict_json import JsonObject
from factory.contract.work_order import Plan
from factory.gates.step import Occasion, Step, StepKind
from factory.report.log import Log
from factory.system.terminal.console import Console
from tests.support.build_states import a_state, an_attempt, an_order
from tests.support.plans import makes

ACCEPTANCE = Step(StepKind.ACCEPTANCE, "true", 1, 2)
AGAIN = Step(StepKind.ACCEPTANCE, "true", 1, 2, Occasion.SECOND_PASS)
ELSEWHERE = Step(StepKind.TRIAL, "repeat on left", occasion=Occasion.SECOND_PASS)
MUTANT = Step(StepKind.MUTANT, "a.py:1", 1, 3)
ON_THE_TIP = Step(StepKind.ACCEPTANCE, "true", 1, 2, Occasion.LANDING)


def changed(after: OrderPhase) -> JsonObject:
    return {"event": "work_order", "work_order": "WO-01", "after": after, "attempt": 2, "failure": None}


@pytest.mark.parametrize(
    ("steps", "mutants", "told"),
    [
        ([ACCEPTANCE, ON_THE_TIP], 5, ""),
        ([ACCEPTANCE, AGAIN, AGAIN, MUTANT], 5, "acceptance once more, then up to 5 changes of its code"),
        ([ELSEWHERE], 1, "acceptance once more, then up to 1 change of its code"),
        ([AGAIN], 0, "acceptance once more"),
        ([MUTANT, MUTANT], 5, "3 changes of its code"),
    ],
)
def test_the_proof_is_told_once_for_each_attempt_as_far_as_it_is_known(
    steps: list[Step], mutants: int, told: str, tmp_path: Path
) -> None:
    said = StringIO()
    log = Log(Console(err=said), tmp_path, mutants)
    state = a_state(an_order(1, attempts=(an_attempt(1), an_attempt(2))))

    for _ in range(2):
        log.event(state, changed(OrderPhase.TESTING))
        for step in (*steps, None):
            log.doing(Doing("WO-01", step))
            # The base that all start from is no attempt.
            log.doing(Doing("", step))

    proof = [f"WO-01: attempt 2, proving: {told}"] if told else []
    assert said.getvalue().splitlines() == ["WO-01: attempt 2, testing", *proof] * 2


def test_what_the_plan_gives_is_known_from_its_record(tmp_path: Path) -> None:
    given = makes(1, "verify.sh", fixed_files=[{"path": "verify.sh", "text": ""}])
    record_plan(tmp_path, Plan.model_validate({"work_orders": [given]}))
    said = StringIO()
    log = Log(Console(err=said), tmp_path, 5)

    log.event(a_state(an_order(1)), {"event": "build", "before": "init", "after": "running"})
    log.event(a_state(an_order(1)), changed(OrderPhase.GENERATING))
    log.doing(Doing("WO-01", AGAIN))

    first, second = said.getvalue().splitlines()[1:]
    assert first == "WO-01: attempt 2, writing what the plan gives"
    # A script of the shell is no code that is changed.
    assert second.endswith("proving: acceptance once more")

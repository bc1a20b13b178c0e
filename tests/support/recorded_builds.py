"""Folders of builds as they are on the disk, written without a build: for those who only read them."""

from pathlib import Path
from typing import Final

from factory.attempt.failure import Failure, Stage
from factory.attempt.outcome import RunOutcome
from factory.builds.state.attempts import RunEntry
from factory.builds.state.file import save_state
from factory.builds.state.machine import BuildPhase, OrderPhase
from factory.builds.state.model import BuildState
from factory.builds.state.order import OrderState
from factory.builds.state.plan_record import record_findings
from factory.contract.identity import contract_hash, plan_hash
from factory.contract.work_order import Plan
from factory.gates.check import CheckResult, CommandResult
from factory.runs.record.events import EventLog
from factory.runs.record.files import (
    ANSWER_TEXT,
    CHANGES,
    CHECK_RESULTS,
    FAILURE_BRIEF,
    PROMPT_TEXT,
    RUN,
    SUMMARY,
    WORK_ORDER,
)
from factory.runs.record.model import CheckResults, RunDocument, RunSummary
from factory.system.clock import SystemClock
from tests.support.build_states import a_minute, a_state, an_attempt
from tests.support.plans import makes, manifest

HOSTILE: Final = (
    "</pre><script>document.title='owned'</script>"
    "<img src=http://127.0.0.1:9/x onerror=document.title='owned'>"
    "<a href=javascript:alert(1)>x</a><style>*{display:none}</style>\u202e\x1b[31m{{ 7 * 7 }}\"'"
)


def write_build(out: Path, git_dir: Path, *, phase: BuildPhase = BuildPhase.FAILED) -> BuildState:
    """A build of three work orders: one landed, one failed with hostile words, which blocks one.

    Args:
        out: its directory; made.
        git_dir: the repository's.
        phase: where the build stands; while it runs, the second is being tested and the third waits.
    """
    orders = [makes(1, "a.py", title="Read the table"), makes(2, "b.py", depends_on=["WO-01"], title=HOSTILE)]
    orders.append(makes(3, "c.py", depends_on=["WO-02"], title="Print the table", requirements=["REQ-01"]))
    asked = [{"id": "REQ-01", "text": f"It prints. {HOSTILE}", "quotes": ["It prints."]}]
    plan = Plan.model_validate(manifest(*orders, requirements=asked))
    out.mkdir(parents=True, exist_ok=True)
    record_findings(out, plan, [], out / "no-plan", out)
    goes_on = phase is BuildPhase.RUNNING
    phases = (
        (OrderPhase.LANDED, OrderPhase.TESTING, OrderPhase.PENDING)
        if goes_on
        else (OrderPhase.LANDED, OrderPhase.FAILED, OrderPhase.BLOCKED)
    )
    told = []
    for number, (order, state) in enumerate(zip(plan.work_orders, phases, strict=True), start=1):
        landed = state is OrderPhase.LANDED
        runs = (
            ()
            if number == 3
            else (RunEntry(run_id=f"run{number}", attempts=(an_attempt(1, passed=landed),)),)
        )
        told.append(
            OrderState.of(order, a_minute(number)).model_copy(
                update={"state": state, "runs": runs, "commit": f"{number:040x}" if landed else None}
            )
        )
    state = a_state(*told, state=phase).model_copy(
        update={"repository": str(git_dir), "plan_hash": plan_hash(plan)}
    )
    for number in (1, 2):
        _write_run(out / f"run{number}", plan, number, None if number == 1 or goes_on else _failure())
    save_state(out, state)
    return state


def _failure() -> Failure:
    return Failure.model_defect(
        Stage.ACCEPTANCE_FAILED, f"`python -m b` returned 1 {HOSTILE}", hint="mend it", excerpt=HOSTILE
    )


def _write_run(folder: Path, plan: Plan, number: int, failure: Failure | None) -> None:
    order = plan.work_orders[number - 1]
    attempt = folder / "attempt_1"
    attempt.mkdir(parents=True)
    run = RunDocument(
        run_id=folder.name,
        contract=contract_hash(order),
        work_order=order.id,
        title=order.title,
        started=a_minute(number),
        outcome=RunOutcome.LANDED if number == 1 else None,
    )
    RUN.write(folder, run)
    WORK_ORDER.write(folder, order)
    log = EventLog(folder / "events.jsonl", SystemClock())
    log.append("run_started", run_id=folder.name, work_order=order.id)
    log.append("attempt_started", attempt=1)
    log.append("answered", attempt=1)
    log.append("examined", attempt=1, part="acceptance", passed=failure is None)
    (attempt / PROMPT_TEXT).write_text("the prompt\n" * 2_000)
    (attempt / ANSWER_TEXT).write_text(HOSTILE)
    (attempt / CHANGES).write_text(f"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-old\n+new {HOSTILE}\n")
    (attempt / "acceptance_1.output.txt").write_text(HOSTILE)
    command = CommandResult(
        command="python -m b",
        argv=("python", "-m", "b"),
        exit_code=1 if failure else 0,
        signal=None,
        timed_out=False,
        not_started=None,
        seconds=0.1,
        output_file="acceptance_1.output.txt",
        output_bytes=10,
        excerpt=HOSTILE,
        leftovers=0,
        changed=(),
    )
    check = CheckResult(name="acceptance", failure=failure, commands=(command,))
    CHECK_RESULTS["acceptance"].write(attempt, CheckResults(checks=(check,), passed=failure is None))
    if failure is not None:
        FAILURE_BRIEF.write(attempt, failure)
        ended = run.model_dump() | {"outcome": RunOutcome.FAILED, "ended": a_minute(9)}
        SUMMARY.write(folder, RunSummary(**ended, exit_code=1, message=HOSTILE, failure=failure))

"""`factory status`, whole, as a person reads it."""

from factory.builds.state.attempts import AttemptRecord, RunEntry, Spending
from factory.builds.state.machine import BuildPhase, OrderPhase
from factory.builds.state.model import Ended
from factory.report.status import Beside, render_status
from tests.support.build_states import a_state, an_attempt, an_order
from tests.support.golden import assert_golden

NOTHING = Beside(Spending(), Spending())


def test_a_build_that_failed() -> None:
    state = a_state(
        an_order(1, OrderPhase.LANDED, attempts=(an_attempt(1, passed=False), an_attempt(2))),
        an_order(
            2,
            OrderPhase.FAILED,
            title="[bold]\x1b[2J" + "long " * 30,
            attempts=(an_attempt(1, passed=False),),
            failure="expected 2\nbut got \x1b[31m3 " + "x" * 300,
        ),
        an_order(3, OrderPhase.BLOCKED),
        state=BuildPhase.FAILED,
        ended=Ended(exit_code=1, message="WO-02 failed", hint="make it clearer"),
    )

    assert_golden("status_failed.txt", render_status(state, NOTHING, running=False) + "\n")
    assert_golden("status_attempts.txt", render_status(state, NOTHING, running=False, attempts=True) + "\n")


def test_what_a_program_said_keeps_its_lines() -> None:
    message = "the program failed\n  | Traceback\n  | hint: \x1b[2Jnone"
    state = a_state(an_order(1), state=BuildPhase.INTERRUPTED, ended=Ended(exit_code=3, message=message))

    lines = render_status(state, NOTHING, running=False).splitlines()

    start = lines.index("  the program failed")
    assert lines[start + 1 : start + 3] == ["    | Traceback", "    | hint: \\x1b[2Jnone"]


def test_columns_that_would_be_empty_are_left_out() -> None:
    assert_golden(
        "status_begun.txt", render_status(a_state(an_order(1), an_order(2)), NOTHING, running=True) + "\n"
    )


def test_a_build_that_says_running_without_a_process_was_killed() -> None:
    running = a_state(an_order(1))

    assert render_status(running, NOTHING, running=True).startswith("running, last change")
    assert render_status(running, NOTHING, running=False).startswith(
        "killed: no process is at work; build again"
    )


def test_a_build_that_was_started_again_and_has_not_said_so_yet() -> None:
    ended = a_state(an_order(1), state=BuildPhase.INTERRUPTED)

    assert render_status(ended, NOTHING, running=True).startswith(
        "interrupted, and a process is at work on it"
    )
    assert render_status(ended, NOTHING, running=False).startswith("interrupted, last change")


def test_what_only_the_ledger_tells() -> None:
    paid = AttemptRecord(attempt=1, passed=False, answer="a" * 64, input_tokens=1_000, output_tokens=200)
    waiting = an_order(1).model_copy(update={"runs": (RunEntry(run_id="ledger", attempts=(paid,)),)})
    others = Spending(input_tokens=30, output_tokens=4)
    unanswered = Spending(input_tokens=500, output_tokens=16_000, cost_usd=0.5)

    text = render_status(a_state(waiting), Beside(others, unanswered), running=False, attempts=True)

    assert_golden("status_unrecorded.txt", text + "\n")

"""States of builds as values: for what is computed from them, without a build."""

from factory.attempt.failure import FailureClass, Stage
from factory.builds.state.attempts import AttemptRecord, LastFailure, RunEntry
from factory.builds.state.machine import BuildPhase, OrderPhase
from factory.builds.state.model import BuildState, Ended
from factory.builds.state.order import OrderState


def a_minute(second: int) -> str:
    """A time with that second."""
    return f"2026-03-01T12:00:{second:02d}.000Z"


def an_order(
    number: int,
    state: OrderPhase = OrderPhase.PENDING,
    *,
    title: str = "Write a file",
    attempts: tuple[AttemptRecord, ...] = (),
    failure: str = "",
    second: int = 0,
) -> OrderState:
    """A work order in that state since that second; its attempts are all of one run."""
    landed = state is OrderPhase.LANDED
    return OrderState(
        id=f"WO-{number:02d}",
        title=title,
        contract=f"{number:064x}",
        state=state,
        attempt=len(attempts),
        last_failure=LastFailure(
            stage=Stage.VERIFY_FAILED, failure_class=FailureClass.MODEL_DEFECT, message=failure
        )
        if failure
        else None,
        commit=f"{number:040x}" if landed else None,
        landed_run="run" if landed else None,
        runs=(RunEntry(run_id="run", attempts=attempts),) if attempts else (),
        since=a_minute(second),
    )


def an_attempt(number: int, *, passed: bool = True, cost: float | None = 0.01) -> AttemptRecord:
    """An attempt whose answer had 1,000 tokens in and 200 out."""
    return AttemptRecord(
        attempt=number,
        passed=passed,
        stage=None if passed else Stage.VERIFY_FAILED,
        input_tokens=1_000,
        output_tokens=200,
        cost_usd=cost,
    )


def a_state(
    *orders: OrderState, state: BuildPhase = BuildPhase.RUNNING, ended: Ended | None = None
) -> BuildState:
    """A build of these work orders."""
    return BuildState(
        build_id="b" * 16,
        plan_hash="a" * 64,
        spec_hash="5" * 64,
        repository="/home/ada/product/.git",
        branch="main",
        base="c" * 40,
        state=state,
        ended=ended,
        orders=orders,
        created=a_minute(0),
        updated=a_minute(30),
    )

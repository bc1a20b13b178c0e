"""How a build ends, in words for the user and as the state of the build."""

from factory.attempt.exit_codes import ExitCode
from factory.builds.decisions.tasks import Halt
from factory.builds.state.machine import BuildPhase, OrderPhase
from factory.builds.state.model import BuildState, Ended
from factory.contract.errors import WorkorderError
from factory.runs.record.endings import ending_of, refusal_of
from factory.system.process.signals import Interrupted
from factory.system.terminal.console import listed


def loop_ending(state: BuildState, halt: Halt | None) -> tuple[Ended, BuildPhase]:
    """The ending of a build whose loop came to its end; `halt` is why, if work is left."""
    landed = sum(order.state is OrderPhase.LANDED for order in state.orders)
    done = f"{landed} of {len(state.orders)} work orders have landed on {state.branch}"
    if halt is None:
        return _without_failure(state, done)
    phase = BuildPhase.INTERRUPTED
    # What rules say of a plan has lines of its own.
    separator = "\n" if "\n" in halt.message else "; "
    if halt.exit_code in (ExitCode.FAIL, ExitCode.PLAN_DEFECT):
        phase = BuildPhase.FAILED
    ended = Ended(
        exit_code=halt.exit_code,
        message=f"{halt.message}{separator}{done}",
        hint=halt.hint,
        work_order=halt.order_id,
        contract=state.order(halt.order_id).contract if halt.order_id else None,
        run_id=halt.run_id,
        failure=halt.failure,
    )
    return ended, phase


def _without_failure(state: BuildState, done: str) -> tuple[Ended, BuildPhase]:
    """Everything has landed, but for what a person leaves out and what is blocked by that."""
    skipped = [order.id for order in state.orders if order.state is OrderPhase.SKIPPED]
    blocked = [order.id for order in state.orders if order.state is OrderPhase.BLOCKED]
    if skipped:
        done += f"; left out on purpose: {listed(skipped)}"
    if not blocked:
        return Ended(exit_code=ExitCode.PASS, message=done), BuildPhase.COMPLETE
    message = f"{done}; that blocks {listed(blocked)}"
    which = skipped[0] if len(skipped) == 1 else "WO-NN"
    hint = f"factory skip {which} --undo, or leave these out, too"
    return Ended(exit_code=ExitCode.FAIL, message=message, hint=hint), BuildPhase.FAILED


def refusal(error: Interrupted | WorkorderError | OSError) -> Ended:
    """The ending of a build that has not begun."""
    if isinstance(error, Interrupted):
        return interruption(error)
    ending = refusal_of(error)
    return Ended(exit_code=ending.exit_code, message=ending.message, hint=ending.hint)


def interruption(error: Interrupted | WorkorderError | OSError) -> Ended:
    """The ending of a build that a signal or an error has cut off."""
    if isinstance(error, Interrupted):
        return Ended(
            exit_code=ExitCode(error.exit_code),
            message=f"ended by {error}; nothing is left half done",
            hint="build again to go on",
        )
    ending = ending_of(error)
    assert ending is not None
    return Ended(exit_code=ending.exit_code, message=ending.message, hint=ending.hint)

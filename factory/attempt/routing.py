"""What happens next, as functions of values: which node follows, and whether a failed attempt is retried."""

from typing import Literal, assert_never

from factory.attempt.exit_codes import ExitCode
from factory.attempt.failure import Failure, FailureClass
from factory.attempt.state import RunState


def after_work(state: RunState) -> Literal["continue", "finalize"]:
    """SE and TR hand on to the next node unless they failed."""
    return "finalize" if state.get("failure") else "continue"


def after_finalize(state: RunState) -> Literal["retry", "end"]:
    """finalize has set the verdict if the run is over."""
    return "end" if state.get("verdict") else "retry"


def spends_attempt(failure: Failure) -> bool:
    """Whether another attempt could help, because the model is at fault."""
    return failure.failure_class is FailureClass.MODEL_DEFECT


def exit_code(failure: Failure) -> ExitCode:
    """The exit code of a run that ended with this failure."""
    match failure.failure_class:
        case FailureClass.MODEL_DEFECT:
            return ExitCode.FAIL
        case FailureClass.PLAN_DEFECT:
            return ExitCode.PLAN_DEFECT
        case FailureClass.PROVIDER:
            return ExitCode.PROVIDER
        case FailureClass.ENVIRONMENT:
            return ExitCode.ENVIRONMENT
        case FailureClass.BUDGET:
            return ExitCode.BUDGET
        case _ as never:
            assert_never(never)

"""What happens next, as functions of values: which node follows, and whether a failed attempt is retried."""

from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

from factory.attempt.exit_codes import EXIT_CODES, ExitCode
from factory.attempt.failure import Failure, FailureClass
from factory.attempt.state import RunState
from factory.contract.errors import Fault

Nodes: TypeAlias = Mapping[str, Callable[[RunState], RunState]]
"""What is done at each node of the graph, by its name."""


def after_work(state: RunState) -> Literal["continue", "finalize"]:
    """SE and TR hand on to the next node unless they failed."""
    return "finalize" if state.get("failure") else "continue"


def after_finalize(state: RunState) -> Literal["retry", "end"]:
    """finalize has set the verdict if the run is over."""
    return "end" if state.get("verdict") else "retry"


def spends_attempt(failure: Failure) -> bool:
    """Whether another attempt could help, because the model is at fault."""
    return failure.failure_class is FailureClass.MODEL_DEFECT


def blamed_on_plan(failure: Failure) -> Failure:
    """A failure of files that the plan gives: what would be the model's fault is the plan's."""
    if not spends_attempt(failure):
        return failure
    hint = "correct the texts that the plan gives in `fixed_files`"
    return failure.model_copy(update={"failure_class": FailureClass.PLAN_DEFECT, "hint": hint})


def exit_code(failure: Failure) -> ExitCode:
    """The exit code of a run that ended with this failure."""
    return EXIT_CODES[Fault(failure.failure_class)]

"""How a run ended, and which ending an error, a signal or a failed attempt means; `documents` records it."""

from dataclasses import dataclass
from typing import Final

from factory.attempt.exit_codes import EXIT_CODES, ExitCode
from factory.attempt.failure import Failure, FailureClass
from factory.attempt.outcome import RunOutcome
from factory.attempt.routing import exit_code
from factory.attempt.summary import AttemptSummary
from factory.contract.errors import Fault, WorkorderError, expected
from factory.system.files.tree import FileProblem
from factory.system.process.signals import Interrupted

_UNANSWERED: Final = {
    FailureClass.BUDGET: "a limit on spending is reached",
    FailureClass.PROVIDER: "the model gave no answer",
}
_OUTCOMES: Final = {Fault.REFUSED: RunOutcome.REFUSED, Fault.NOT_RESTORED: RunOutcome.NOT_RESTORED}
"""Of the other faults, the run was stopped."""


@dataclass(frozen=True)
class Ending:
    """How a run ended.

    Attributes:
        outcome: which way of ending it is.
        exit_code: the process's exit code.
        message: what happened, in a sentence.
        hint: who must do what next; empty if nothing is to be done.
        failure: the failure that ended it.
        commit: the commit that holds the result.
        attempts: one summary for each attempt.
    """

    outcome: RunOutcome
    exit_code: ExitCode
    message: str
    hint: str = ""
    failure: Failure | None = None
    commit: str | None = None
    attempts: tuple[AttemptSummary, ...] = ()


def ending_of(error: BaseException) -> Ending | None:
    """The ending that an error means; None if it is a bug."""
    known = expected(error)
    if isinstance(known, FileProblem):
        # Once a run has begun, its files are no longer the user's request.
        return _ending(known, Fault.ENVIRONMENT)
    return None if known is None else _ending(known, known.fault)


def refusal_of(error: WorkorderError | OSError) -> Ending:
    """The ending that an error means before anything was begun: a file that can't be read is an input."""
    known = expected(error)
    assert known is not None
    return _ending(known, known.fault)


def _ending(error: WorkorderError, fault: Fault) -> Ending:
    hint = error.hint
    if fault is Fault.ENVIRONMENT:
        hint = hint or "see whether the disk is full or a permission is missing"
    return Ending(_OUTCOMES.get(fault, RunOutcome.STOPPED), EXIT_CODES[fault], error.headline, hint)


def interrupted(signal: Interrupted, landed: str | None) -> Ending:
    """The ending after a signal; `landed` is the commit that came before it, if one did."""
    code = ExitCode(signal.exit_code)
    if landed is not None:
        message = f"ended by {signal}, after it had landed {landed[:12]}"
        return Ending(RunOutcome.INTERRUPTED, code, message, commit=landed)
    message = f"ended by {signal}; nothing is left half done"
    return Ending(RunOutcome.INTERRUPTED, code, message, "run again to go on")


def failed(
    order_id: str, failure: Failure, attempts: tuple[AttemptSummary, ...], *, by_person: bool = False
) -> Ending:
    """The ending of a work order whose attempts are spent."""
    if by_person:
        message = f"{order_id} is not done by that: it failed at {failure.stage}: {failure.headline}"
        return Ending(RunOutcome.FAILED, ExitCode.FAIL, message, failure.hint, failure, attempts=attempts)
    hint = "read the failure briefs; raise --max-attempts, ask another model, or make the work order clearer"
    if failure.hint:
        # What a person may do about this failure, such as declaring a package, stands there alone.
        hint = f"{failure.hint}; else {hint}"
    # The last one's number: in a build, earlier ones may have been made on another base.
    made = attempts[-1].attempt
    spent = f"{made} attempt{'s are' if made != 1 else ' is'} spent"
    message = f"{order_id} failed: {spent}, the last at {failure.stage}: {failure.headline}"
    return Ending(RunOutcome.FAILED, ExitCode.FAIL, message, hint, failure, attempts=attempts)


def stopped(failure: Failure, attempts: tuple[AttemptSummary, ...]) -> Ending:
    """The ending of a work order that no further attempt helps."""
    why = f"{failure.failure_class.replace('_', ' ')} at {failure.stage}"
    message = f"{_UNANSWERED.get(failure.failure_class, why)}: {failure.description}"
    return Ending(RunOutcome.STOPPED, exit_code(failure), message, failure.hint, failure, attempts=attempts)

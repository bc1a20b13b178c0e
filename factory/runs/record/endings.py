"""The ending of a run that an error, a signal or a failed attempt means. Recording it is for `documents`."""

from typing import Final

from factory.attempt.exit_codes import ExitCode
from factory.attempt.failure import Failure, FailureClass
from factory.attempt.routing import exit_code
from factory.contract.errors import WorkorderError
from factory.contract.strict_json import JsonObject
from factory.llm.ledger.file import DamagedLedger
from factory.llm.port import ProviderError
from factory.repository.target import NotRestored
from factory.runs.record.documents import Ending, refused, str_without_hint
from factory.system.files.tree import FileProblem, Unwritable
from factory.system.git.client import GitError
from factory.system.process.signals import Interrupted

_UNANSWERED: Final = {
    FailureClass.BUDGET: "a limit on spending is reached",
    FailureClass.PROVIDER: "the model gave no answer",
}


class MachineLacks(WorkorderError):
    """Something is missing on this machine, so that nothing could be judged."""


def ending_of(error: BaseException) -> Ending | None:
    """The ending that an error means; None if it is a bug."""
    match error:
        case NotRestored():
            return Ending("not_restored", ExitCode.NOT_RESTORED, str_without_hint(error), error.hint)
        case GitError() | FileProblem() | MachineLacks() | OSError():
            hint = error.hint if isinstance(error, WorkorderError) else ""
            message = str_without_hint(error) if isinstance(error, WorkorderError) else _reason(error)
            return Ending(
                "stopped",
                ExitCode.ENVIRONMENT,
                message,
                hint or "see whether the disk is full or a permission is missing",
            )
        case ProviderError():
            return Ending("stopped", ExitCode.PROVIDER, str_without_hint(error), error.hint)
        case DamagedLedger():
            return Ending("stopped", ExitCode.STATE_CORRUPT, str_without_hint(error), error.hint)
        case WorkorderError():
            return refused(error)
        case _:
            return None


def refusal_of(error: WorkorderError | OSError) -> Ending:
    """The ending that an error means before anything was begun: a file that can't be read is an input."""
    if isinstance(error, FileProblem) and not isinstance(error, Unwritable):
        return refused(error)
    ending = ending_of(error)
    assert ending is not None
    return ending


def interrupted(signal: Interrupted, landed: str | None) -> Ending:
    """The ending after a signal; `landed` is the commit that came before it, if one did."""
    if landed is not None:
        message = f"ended by {signal}, after it had landed {landed[:12]}"
        return Ending("interrupted", signal.exit_code, message, commit=landed)
    return Ending(
        "interrupted", signal.exit_code, f"ended by {signal}; nothing is left half done", "run again to go on"
    )


def failed(order_id: str, failure: Failure, attempts: tuple[JsonObject, ...]) -> Ending:
    """The ending of a work order whose attempts are spent."""
    hint = "read the failure briefs; raise --max-attempts, ask another model, or make the work order clearer"
    # The last one's number: in a build, earlier ones may have been made on another base.
    made = attempts[-1]["attempt"]
    spent = f"{made} attempt{'s are' if made != 1 else ' is'} spent"
    message = f"{order_id} failed: {spent}, the last at {failure.stage}: {failure.told}"
    return Ending("failed", ExitCode.FAIL, message, hint, failure, attempts=attempts)


def stopped(failure: Failure, attempts: tuple[JsonObject, ...]) -> Ending:
    """The ending of a work order that no further attempt helps."""
    why = f"{failure.failure_class.replace('_', ' ')} at {failure.stage}"
    message = f"{_UNANSWERED.get(failure.failure_class, why)}: {failure.told}"
    return Ending("stopped", exit_code(failure), message, failure.hint, failure, attempts=attempts)


def _reason(error: OSError) -> str:
    reason = (error.strerror or str(error) or type(error).__name__).lower()
    return f"{error.filename}: {reason}" if error.filename is not None else reason

"""Why a build ends before all of its work orders have landed."""

from dataclasses import dataclass

from factory.attempt.exit_codes import ExitCode
from factory.attempt.failure import Failure
from factory.builds.decisions.tasks import Result


@dataclass(frozen=True)
class Halt:
    """Why a build ends before its work orders do.

    Attributes:
        exit_code: who must act.
        message: what happened.
        hint: what to do next.
        order_id: the work order it is about; None if it is about everything.
        run_id: the run whose folder tells more.
        failure: the failure with its evidence.
    """

    exit_code: ExitCode
    message: str
    hint: str = ""
    order_id: str | None = None
    run_id: str | None = None
    failure: Failure | None = None

    @classmethod
    def at_deadline(cls) -> "Halt":
        """Because the time is up."""
        return cls(
            ExitCode.BUDGET,
            "the deadline has come",
            "build again with a later one: nothing that was paid is paid again",
        )

    @classmethod
    def of(cls, order_id: str, result: Result) -> "Halt":
        """Because of a task's result."""
        # Some messages begin with it.
        message = result.message if result.message.startswith(order_id) else f"{order_id}: {result.message}"
        return cls(result.exit_code, message, result.hint, order_id, result.run_id, result.failure)

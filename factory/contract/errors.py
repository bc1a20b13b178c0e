"""How an expected failure is told: what is wrong, where, what to do next, and whose fault it is.

Not for bugs: those are ordinary exceptions and end in exit code 70.
"""

from enum import StrEnum
from typing import ClassVar


class Fault(StrEnum):
    """What is at fault, and hence who must act. Each command has a table from these to its exit codes."""

    REFUSED = "refused"
    MODEL_DEFECT = "model_defect"
    PLAN_DEFECT = "plan_defect"
    PROVIDER = "provider"
    BUDGET = "budget"
    ENVIRONMENT = "environment"
    NOT_RESTORED = "not_restored"
    STATE_CORRUPT = "state_corrupt"


class WorkorderError(Exception):
    """An expected failure, shown to the user without a traceback.

    Attributes:
        fault: whose fault it is; of a class that doesn't say, the user's, who asked for what can't be done.
        message: what is wrong, one sentence without a full stop.
        where: the file, JSON pointer, line or argument it is about; empty when it is about the whole run.
        hint: what to do next; empty when the message says it.
    """

    fault: ClassVar[Fault] = Fault.REFUSED

    def __init__(self, message: str, *, where: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.where = where
        self.hint = hint

    @property
    def headline(self) -> str:
        """The place and the message in one line."""
        return f"{self.where}: {self.message}" if self.where else self.message

    def __str__(self) -> str:
        return f"{self.headline}\n  hint: {self.hint}" if self.hint else self.headline


class MachineProblem(WorkorderError):
    """The machine fails, or lacks something: a full disk, a missing permission, a missing program."""

    fault = Fault.ENVIRONMENT


def expected(error: BaseException) -> WorkorderError | None:
    """`error` as an expected failure, which those of the operating system are, too; None if it is a bug."""
    match error:
        case WorkorderError():
            return error
        case OSError():
            reason = (error.strerror or str(error) or type(error).__name__).lower()
            return MachineProblem(reason, where="" if error.filename is None else str(error.filename))
        case _:
            return None

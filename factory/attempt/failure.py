"""Why an attempt or a run failed: at which stage, whose fault it is, and the evidence.

Pure values. What happens next is decided in `routing`; how it is told to a model is in `brief`.
"""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class Stage(StrEnum):
    """Where it failed."""

    PREFLIGHT = "preflight"
    EXCEPTION = "exception"
    LLM_OUTPUT_INVALID = "llm_output_invalid"
    WRITE_SCOPE_VIOLATION = "write_scope_violation"
    STALE_CONTEXT = "stale_context"
    WRITE_FAILED = "write_failed"
    VERIFY_FAILED = "verify_failed"
    ACCEPTANCE_FAILED = "acceptance_failed"


class FailureClass(StrEnum):
    """Who must act. Only a model defect spends an attempt."""

    PLAN_DEFECT = "plan_defect"
    MODEL_DEFECT = "model_defect"
    PROVIDER = "provider"
    ENVIRONMENT = "environment"
    BUDGET = "budget"


class Failure(BaseModel):
    """One failure with its evidence.

    Attributes:
        stage: where it failed.
        failure_class: who must act.
        message: what is wrong, in one or a few sentences.
        where: the file, command or JSON pointer it is about; empty if it is about everything.
        hint: what to do next; empty if the message says it.
        exit_code: what the command returned, if a command failed.
        excerpt: the beginning and the end of what the command printed, at most 2,000 characters.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    stage: Stage
    failure_class: FailureClass
    message: str
    where: str = ""
    hint: str = ""
    exit_code: int | None = None
    excerpt: str = ""

    @property
    def told(self) -> str:
        """The message, with the place unless the message names it."""
        return self.message if self.where in self.message else f"{self.message} ({self.where})"

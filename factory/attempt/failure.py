"""Why an attempt or a run failed: at which stage, whose fault it is, and the evidence.

Pure values. What happens next is decided in `routing`; how it is told to a model is in `brief`.
"""

from enum import StrEnum
from typing import Final, Self, TypedDict, Unpack

from pydantic import BaseModel, ConfigDict, Field

from factory.contract.errors import Fault, WorkorderError

_TEST_CHARS: Final = 200


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

    PLAN_DEFECT = Fault.PLAN_DEFECT.value
    MODEL_DEFECT = Fault.MODEL_DEFECT.value
    PROVIDER = Fault.PROVIDER.value
    ENVIRONMENT = Fault.ENVIRONMENT.value
    BUDGET = Fault.BUDGET.value


class Evidence(TypedDict, total=False):
    """What a failure may have beside its message, see `Failure`."""

    where: str
    hint: str
    exit_code: int | None
    excerpt: str
    test: str


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
        test: the id of the first test that failed, if a report or what was printed tells it. For people: no
            prompt has it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    stage: Stage
    failure_class: FailureClass
    message: str
    where: str = ""
    hint: str = ""
    exit_code: int | None = None
    excerpt: str = ""
    test: str = Field(default="", exclude_if=lambda value: not value)

    @classmethod
    def model_defect(cls, stage: Stage, message: str, **evidence: Unpack[Evidence]) -> Self:
        """What another attempt may do better."""
        return cls(stage=stage, failure_class=FailureClass.MODEL_DEFECT, message=message, **evidence)

    @classmethod
    def plan_defect(cls, stage: Stage, message: str, **evidence: Unpack[Evidence]) -> Self:
        """What no attempt can mend, because the work order asks for it."""
        return cls(stage=stage, failure_class=FailureClass.PLAN_DEFECT, message=message, **evidence)

    @classmethod
    def environment(cls, stage: Stage, message: str, **evidence: Unpack[Evidence]) -> Self:
        """What the machine lacks, or somebody else does on it."""
        return cls(stage=stage, failure_class=FailureClass.ENVIRONMENT, message=message, **evidence)

    @classmethod
    def of(cls, error: WorkorderError) -> Self:
        """An error that ends the attempt: of the provider, of a limit on spending or of the machine."""
        return cls(
            stage=Stage.EXCEPTION,
            failure_class=FailureClass(error.fault),
            message=error.message,
            where=error.where,
            hint=error.hint,
        )

    @property
    def description(self) -> str:
        """The message, with the place unless the message names it."""
        return self.message if self.where in self.message else f"{self.message} ({self.where})"

    @property
    def headline(self) -> str:
        """The description, and the first test that failed, for a person."""
        test = " ".join(self.test.split())[:_TEST_CHARS]
        return self.description if test in self.message else f"{self.description}; first {test}"

"""How a compile ends: the outcomes, their exit codes, and which answer or failure leads to which. Pure."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, assert_never

from factory.contract.errors import Fault, expected
from factory.llm.port import Answer, FinishReason, ProviderError
from factory.plans.diagnostics.render import counted
from factory.plans.rules.judgement import WAYS_OUT
from factory.system.process.signals import Interrupted
from planner.compile.exit_codes import ExitCode


class Outcome(StrEnum):
    """The endings of a compile."""

    WRITTEN = "written"
    ERROR = "error"
    VALIDATION_FAILED = "validation_failed"
    API_FAILED = "api_failed"
    NOT_JSON = "not_json"
    INTERNAL_ERROR = "internal_error"
    INTERRUPTED = "interrupted"


_EXIT_CODES: Final = {
    Outcome.WRITTEN: ExitCode.DONE,
    Outcome.ERROR: ExitCode.REFUSED,
    Outcome.VALIDATION_FAILED: ExitCode.INVALID,
    Outcome.API_FAILED: ExitCode.PROVIDER,
    Outcome.NOT_JSON: ExitCode.NOT_JSON,
    Outcome.INTERNAL_ERROR: ExitCode.INTERNAL,
    Outcome.INTERRUPTED: ExitCode.INTERRUPTED,
}


@dataclass(frozen=True)
class End:
    """Why a compile is over.

    Attributes:
        outcome: which ending it is.
        message: what happened, one sentence without a full stop.
        hint: what to do next; empty when nothing is to be done.
        signal_exit_code: the exit code that a signal asks for, if one ended the compile.
    """

    outcome: Outcome
    message: str
    hint: str = ""
    signal_exit_code: int | None = None

    @property
    def exit_code(self) -> ExitCode:
        """The process's exit code."""
        if self.signal_exit_code is not None:
            return ExitCode(self.signal_exit_code)
        return _EXIT_CODES[self.outcome]


def written(work_orders: int, warnings: int) -> End:
    """The plan is on the disk, with so many warnings at which nothing of it is executed."""
    message = f"the plan has {counted(work_orders, 'work order')}"
    if not warnings:
        return End(Outcome.WRITTEN, message)
    left = f"{counted(warnings, 'warning')} without a reason, at which `factory build` stops"
    return End(Outcome.WRITTEN, f"{message}, and {left}", WAYS_OUT)


def provider_failed(attempt: int, error: ProviderError) -> End:
    """The model's API gave no answer."""
    return End(Outcome.API_FAILED, f"attempt {attempt}: {error.headline}", error.hint)


def unusable(attempt: int, answer: Answer, max_output_tokens: int) -> End | None:
    """Why an answer can't be checked; None when it can be."""
    match answer.finish_reason:
        case FinishReason.STOP:
            return None
        case FinishReason.LENGTH:
            return End(
                Outcome.API_FAILED,
                f"attempt {attempt}: the answer was cut off at {max_output_tokens:,} tokens",
                "raise --max-output-tokens, or split the specification",
            )
        case FinishReason.REFUSAL:
            reason = " ".join(answer.text.split())[:300]
            return End(
                Outcome.API_FAILED,
                f"attempt {attempt}: the model refused" + (f": {reason}" if reason else ""),
                "change the specification, or ask another model",
            )
        case FinishReason.CONTENT_FILTER:
            return End(
                Outcome.API_FAILED,
                f"attempt {attempt}: the provider's content filter stopped the answer",
                "change the specification, or ask another model",
            )
        case FinishReason.CONTEXT_WINDOW:
            return End(
                Outcome.API_FAILED,
                f"attempt {attempt}: the prompt and the answer are too long together for this model",
                "shorten the specification or the context, or ask a model with a larger context",
            )
        case _ as never:
            assert_never(never)


def attempts_spent(attempt: int, *, is_json: bool, errors: int, warnings: int) -> End:
    """The last answer that may be checked is not a plan, or one with warnings where none may stay."""
    go_on = f"--max-attempts {attempt + 2} goes on from here; answers that are stored are not paid again"
    if not is_json:
        return End(Outcome.NOT_JSON, f"attempt {attempt}: the answer is not JSON", go_on)
    problems = counted(errors, "error") if errors else f"{counted(warnings, 'warning')} without a reason"
    return End(
        Outcome.VALIDATION_FAILED,
        f"attempt {attempt}: the plan has {problems}",
        f"`planner explain CODE` tells more about one; {go_on}",
    )


def stopped_by(error: BaseException) -> End:
    """Something was raised where a plan should have come."""
    match error:
        case Interrupted():
            return End(Outcome.INTERRUPTED, f"stopped by {error}", _RESUME, error.exit_code)
        case KeyboardInterrupt():
            return End(Outcome.INTERRUPTED, "stopped by SIGINT", _RESUME)
    known = expected(error)
    if known is None:
        return End(Outcome.INTERNAL_ERROR, f"{type(error).__name__}: {error}")
    outcome = Outcome.API_FAILED if known.fault is Fault.PROVIDER else Outcome.ERROR
    return End(outcome, known.headline, known.hint)


_RESUME: Final = "run the same command again to go on; answers that are stored are not paid again"

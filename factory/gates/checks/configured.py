"""The check that a repository's configuration adds: a command that returns 0."""

from dataclasses import dataclass

from factory.attempt.failure import FailureClass, Stage
from factory.configuration.command_words import words_of
from factory.gates.check import CheckContext, CheckResult
from factory.gates.judge import judge


@dataclass(frozen=True)
class ConfiguredCommand:
    """A command returns 0, unless the work order is exempt.

    Attributes:
        name: what the configuration calls it.
        command: its text, which the configuration has made sure can be executed.
        timeout_seconds: its own time limit; None for the one that all commands have.
    """

    name: str
    command: str
    timeout_seconds: float | None = None

    def run(self, context: CheckContext) -> CheckResult:
        if context.exempt:
            return CheckResult(name=self.name, note="skipped: the work order is exempt")
        words = words_of(self.command)
        assert words is not None
        result = context.execute(f"check_{self.name}", self.command, words, self.timeout_seconds)
        failure = judge(result, Stage.VERIFY_FAILED, context)
        if failure is not None and failure.failure_class == FailureClass.PLAN_DEFECT:
            # The command stands in the user's configuration and in no plan.
            failure = failure.model_copy(
                update={
                    "failure_class": FailureClass.ENVIRONMENT,
                    "hint": f"name its interpreter in the configuration, such as `bash {words[0]}`",
                }
            )
        return CheckResult(name=self.name, failure=failure, commands=(result,))

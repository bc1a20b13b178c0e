"""The checks of what the work order itself promises: its postconditions and its acceptance commands."""

from dataclasses import dataclass

from factory.attempt.failure import Failure, Stage
from factory.configuration.command_words import words_of
from factory.gates.check import CheckContext, CheckResult, CommandResult
from factory.gates.judge import judge
from factory.gates.step import Step, StepKind


@dataclass(frozen=True)
class Postconditions:
    """Every file that the work order promises is part of the result; what a command left behind is not.

    One without postconditions promises all that it may write; one with some leaves the other files open.
    """

    name = "postconditions"

    def run(self, context: CheckContext) -> CheckResult:
        if context.order is None:
            return CheckResult(name=self.name)
        promised = [condition.path for condition in context.order.postconditions]
        message = "the postcondition does not hold: `{}` was not written"
        if not promised:
            promised = list(context.order.allowed_files)
            message = "`{}` was not written: without postconditions, all allowed files must be there"
        for path in promised:
            if path not in context.landing and not context.landing.is_directory(path):
                failure = Failure.model_defect(
                    Stage.ACCEPTANCE_FAILED,
                    message.format(path),
                    where=path,
                    hint="write the file",
                )
                return CheckResult(name=self.name, failure=failure)
        return CheckResult(name=self.name)


@dataclass(frozen=True)
class Acceptance:
    """Every acceptance command returns 0; the first that does not ends the check."""

    name = "acceptance"

    def run(self, context: CheckContext) -> CheckResult:
        done: list[CommandResult] = []
        context = context.of_order
        commands = context.order.acceptance_commands if context.order is not None else ()
        for number, command in enumerate(commands, start=1):
            words = words_of(command)
            if words is None:
                failure = Failure.plan_defect(
                    Stage.ACCEPTANCE_FAILED,
                    "the acceptance command can't be split into words, or names no program",
                    where=command,
                    hint="correct its quotes in the work order",
                )
                return CheckResult(name=self.name, failure=failure, commands=tuple(done))
            context.begins(Step(StepKind.ACCEPTANCE, command, number, len(commands)))
            result = context.execute(f"acceptance_{number}", command, words)
            done.append(result)
            problem = judge(result, Stage.ACCEPTANCE_FAILED, context)
            if problem is not None:
                return CheckResult(name=self.name, failure=problem, commands=tuple(done))
        return CheckResult(name=self.name, commands=tuple(done))

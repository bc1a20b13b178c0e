"""The red probe: acceptance commands run before the work is done, and fail for want of it.

The work order is judged, not each command: if none of them fails, nothing would prove the work. One that
passes beside others that fail prepares something, or is weak, which is a warning. One that can't run at all
can never pass. All this is known before a model is paid; what follows from a defect is decided elsewhere.
"""

import posixpath
from collections.abc import Callable, Sequence

from factory.attempt.failure import Failure, FailureClass, Stage
from factory.configuration.command_words import words_of
from factory.contract.work_order import VERIFY_SCRIPT, WorkOrder
from factory.gates.before.lacking.of_programs import CANNOT_EXECUTE
from factory.gates.before.lacking.reasons import lacking
from factory.gates.check import CheckContext, Colour, CommandResult, Probed
from factory.gates.judge import judge
from factory.gates.step import Step, StepKind


def probe(order: WorkOrder, context: CheckContext, restore: Callable[[], None]) -> tuple[Probed, ...]:
    """Run the acceptance commands of `order` on the baseline, in their order.

    What a command that passes leaves behind stays for the later ones, as in an attempt: it may prepare them.
    What one that fails leaves behind would decide the result of the next.

    Args:
        order: the work order.
        context: of a checkout of the baseline, in which nothing was written.
        restore: puts the checkout back.
    """
    reasons = {exempt.command: exempt.reason for exempt in order.red_exempt}
    probed: list[Probed] = []
    passed: list[tuple[str, str, tuple[str, ...]]] = []
    is_spoiled = False
    for number, command in enumerate(order.acceptance_commands, start=1):
        words = words_of(command)
        if words is None:
            reason = "it can't be split into words, or names no program"
            probed.append(Probed(command=command, colour="impossible", reason=reason))
            continue
        context.begins(Step(StepKind.PROBE, command, number, len(order.acceptance_commands)))
        if is_spoiled:
            restore()
            for before in passed:
                context.execute(*before)
        run = (f"acceptance_{number}", command, words)
        result = context.execute(*run)
        is_spoiled = not _passes(result) or bool(result.changed)
        if not is_spoiled:
            passed.append(run)
        probed.append(_classify(command, result, order, context, reasons.get(command)))
    if any(command.colour == "red" for command in probed):
        probed = [
            command.model_copy(update={"weak": True}) if command.colour == "green" else command
            for command in probed
        ]
    return tuple(probed)


def defect(probed: Sequence[Probed]) -> Failure | None:
    """Why the commands are no proof of the work, as a defect of the plan; None if they are.

    A command that the machine could not run says nothing of the plan: that is an error of the environment.
    """
    for command in probed:
        if command.colour != "impossible":
            continue
        if command.result is not None and command.result.machine_failed:
            return Failure.environment(
                Stage.PREFLIGHT, command.reason, where=command.command, excerpt=command.result.excerpt
            )
        return _plan_defect(
            command,
            f"the acceptance command is no proof: {command.reason}",
            "correct the command in the work order",
        )
    # Exempt ones are no proof either, but the plan says so.
    green = [command for command in probed if command.colour == "green" and not command.weak]
    if not green:
        return None
    several = f"none of the {len(probed)} acceptance commands is a proof: each of them passes before the work"
    return _plan_defect(
        green[0],
        several if len(green) > 1 else f"the acceptance command is no proof: {green[0].reason}",
        "demand something that is only true once the work is done; or, where passing already is"
        " right, name the command in red_exempt with the reason",
    )


def _plan_defect(command: Probed, message: str, hint: str) -> Failure:
    return Failure.plan_defect(
        Stage.PREFLIGHT,
        message,
        where=command.command,
        hint=hint,
        exit_code=command.result.exit_code if command.result else None,
        excerpt=command.result.excerpt if command.result else "",
    )


def _passes(result: CommandResult) -> bool:
    return result.exit_code == 0 and not result.shortcoming


def _classify(
    command: str, result: CommandResult, order: WorkOrder, context: CheckContext, exempt: str | None
) -> Probed:
    def probed(colour: Colour, reason: str = "") -> Probed:
        return Probed(command=command, colour=colour, reason=reason, result=result)

    impossible = _impossible(command, result, order, context)
    if impossible:
        return probed("impossible", impossible)
    if exempt is not None:
        return probed("exempt", exempt)
    if _passes(result):
        return probed("green", "it passes before anything was done")
    return probed("red")


def _impossible(command: str, result: CommandResult, order: WorkOrder, context: CheckContext) -> str:
    """Why a command can't run, whatever the work order writes; empty if it can."""
    if result.timed_out:
        return "it did not end within its time limit"
    failure = judge(result, Stage.PREFLIGHT, context)
    if failure is not None and result.machine_failed:
        return failure.message
    earlier = order.acceptance_commands[: order.acceptance_commands.index(command)]
    reason = lacking(result, order, context, earlier)
    if reason or result.exit_code in CANNOT_EXECUTE:
        return reason
    if result.not_started is not None:
        assert failure is not None
        # What is neither there nor to be written may be built, by an earlier command or by the verification.
        is_built = bool(earlier) or VERIFY_SCRIPT in (*context.writable, *context.landing)
        if failure.failure_class is FailureClass.MODEL_DEFECT and (
            is_built or posixpath.normpath(result.argv[0]) in context.writable
        ):
            return ""
        return failure.message
    if failure is not None and failure.failure_class is FailureClass.ENVIRONMENT:
        return failure.message
    return ""

"""The registry of checks: which ones PO runs, in which order, and which of them only report."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from factory.attempt.failure import Failure, Stage
from factory.configuration.document import Configuration, ConfiguredCheck
from factory.contract.errors import WorkorderError
from factory.gates.baseline_report import BaselineCheck, BaselineReport
from factory.gates.check import Check, CheckContext, CheckResult
from factory.gates.checks.configured import ConfiguredCommand
from factory.gates.checks.interfaces import Interfaces
from factory.gates.checks.promises import Acceptance, Postconditions
from factory.gates.checks.verify import CompileAll, Pytest, VerifyScript
from factory.system.terminal.console import visible

_AS_CONFIGURED: Final = "only reported, as configured"
_RED_BEFORE: Final = "only reported: it fails on the baseline, and its failures can't be told apart"
_LONGEST_TEXT: Final = 500


@dataclass(frozen=True)
class Part:
    """Checks that are recorded together.

    Attributes:
        name: `interfaces` for the symbols that the work order declares, `verify` for what holds for the whole
            repository, `acceptance` for what else the work order promises.
        stage: the stage that a failure of theirs belongs to.
        checks: in the order in which they run.
    """

    name: str
    stage: Stage
    checks: tuple[Check, ...]


def registry(
    configuration: Configuration, known: BaselineReport | None = None, *, interfaces: bool = False
) -> tuple[Part, ...]:
    """The checks of an attempt.

    Args:
        configuration: the repository's own; its commands follow the built-in verification.
        known: what the baseline already failed, if that is accepted: then only new failures count where
            they can be told apart, and a check whose failures can't be is only reported.
        interfaces: whether the work order declares symbols.

    Returns:
        The symbols, which need no command; the verification; then what else the work order promises.
    """
    symbols = (Part("interfaces", Stage.ACCEPTANCE_FAILED, (Interfaces(),)),) if interfaces else ()
    return (
        *symbols,
        Part("verify", Stage.VERIFY_FAILED, verification(configuration, known)),
        Part("acceptance", Stage.ACCEPTANCE_FAILED, (Postconditions(), Acceptance())),
    )


def verification(
    configuration: Configuration, known: BaselineReport | None = None, *, report: bool = False
) -> tuple[Check, ...]:
    """The checks of the whole repository.

    Args:
        configuration: the repository's own.
        known: what the baseline already failed, if that is accepted.
        report: whether pytest is to name the tests that fail.
    """
    built_in: tuple[Check, ...] = (VerifyScript(), CompileAll(), Pytest(report=report))
    configured = tuple(_configured(check) for check in configuration.checks)
    return tuple(_unless_known(check, known) for check in (*built_in, *configured))


def gating_commands(parts: Sequence[Part]) -> tuple[str, ...]:
    """The commands of the repository's configuration that can fail an attempt, in order."""
    return tuple(
        check.command for part in parts for check in part.checks if isinstance(check, ConfiguredCommand)
    )


def run_check(check: Check, context: CheckContext, stage: Stage) -> CheckResult:
    """Run one check; one that raises has failed, and the run goes on to say so.

    Interruptions are no failures and pass through.
    """
    try:
        return check.run(context)
    except Exception as error:
        problem = error if isinstance(error, WorkorderError) else WorkorderError(str(error))
        what = f"{type(error).__name__}: {visible(problem.message[:_LONGEST_TEXT])}"
        failure = Failure.environment(
            stage,
            f"the check {check.name} broke off: {what}",
            where=visible(problem.where),
            hint=problem.hint or "see whether the disk is full or a permission is missing",
        )
        return CheckResult(name=check.name, failure=failure)


@dataclass(frozen=True)
class ReportOnly:
    """A check whose failure is recorded and shown, and does not count.

    If a command of it changed what it must not, it counts all the same: what runs afterwards would judge
    other files than those that land.

    Attributes:
        check: the check.
        why: the note of a failure.
    """

    check: Check
    why: str

    @property
    def name(self) -> str:
        return self.check.name

    def run(self, context: CheckContext) -> CheckResult:
        result = run_check(self.check, context, Stage.VERIFY_FAILED)
        if result.changed:
            return result
        note = self.why if result.failure is not None else result.note
        return result.model_copy(update={"gates": False, "note": note})


def _configured(check: ConfiguredCheck) -> Check:
    limit = check.timeout_seconds
    command = ConfiguredCommand(check.name, check.command, None if limit is None else float(limit))
    return command if check.gates else ReportOnly(command, _AS_CONFIGURED)


def _unless_known(check: Check, known: BaselineReport | None) -> Check:
    before: BaselineCheck | None = known.check(check.name) if known is not None else None
    if before is None or not before.red or not before.acceptable:
        return check
    if isinstance(check, Pytest) and before.failing_tests is not None:
        return Pytest(known=before.failing_tests)
    return ReportOnly(check, _RED_BEFORE)

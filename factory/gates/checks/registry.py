"""The registry of checks: which ones PO runs, in which order, and which of them only report."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from factory.attempt.failure import FailureClass, Stage
from factory.configuration.command_words import words_of
from factory.configuration.document import Configuration, ConfiguredCheck
from factory.environments.environment import Environment
from factory.gates.baseline_report import BaselineCheck, BaselineReport
from factory.gates.check import Check, CheckContext, CheckFamily, CheckResult
from factory.gates.checks.imports import Imports
from factory.gates.checks.interfaces import Interfaces
from factory.gates.checks.languages import LanguageChecks
from factory.gates.checks.manifests import Manifests
from factory.gates.checks.promises import Acceptance, Postconditions
from factory.gates.checks.unusual_code import UnusualCode
from factory.gates.checks.verify import CompileAll, Pytest, VerifyScript
from factory.gates.judge import judge
from factory.gates.trial import CheckGroup, run_check

_AS_CONFIGURED: Final = "only reported, as configured"
_RED_BEFORE: Final = "only reported: it fails on the baseline, and its failures can't be told apart"


def registry(
    configuration: Configuration,
    known: BaselineReport | None = None,
    *,
    interfaces: bool = False,
    kept: tuple[str, ...] = (),
    environment: Environment | None = None,
) -> tuple[CheckGroup, ...]:
    """The checks of an attempt.

    Args:
        configuration: the repository's own; its commands follow the built-in verification.
        environment: the packages that may be imported and declared; None to judge neither.
        known: what the baseline already failed, if that is accepted: then only new failures count where
            they can be told apart, and a check whose failures can't be is only reported.
        interfaces: whether the work order declares symbols.
        kept: the ids of tests that passed before and must pass again.

    Returns:
        The symbols, which need no command; the verification; then what else the work order promises.
    """
    symbols = (CheckGroup("interfaces", Stage.ACCEPTANCE_FAILED, (Interfaces(),)),) if interfaces else ()
    packages = () if environment is None else (Manifests(environment), Imports(environment))
    return (
        *symbols,
        CheckGroup(
            "verify",
            Stage.VERIFY_FAILED,
            (UnusualCode(), *packages, *verification(configuration, known, kept=kept)),
        ),
        CheckGroup("acceptance", Stage.ACCEPTANCE_FAILED, (Postconditions(), Acceptance())),
    )


def verification(
    configuration: Configuration,
    known: BaselineReport | None = None,
    *,
    report: bool = False,
    kept: tuple[str, ...] = (),
) -> tuple[Check | CheckFamily, ...]:
    """The checks of the whole repository.

    Args:
        configuration: the repository's own.
        known: what the baseline already failed, if that is accepted.
        report: whether pytest is to name the tests that fail.
        kept: the ids of tests that passed before and must pass again.
    """
    judged = _Judged(known)
    python: tuple[Check, ...] = (VerifyScript(), CompileAll(), Pytest(report=report, kept=kept))
    configured = (_configured(check) for check in configuration.checks)
    return (*map(judged, python), LanguageChecks(judged), *map(judged, configured))


def gating_commands(parts: Sequence[CheckGroup]) -> tuple[str, ...]:
    """The commands of the repository's configuration that can fail an attempt, in order."""
    return tuple(
        check.command for part in parts for check in part.checks if isinstance(check, ConfiguredCommand)
    )


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


@dataclass(frozen=True)
class _Judged:
    """What becomes of a check where the baseline is known; a value, so that it goes to another process."""

    known: BaselineReport | None

    def __call__(self, check: Check) -> Check:
        before: BaselineCheck | None = self.known.check(check.name) if self.known is not None else None
        if before is None or not before.red or not before.acceptable:
            return check
        if isinstance(check, Pytest) and before.failing_tests is not None:
            return replace(check, known=before.failing_tests)
        return ReportOnly(check, _RED_BEFORE)

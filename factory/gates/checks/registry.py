"""The registry of checks: which ones PO runs, in which order, and which of them only report."""

import shlex
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final

from factory.attempt.failure import FailureClass, Stage
from factory.configuration.command_words import words_of
from factory.configuration.document import Configuration, ConfiguredCheck
from factory.contract.repo_path import RepoPath
from factory.environments.environment import Environment
from factory.environments.projects import Subproject
from factory.gates.baseline_report import BaselineCheck, BaselineReport
from factory.gates.check import Check, CheckContext, CheckFamily, CheckResult
from factory.gates.checks.imports import Imports
from factory.gates.checks.interfaces import Interfaces
from factory.gates.checks.kept_tests import kept_of
from factory.gates.checks.languages import LanguageChecks
from factory.gates.checks.manifests import Manifests
from factory.gates.checks.projects import Beside, FamilyBeside, Shared, Within, named, within
from factory.gates.checks.promises import Acceptance, Postconditions
from factory.gates.checks.unusual_code import UnusualCode
from factory.gates.checks.verify import CompileAll, Pytest, VerifyScript
from factory.gates.judge import judge
from factory.gates.trial import CheckGroup, run_check
from factory.languages.python.language import PYTHON

OTHER_PROJECTS: Final = "other_projects"
"""The part of the projects that a work order does not touch, when all else has passed."""

_AS_CONFIGURED: Final = "only reported, as configured"
_RED_BEFORE: Final = "only reported: it fails on the baseline, and its failures can't be told apart"


def registry(
    configuration: Configuration,
    known: BaselineReport | None = None,
    *,
    interfaces: bool = False,
    kept: tuple[str, ...] = (),
    environment: Environment | None = None,
    projects: Sequence[Subproject] = (),
    at_once: Set[RepoPath | None] | None = None,
) -> tuple[CheckGroup, ...]:
    """The checks of an attempt.

    Args:
        configuration: the repository's own; its commands follow the built-in verification.
        environment: the packages that may be imported and declared; None to judge neither.
        known: what the baseline already failed, if that is accepted: then only new failures count where
            they can be told apart, and a check whose failures can't be is only reported.
        interfaces: whether the work order declares symbols.
        kept: the ids of tests that passed before and must pass again.
        projects: those of the repository.
        at_once: the directories of the projects that are verified before anything else; None for the root.
            The others are verified when all else has passed. None for all.

    Returns:
        The symbols, which need no command; the verification; then what else the work order promises, and the
        verification of the other projects.
    """
    symbols = (CheckGroup("interfaces", Stage.ACCEPTANCE_FAILED, (Interfaces(),)),) if interfaces else ()
    packages = () if environment is None else _of_packages(environment, projects)

    def verified(is_first: bool) -> tuple[Check | CheckFamily, ...]:
        chosen = {
            place
            for place in (None, *(project.directory for project in projects))
            if (at_once is None or place in at_once) is is_first
        }
        return verification(configuration, known, kept=kept, projects=projects, only=chosen)

    others = verified(False)
    later = (CheckGroup(OTHER_PROJECTS, Stage.VERIFY_FAILED, others),) if others else ()
    return (
        *symbols,
        CheckGroup(
            "verify",
            Stage.VERIFY_FAILED,
            (UnusualCode(), *packages, *verified(True)),
        ),
        CheckGroup("acceptance", Stage.ACCEPTANCE_FAILED, (Postconditions(), Acceptance())),
        *later,
    )


def verification(
    configuration: Configuration,
    known: BaselineReport | None = None,
    *,
    report: bool = False,
    kept: tuple[str, ...] = (),
    projects: Sequence[Subproject] = (),
    only: Set[RepoPath | None] | None = None,
) -> tuple[Check | CheckFamily, ...]:
    """The checks of the whole repository, project by project.

    Args:
        configuration: the repository's own.
        known: what the baseline already failed, if that is accepted.
        report: whether pytest is to name the tests that fail.
        kept: the ids of tests that passed before and must pass again.
        projects: those of the repository.
        only: the directories of those that are verified, None for the root; None for all.
    """
    directories = tuple(project.directory for project in projects)
    checks: list[Check | CheckFamily] = []
    is_alone = any(project.alone for project in projects)
    if not is_alone and (only is None or None in only):
        own = tuple(test for test in kept if not _place_of(test, directories))
        checks += _of_root(configuration, known, report=report, kept=own, projects=directories)
    for project in projects:
        if only is None or project.directory in only:
            below = f"{project.directory}/"
            own = tuple(test.removeprefix(below) for test in kept if test.startswith(below))
            checks += _of_project(project, known, report=report, kept=own)
    return tuple(checks)


def _of_root(
    configuration: Configuration,
    known: BaselineReport | None,
    *,
    report: bool,
    kept: tuple[str, ...],
    projects: tuple[RepoPath, ...],
) -> Iterator[Check | CheckFamily]:
    judged = _Judged(known)
    configured = (judged(_configured(check)) for check in configuration.checks)
    of_python = kept_of(kept, PYTHON)
    pytest = Pytest(report=report, kept=of_python, beside=projects)
    python = (VerifyScript(of_python), CompileAll(projects), pytest)
    default = LanguageChecks(judged, kept)
    for check in python:
        yield Beside(projects, judged(check)) if projects else judged(check)
    yield FamilyBeside(projects, default) if projects else default
    yield from configured


def _of_project(
    project: Subproject, known: BaselineReport | None, *, report: bool, kept: tuple[str, ...]
) -> Iterator[Check | CheckFamily]:
    judged = _Judged(known, project.directory)
    configured = (_configured(check) for check in project.configuration.checks)
    of_python = kept_of(kept, PYTHON)
    pytest = Pytest(report=report, kept=of_python)
    python: tuple[Check, ...] = (VerifyScript(of_python), CompileAll(), pytest)
    checks: tuple[Check | CheckFamily, ...] = (
        *map(judged, python),
        LanguageChecks(judged, kept),
        *map(judged, configured),
    )
    for check in checks:
        yield within(project.directory, check)


def _of_packages(environment: Environment, projects: Sequence[Subproject]) -> tuple[Check, ...]:
    """What holds for the packages of written files."""
    if not projects:
        return (Manifests(environment), Imports(environment))
    found: dict[RepoPath | None, Environment] = {None: environment}
    found.update((project.directory, project.environment) for project in projects)
    return (
        Shared({place: Manifests(packages) for place, packages in found.items()}),
        Shared({place: Imports(packages) for place, packages in found.items()}),
    )


def _place_of(test: str, projects: tuple[RepoPath, ...]) -> RepoPath | None:
    """The project of a test."""
    return next((project for project in projects if test.startswith(f"{project}/")), None)


def gating_commands(parts: Sequence[CheckGroup]) -> tuple[str, ...]:
    """The commands of the repository's configuration that can fail an attempt, in order."""
    checks = [check for part in parts for check in part.checks]
    return (
        *(check.command for check in checks if isinstance(check, ConfiguredCommand)),
        *(
            f"(cd {shlex.quote(check.project)} && {check.check.command})"
            for check in checks
            if isinstance(check, Within) and isinstance(check.check, ConfiguredCommand)
        ),
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
    """What becomes of a check where the baseline is known.

    Attributes:
        known: what the baseline already failed, if that is accepted.
        project: the directory of the check's project; None for the root.
    """

    known: BaselineReport | None
    project: RepoPath | None = None

    def __call__(self, check: Check) -> Check:
        known, name = self.known, named(check.name, self.project)
        before: BaselineCheck | None = known.check(name) if known is not None else None
        if before is None or not before.red or not before.acceptable:
            return check
        if isinstance(check, Pytest) and before.failing_tests is not None:
            below = f"{self.project}/" if self.project is not None else ""
            return replace(check, known=tuple(test.removeprefix(below) for test in before.failing_tests))
        return ReportOnly(check, _RED_BEFORE)

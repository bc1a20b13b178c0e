"""Runs the verification on a baseline, before a model is asked: what already fails is nobody's new work.

The result is a view: it can be deleted, and a damaged one is made anew. Which failures of an attempt count
beside it is for `checks`.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from factory.attempt.failure import Stage
from factory.configuration.document import Configuration
from factory.contract.canonical import canonical_json, dump, readable_json, sha256_hex
from factory.contract.errors import MachineProblem
from factory.environments.projects import Subproject
from factory.gates.baseline_report import BaselineCheck, BaselineReport
from factory.gates.bench import Bench
from factory.gates.checks.registry import verification
from factory.gates.trial import CheckGroup, expanded, run_check
from factory.repository.target import Refused
from factory.system.files.tree import FileProblem, read_bounded, write_atomic
from factory.system.terminal.console import visible

BASELINE_RESULT: Final = "baseline_result.json"

RunChecks = Callable[[tuple[CheckGroup, ...], Path], tuple[BaselineCheck, ...]]
"""Runs the checks of a baseline, wherever that is."""

_LARGEST_RESULT: Final = 100_000_000
"""The largest stored result that is used again, in bytes; it may name many failing tests."""


def examine_baseline(
    bench: Bench,
    folder: Path,
    configuration: Configuration,
    *,
    exempt: bool = False,
    red_accepted: bool = False,
    reuse: bool = True,
    projects: Sequence[Subproject] = (),
    run_checks: RunChecks | None = None,
) -> BaselineReport:
    """Run every check of the verification on a fresh checkout of the baseline.

    A result in the folder is used again if it is for the same tree, checks, time limit, interpreters,
    packages, services and environment variables. One that failed is used again only if `red_accepted`:
    otherwise it is about to be refused, and the user may have repaired what the comparison does not see.

    Args:
        bench: at the baseline, nothing changed; afterwards its checkout holds what the checks left in it.
        folder: gets `baseline_result.json` and the output of each command; made if it is missing.
        configuration: the repository's own, at the baseline.
        exempt: whether the plan is still to make what the verification needs: then it is only compiled.
        red_accepted: whether the user accepts a baseline that fails.
        reuse: whether a result in the folder is used again.
        projects: those of the repository, all of which are verified.
        run_checks: runs the checks, told them and the folder; None to run them here.

    Raises:
        FileProblem, GitError: the result can't be written, or git failed.
        Stopped: the bench's stop asked for it.
    """
    tree = bench.checkout.git.text("rev-parse", f"{bench.checkout.baseline}^{{tree}}")
    identity = _identity(bench, configuration, projects, exempt=exempt)
    stored = _stored(folder / BASELINE_RESULT)
    if reuse and stored is not None and stored.serves(tree, identity, red_accepted=red_accepted):
        return stored
    folder.mkdir(parents=True, exist_ok=True)
    parts = base_checks(configuration, projects)
    if run_checks is not None:
        checks = run_checks(parts, folder)
    else:
        checks = run_verification(bench, folder, parts, exempt=exempt)
    report = BaselineReport(tree=tree, identity=identity, checks=checks)
    write_atomic(folder / BASELINE_RESULT, readable_json(dump(report)))
    return report


def require_usable(report: BaselineReport, folder: Path, *, red_accepted: bool) -> None:
    """Refuse a baseline on which no attempt could be judged, or on which the user did not expect failures.

    Args:
        report: what the verification found.
        folder: where the output of its commands is.
        red_accepted: whether it may fail.

    Raises:
        Refused: it fails and that is not accepted, or it changes files, so that it can judge nothing.
        MachineProblem: a program that it needs is not installed.
    """
    for check in report.unacceptable:
        assert check.failure is not None
        message = f"the verification of the base can't be used: {check.name}: {check.failure.description}"
        if check.changed:
            hint = "let the check leave the repository's files as they are"
            raise Refused(message, where=str(folder), hint=hint)
        raise MachineProblem(message, where=str(folder), hint=check.failure.hint)
    if report.red and not red_accepted:
        names = ", ".join(f"{check.name} ({_first_failure(check)})" for check in report.red)
        raise Refused(
            f"the repository's own verification fails already, before anything was changed: {names}",
            where=str(folder),
            hint="repair it, or accept it with --baseline-red: then only new failures count",
        )


def _first_failure(check: BaselineCheck) -> str:
    if check.failing_tests:
        # A service that ended may be why.
        _, service, died = (check.failure.message if check.failure else "").partition("; the service ")
        more = f" and {len(check.failing_tests) - 1} more" if len(check.failing_tests) > 1 else ""
        return f"{visible(check.failing_tests[0])}{more}{service}{died}"
    return check.failure.description if check.failure is not None else ""


def base_checks(configuration: Configuration, projects: Sequence[Subproject] = ()) -> tuple[CheckGroup, ...]:
    """The verification of a baseline, as one part.

    Args:
        configuration: the repository's own, at the baseline.
        projects: those of the repository, all of which are verified.
    """
    checks = verification(configuration, report=True, projects=projects)
    return (CheckGroup("verify", Stage.VERIFY_FAILED, checks),)


def run_verification(
    bench: Bench, folder: Path, parts: Sequence[CheckGroup], *, exempt: bool
) -> tuple[BaselineCheck, ...]:
    """All checks of a baseline, also after one that failed: each failure is known by itself.

    Args:
        bench: at the baseline, nothing changed; afterwards its checkout holds what the checks left in it.
        folder: gets the output of each command.
        parts: the checks.
        exempt: whether the files can't be verified as a whole yet: then they are only compiled.

    Raises:
        GitError: git failed.
        Stopped: the bench's stop asked for it.
    """
    # From here on everything that differs is what a check changed.
    bench.checkout.stage([])
    context = bench.baseline_context(folder, exempt=exempt)
    checks: list[BaselineCheck] = []
    for check in expanded([check for part in parts for check in part.checks], context):
        result = run_check(check, context, Stage.VERIFY_FAILED)
        summaries = [command.summary for command in result.commands if command.summary is not None]
        checks.append(
            BaselineCheck(
                name=result.name,
                gates=result.gates,
                failure=result.failure,
                note=result.note,
                failing_tests=result.failing_tests,
                passed_tests=result.passed_tests,
                changed=result.changed,
                passed=sum(summary.passed for summary in summaries),
                skipped=sum(summary.skipped for summary in summaries),
            )
        )
        if result.changed:
            bench.checkout.restore()
    return tuple(checks)


def _identity(
    bench: Bench, configuration: Configuration, projects: Sequence[Subproject], *, exempt: bool
) -> str:
    checkout, terms = bench.checkout, bench.terms
    scratch = str(checkout.home.parent)
    return sha256_hex(
        canonical_json(
            {
                "checks": [dump(check) for check in configuration.checks],
                "environment": {
                    name: value.replace(scratch, "").encode("utf-8", "backslashreplace").decode()
                    for name, value in bench.variables.items()
                },
                "exempt": exempt,
                "sandbox": str(terms and (terms.sandbox.level, terms.network, terms.resources, terms.read)),
                "packages": bench.environment.hash,
                "projects": [
                    [
                        project.directory,
                        project.environment.hash,
                        project.alone,
                        [dump(check) for check in project.configuration.checks],
                    ]
                    for project in projects
                ],
                "services": bench.services.identity,
                "timeout_seconds": bench.timeout_seconds,
            }
        )
    )


def _stored(path: Path) -> BaselineReport | None:
    try:
        return BaselineReport.model_validate_json(read_bounded(path, max_bytes=_LARGEST_RESULT))
    except (FileProblem, ValidationError):
        return None

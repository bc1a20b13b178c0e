"""The checks of the whole repository: its own `scripts/verify.sh`, else compileall and pytest for Python."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from factory.attempt.brief import canonical_output, excerpt
from factory.attempt.failure import Failure, Stage
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import VERIFY_SCRIPT
from factory.gates.check import CheckContext, CheckResult, CommandResult
from factory.gates.checks.kept_tests import passed_tests, removed, skipped_tests, vanished
from factory.gates.checks.languages import (
    EXEMPT,
    NO_PYTHON,
    ONE_BY_ONE,
    SCRIPT_VERIFIES,
    holds_python,
    is_of_a_new_project,
    script_verifies,
)
from factory.gates.checks.pytest_report import (
    LONGEST_REPORT,
    REPORT_OPTIONS,
    BadReport,
    FailedTest,
    failures_in,
    new_failures,
)
from factory.gates.checks.script_report import ScriptReport
from factory.gates.judge import judge
from factory.languages.python.commands import COMPILE_ALL, PYTEST
from factory.languages.python.language import PYTHON
from factory.system.files.tree import FileProblem, Tree, write_atomic
from factory.system.removal import remove_tree
from factory.system.terminal.console import visible

_PYTEST: Final = PYTEST.words
_REPORT: Final = "pytest_report.xml"

# See pytest.ExitCode.
_TESTS_FAILED: Final = 1
_NO_TESTS_COLLECTED: Final = 5
_PASSING: Final = frozenset({0, _NO_TESTS_COLLECTED})

_NAMED: Final = 10
"""How many new failures a message names."""
_LONGEST_NAME: Final = 200
_LONGEST_EVIDENCE: Final = 400_000
_UNREPORTED: Final = "which tests pytest ran in it is not known: that some vanish is not noticed"


@dataclass(frozen=True)
class VerifyScript:
    """`bash scripts/verify.sh`, if the repository has one of its own and the work order is not exempt.

    Attributes:
        kept: the ids of tests that must pass, without parameters.
    """

    kept: tuple[str, ...] = ()

    name = "verify.sh"

    def run(self, context: CheckContext) -> CheckResult:
        if context.exempt:
            return CheckResult(name=self.name, note=EXEMPT)
        if not context.tree.exists(VERIFY_SCRIPT):
            return CheckResult(name=self.name, note="skipped: the repository has none")
        if is_of_a_new_project(context):
            return CheckResult(name=self.name, note=ONE_BY_ONE)
        with ScriptReport(context.temporary) as report:
            variables = report.variables(context.execute.variables)
            words = ("bash", VERIFY_SCRIPT)
            result = context.execute("verify", f"bash {VERIFY_SCRIPT}", words, variables=variables)
        failure = judge(result, Stage.VERIFY_FAILED, context)
        passed = report.passed_tests(context.landing)
        is_unreported = passed is None and failure is None
        failure = failure or vanished(self.kept, passed, result, self.name, context.writable)
        return CheckResult(
            name=self.name,
            failure=failure,
            commands=(result,),
            note=_UNREPORTED if is_unreported and _has_tests(context.landing) else "",
            passed_tests=passed,
            removed_tests=removed(self.kept, passed, context.writable) if failure is None else (),
        )


def _has_tests(files: Iterable[str]) -> bool:
    """Whether there are tests of pytest among some files, so that its silence says something."""
    return any(path.endswith(".py") and PYTHON.is_test(path) for path in files)


@dataclass(frozen=True)
class CompileAll:
    """`python -m compileall`, where no verify script does the work.

    Attributes:
        beside: the directories that are verified by themselves.
    """

    beside: tuple[RepoPath, ...] = ()

    name = "compileall"

    def run(self, context: CheckContext) -> CheckResult:
        if script_verifies(context):
            return CheckResult(name=self.name, note=SCRIPT_VERIFIES)
        if not holds_python(context):
            return CheckResult(name=self.name, note=NO_PYTHON)
        words = COMPILE_ALL.words
        if self.beside:
            below = "|".join(map(re.escape, self.beside))
            words = (*words[:-1], "-x", rf"^\./(?:{below})/", words[-1])
        result = context.execute("compileall", " ".join(words), words)
        return CheckResult(
            name=self.name, failure=judge(result, Stage.VERIFY_FAILED, context), commands=(result,)
        )


@dataclass(frozen=True)
class Pytest:
    """`python -m pytest`, where no verify script does the work and the work order is not exempt.

    Attributes:
        known: the ids of the tests that failed on the baseline, an id once for each failure: then only new
            failures fail the check. None if every failure counts.
        report: whether to name the tests that fail, although every failure counts.
        kept: the ids of tests that must pass, without parameters: they passed on the baseline, and nobody
            may write their files.
        beside: the directories that are verified by themselves.
    """

    known: tuple[str, ...] | None = None
    report: bool = False
    kept: tuple[str, ...] = ()
    beside: tuple[RepoPath, ...] = ()

    name = "pytest"

    @property
    def words(self) -> tuple[str, ...]:
        """The command."""
        return (*_PYTEST, *(f"--ignore={directory}" for directory in self.beside))

    def run(self, context: CheckContext) -> CheckResult:
        if context.exempt:
            return CheckResult(name=self.name, note=EXEMPT)
        if script_verifies(context):
            return CheckResult(name=self.name, note=SCRIPT_VERIFIES)
        if not holds_python(context):
            return CheckResult(name=self.name, note=NO_PYTHON)
        if self.known is None and not self.report:
            result, failures = context.execute("pytest", " ".join(self.words), self.words), None
        else:
            result, failures = _with_report(context, self.words)
        failure = judge(result, Stage.VERIFY_FAILED, context, passing=_PASSING)
        note = "no tests collected" if result.exit_code == _NO_TESTS_COLLECTED else ""
        if failure is not None and self.known is not None:
            if failures is None:
                note = "it left no report that tells new failures from those of the baseline"
            else:
                failure, note = _compare(failure, failures, self.known, context)
        failing = None if failures is None else tuple(failed.test for failed in failures)
        passed = passed_tests(result, context)
        failure = failure or vanished(
            self.kept, passed, result, self.name, context.writable, skipped_tests(result, context)
        )
        return CheckResult(
            name=self.name,
            failure=failure,
            commands=(result,),
            note=note,
            failing_tests=failing,
            passed_tests=passed,
            removed_tests=removed(self.kept, passed, context.writable) if failure is None else (),
        )


def _with_report(
    context: CheckContext, command: tuple[str, ...]
) -> tuple[CommandResult, tuple[FailedTest, ...] | None]:
    """Run pytest; how it ended, and the failures, or None if they are not all that is wrong."""
    written = context.temporary / _REPORT
    # An earlier command may have put anything there.
    remove_tree(written)
    words = (*command, *REPORT_OPTIONS, f"--junitxml={written}")
    result = context.execute("pytest", " ".join(command), words)
    try:
        report = Tree(context.temporary).read(RepoPath.parse(_REPORT), max_bytes=LONGEST_REPORT)
    except FileProblem:
        report = None
    remove_tree(written)
    if report is not None:
        write_atomic(context.folder / _REPORT, report.data)
    if judge(result, Stage.VERIFY_FAILED, context, passing=_PASSING | {_TESTS_FAILED}) is not None:
        # Also where the session did not reach its end, or its runner was patched.
        return result, None
    if result.exit_code != _TESTS_FAILED:
        return result, ()
    if report is None:
        return result, None
    try:
        # Without any it failed for something else, such as a coverage that is too low.
        return result, failures_in(report.data, context.execute.places) or None
    except BadReport:
        return result, None


def _compare(
    failure: Failure, failures: Sequence[FailedTest], known: Sequence[str], context: CheckContext
) -> tuple[Failure | None, str]:
    """What remains of a failure of tests if the known ones don't count, and a note about those."""
    failing = [failed.test for failed in failures]
    new = new_failures(failing, known)
    ignored = len({*failing} - {*new})
    note = f"ignored {_counted(ignored, 'failing test')} of the baseline" if ignored else ""
    if not new:
        return None, note
    names = ", ".join(visible(test[:_LONGEST_NAME]) for test in new[:_NAMED])
    more = f" and {len(new) - _NAMED} more" if len(new) > _NAMED else ""
    message = f"{_counted(len(new), 'failing test')} that the baseline does not have: {names}{more}"
    named = {*new}
    # Only theirs: the known ones would take the room.
    reports = [f"___ {failed.test} ___\n{failed.report}" for failed in failures if failed.test in named]
    printed = "\n".join(("=== FAILURES ===", *reports)).encode("utf-8", "backslashreplace")
    evidence = excerpt(canonical_output(printed[:_LONGEST_EVIDENCE], context.execute.places))
    return failure.model_copy(
        update={"message": f"{message}; {note}" if note else message, "excerpt": evidence, "test": new[0]}
    ), note


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"

"""How a command's passing is known, and what is missing where it returned 0 and proved nothing. Pure."""

import re
from typing import Final

from pydantic import BaseModel, ConfigDict

from factory.attempt.outcome import VerdictKind
from factory.gates.verdict.node_words import RewrittenNode
from factory.gates.verdict.printed_words import RewrittenPrinting
from factory.gates.verdict.report import NodeReport, PrintedReport, PytestReport, Report, UnittestReport
from factory.gates.verdict.rewrite import Rewritten

_NO_TESTS_COLLECTED: Final = 5
_NO_CANARY: Final = "the runner was patched: a test that must fail did not"
_FAILED: Final = re.compile(r"^(?:FAILED|ERROR) (?P<test>[^\s:]+\.py(?:::\S+)?)", re.MULTILINE)
_NAMED: Final = 5
_REPORTING: Final = {
    "pytest": "pytest", "unittest": "unittest", "node": "node --test", "vitest": "vitest", "go": "go test",
    "cargo": "cargo test",
}  # fmt: skip
"""The runners whose own report is known, as messages call them."""

_LONGEST_NAME: Final = 200

AnyRewritten = Rewritten | RewrittenNode | RewrittenPrinting
"""A command that more can be known of than its exit code."""


class ProjectPlugin(BaseModel):
    """A file of the project that takes part in pytest's session, and by which hooks."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str
    hooks: tuple[str, ...]


class Summary(BaseModel):
    """What a runner's report says, in numbers.

    Attributes:
        passed: how many tests passed; so with the others.
        deselected: how many were collected and left out.
        plugins: the files of the project that take part, with their hooks.
        configuration: where pytest took its configuration from.
        addopts: the options that stand there.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    passed: int
    failed: int = 0
    errors: int = 0
    skipped: int = 0
    xfailed: int = 0
    xpassed: int = 0
    deselected: int = 0
    plugins: tuple[ProjectPlugin, ...] = ()
    configuration: str | None = None
    addopts: tuple[str, ...] = ()


def kind_of(command: AnyRewritten | None) -> VerdictKind:
    """How it can be known that a command passed."""
    if command is None:
        return "exit code"
    return "report" if command.runner in _REPORTING else "completion"


def summary_of(report: Report | None) -> Summary | None:
    """The numbers of a runner's report; None if there is none."""
    match report:
        case UnittestReport():
            counts = report.model_dump(exclude={"runner", "ended", "named", "skips", "canary", "patched"})
            return Summary.model_validate(counts)
        case PytestReport():
            ends = report.counts()
            return Summary(
                passed=ends["passed"],
                failed=ends["failed"] + ends["changed"] + ends["replaced"] + ends["unreported"],
                errors=ends["error"],
                skipped=ends["skipped"],
                xfailed=ends["xfailed"],
                xpassed=ends["xpassed"],
                deselected=report.deselected,
                plugins=tuple(
                    ProjectPlugin(file=plugin.file, hooks=plugin.hooks) for plugin in report.plugins
                ),
                configuration=report.configuration,
                addopts=report.addopts,
            )
        case NodeReport(files=files):
            return Summary(
                passed=sum(file.passed for file in files),
                failed=sum(file.failed for file in files),
                errors=sum(not file.ended or (file.exit_status != 0 and not file.failed) for file in files),
                skipped=sum(file.skipped + file.todo for file in files),
            )
        case PrintedReport(groups=groups):
            return Summary(
                passed=sum(group.passed for group in groups),
                failed=sum(group.failed for group in groups),
                errors=sum(len(group.unended) or not group.ended for group in groups),
                skipped=sum(group.skipped for group in groups),
            )
        case _:
            return None


def failing_tests(report: Report | None, printed: str) -> tuple[str, ...]:
    """The ids of the tests that failed.

    Args:
        report: what was reported of the command, if anything was.
        printed: what it printed; the lines of pytest's summary name tests also behind a script.
    """
    if isinstance(report, PytestReport):
        return report.tests("failed", "error")
    if isinstance(report, NodeReport | PrintedReport):
        return report.failing
    return tuple(dict.fromkeys(match["test"] for match in _FAILED.finditer(printed)))


def shortcoming(command: AnyRewritten, report: Report | None, exit_code: int) -> str:
    """Why a command proved nothing although its exit code would pass; empty if it did prove something.

    Args:
        command: what ran.
        report: what was reported of it.
        exit_code: what it returned: 0, or what its caller lets pass.
    """
    if exit_code != 0 and command.runner != "pytest":
        return ""
    if exit_code == 0 and report is not None and report.patched:
        return f"the runner was patched: the project replaced {_names(report.patched)}"
    if isinstance(command, RewrittenNode) and command.runner != "eval":
        return _of_files(command, report)
    if isinstance(command, RewrittenPrinting):
        return _of_groups(command, report)
    match report:
        case PytestReport() if isinstance(command, Rewritten):
            return _of_session(command, report, exit_code)
        case UnittestReport():
            if not report.passed:
                return f"unittest returned {exit_code}, but no test passed{_others(report)}"
            if report.canary != "failed":
                return _NO_CANARY
            without = next((named.word for named in report.named if not named.passed), None)
            if without is None or (isinstance(command, Rewritten) and command.chooses):
                return ""
            return f"unittest returned {exit_code}, but {_none_passed(without)}"
        case None if command.runner in ("pytest", "unittest"):
            return _unended(command, exit_code)
        case None:
            return f"it returned {exit_code}, but it ended before its last statement"
        case _:
            return ""


def _of_session(command: Rewritten, report: PytestReport, exit_code: int) -> str:
    returned = f"pytest returned {exit_code}, but"
    if not report.ended:
        return f"{returned} its session did not reach its end"
    if report.exit_status != exit_code:
        return f"{returned} its session ended with {report.exit_status}"
    if command.lists:
        return "" if report.collected else f"{returned} it collected no test"
    if exit_code == _NO_TESTS_COLLECTED:
        return f"{returned} {report.collected} tests were collected and left out" if report.collected else ""
    changed, unreported = report.tests("changed"), report.tests("unreported")
    replaced = report.tests("replaced")
    if replaced:
        return f"the runner was patched: what ran as {_names(replaced)} is not what its file says"
    if changed:
        return f"the runner was patched: what was reported of {_names(changed)} is not how it ended"
    if unreported:
        return f"{returned} these tests were begun and did not run to their end: {_names(unreported)}"
    failed = report.tests("failed", "error")
    if failed and exit_code == 0:
        return f"{returned} its tests failed: {_names(failed)}"
    passed = report.tests("passed")
    if not report.outcomes:
        return f"{returned} no test ran"
    if report.canary != "failed":
        return _NO_CANARY
    if not passed and exit_code == 0:
        return f"{returned} no test passed{_others(report)}"
    for named in report.named:
        left_out = command.chooses and named.deselected
        if not named.passed and not left_out and exit_code == 0:
            return f"{returned} {_none_passed(named.word)}"
        if named.vanished and not command.chooses and exit_code == 0:
            return (
                f"{returned} of `{named.word[:_LONGEST_NAME]}`, which the command names, "
                f"{named.vanished} tests were neither run nor left out openly"
            )
    return ""


def _of_files(command: RewrittenNode, report: Report | None) -> str:
    if not isinstance(report, NodeReport) or report.runner != command.runner:
        return _unended(command, 0)
    returned = f"{_REPORTING[command.runner]} returned 0, but"
    cut_off = tuple(file.file for file in report.files if not file.ended)
    if cut_off:
        return f"{returned} these files did not run to their end: {_names(cut_off)}"
    if any(file.failed for file in report.files):
        return f"{returned} its tests failed: {_names(report.failing)}"
    failed = tuple(file.file for file in report.files if file.exit_status != 0)
    if failed:
        return f"{returned} these files failed: {_names(failed)}"
    if report.exit_status != 0:
        return f"{returned} its session ended with {report.exit_status}"
    if not any(file.passed + file.skipped + file.todo for file in report.files):
        return f"{returned} no test ran"
    if not any(file.passed for file in report.files):
        return f"{returned} no test passed{_others(report)}"
    for word in report.named:
        if not command.chooses and not any(file.passed for file in report.files if word in file.words):
            return f"{returned} {_none_passed(word)}"
    return ""


def _of_groups(command: RewrittenPrinting, report: Report | None) -> str:
    if not isinstance(report, PrintedReport):
        return _unended(command, 0)
    returned = f"{_REPORTING[command.runner]} returned 0, but"
    unended = tuple(f"{group.name}: {test}" for group in report.groups for test in group.unended)
    if unended:
        return f"{returned} these tests were begun and did not run to their end: {_names(unended)}"
    if any(group.failed for group in report.groups):
        return f"{returned} its tests failed: {_names(report.failing)}"
    cut_off = tuple(group.name for group in report.groups if not group.ended)
    if cut_off:
        return f"{returned} the tests of these did not run to their end: {_names(cut_off)}"
    if not any(group.passed + group.skipped for group in report.groups):
        return f"{returned} no test ran"
    if not any(group.passed for group in report.groups):
        return f"{returned} no test passed{_others(report)}"
    for word in command.named:
        groups = [group for group in report.groups if command.names(word, group.name)]
        if groups and not any(group.passed for group in groups):
            return f"{returned} {_none_passed(word)}"
    return ""


def _none_passed(word: str) -> str:
    return f"of `{word[:_LONGEST_NAME]}`, which the command names, no test passed"


def _unended(command: AnyRewritten, exit_code: int) -> str:
    return f"{_REPORTING[command.runner]} returned {exit_code}, but its session did not reach its end"


def _others(report: PytestReport | UnittestReport | NodeReport | PrintedReport) -> str:
    """What became of the tests that did not pass, such as `: 2 skipped`."""
    summary = summary_of(report)
    counts = (
        summary.model_dump(include={"failed", "errors", "skipped", "xfailed", "xpassed"}) if summary else {}
    )
    parts = [f"{count} {name}" for name, count in counts.items() if count]
    return f": {', '.join(parts)}" if parts else ""


def _names(tests: tuple[str, ...]) -> str:
    more = f" and {len(tests) - _NAMED} more" if len(tests) > _NAMED else ""
    return ", ".join(test[:_LONGEST_NAME] for test in tests[:_NAMED]) + more

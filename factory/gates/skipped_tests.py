"""Whether what a work order writes keeps tests from running that it may not write, or that are to prove it.

A test in a file that it may write is its own affair: there it could as well be missing. But of a file of
tests that it adds, at least one has to run and pass: one whose tests are all left out proves nothing.
"""

import ast
import posixpath
import re
from collections.abc import Iterator
from typing import Final

from factory.attempt.failure import Stage
from factory.contract.limits import MAX_SOURCE_BYTES
from factory.contract.repo_path import RepoPath, UnsafePath
from factory.gates.check import CheckContext, CommandResult
from factory.gates.verdict.report import PytestReport, UnittestReport
from factory.gates.verdict.rewrite import chooses
from factory.languages.python.language import PYTHON
from factory.system.files.tree import FileProblem

_SKIPPING: Final = re.compile(rb"skip|xfail|expectedfailure", re.IGNORECASE)
# A decorator may come from anywhere.
_MAY_SKIP: Final = re.compile(
    r"skip|xfail|expectedfailure|^\s*@(?!pytest\.|staticmethod|classmethod)", re.I | re.M
)
_RUNNERS: Final = ("pytest", "py.test", "unittest")
_CHOOSING: Final = (
    "pytest_collection_modifyitems", "pytest_itemcollected", "pytest_pycollect_makeitem",
    "pytest_runtest_setup", "pytest_runtest_call", "pytest_runtest_makereport", "pytest_pyfunc_call",
)  # fmt: skip
"""Hooks by which a repository's own plugins may have tests skipped or left out."""


def skipped_by_the_work(result: CommandResult, stage: Stage, context: CheckContext) -> str:
    """That what the work order writes keeps a test from running or counting; empty if nothing does."""
    report = result.report
    if not isinstance(report, PytestReport | UnittestReport):
        return ""
    writable = frozenset(context.writable)
    named = frozenset(_named_files(result, report)) if stage is Stage.ACCEPTANCE_FAILED else frozenset()
    for test, file in report.skips:
        own = test.partition("::")[0]
        if file in writable and not PYTHON.is_test(file):
            return f"the test {test} did not run to its end, because the code under test skipped it: {file}"
        if own in writable or own not in context.landing:
            continue
        if file in writable and not _SKIPPING.search(context.before(RepoPath(file)) or b""):
            return f"the test {test} did not run to its end, because {file} skipped it"
        # Also a class of it that something else has marked.
        if file in ("", own) and own in named and not _is_chosen_elsewhere(report, writable):
            text = _text(context, own)
            if text is not None and not _may_skip(text, test.partition("[")[0].rpartition("::")[2]):
                return f"the test {test} was skipped or left out, and its own file does not say so"
    return _unproven_file(result, report, context) if stage is Stage.ACCEPTANCE_FAILED else ""


def _unproven_file(
    result: CommandResult, report: PytestReport | UnittestReport, context: CheckContext
) -> str:
    """That of a file of tests that the work order adds none ran and passed; empty if there is none such."""
    if isinstance(report, UnittestReport) or chooses(_arguments(result)):
        return ""
    if _is_chosen_elsewhere(report, frozenset(context.writable)):
        return ""
    proving = {test.partition("::")[0] for test in report.tests("passed")}
    left_out = {test.partition("::")[0] for test, _ in report.skips}
    for path in context.writable:
        if path in left_out - proving and context.before(path) is None:
            return f"of {path}, which the work order adds, no test ran and passed: they are all left out"
    return ""


def _arguments(result: CommandResult) -> tuple[str, ...]:
    """The words behind the runner."""
    runner = next((at for at, word in enumerate(result.argv) if posixpath.basename(word) in _RUNNERS), 0)
    return result.argv[runner + 1 :]


def _named_files(result: CommandResult, report: PytestReport | UnittestReport) -> Iterator[str]:
    """The files of tests that a command names, unless it leaves some of their tests out itself."""
    words = _arguments(result)
    if chooses(words):
        return
    if isinstance(report, UnittestReport):
        yield from (test.partition("::")[0] for test, _ in report.skips if report.named)
    yield from (posixpath.normpath(word.partition("::")[0]) for word in words)


def _is_chosen_elsewhere(report: PytestReport | UnittestReport, writable: frozenset[RepoPath]) -> bool:
    """Whether the repository itself has what chooses tests: a plugin, or options of its configuration."""
    if isinstance(report, UnittestReport):
        return False
    by_plugin = any(
        plugin.file not in writable and {*plugin.hooks} & {*_CHOOSING} for plugin in report.plugins
    )
    return by_plugin or (chooses(report.addopts) and report.configuration not in writable)


def _text(context: CheckContext, path: str) -> str | None:
    try:
        file = context.tree.read(RepoPath.parse(path), max_bytes=MAX_SOURCE_BYTES)
    except (FileProblem, UnsafePath):
        return None
    return file.data.decode("utf-8", "replace") if file is not None else None


def _may_skip(text: str, name: str) -> bool:
    """Whether a file may have a test of it skipped: it has words for that outside of its other tests."""
    try:
        module = ast.parse(text)
    except (RecursionError, SyntaxError, ValueError):
        return True
    lines = text.splitlines()
    for node in ast.walk(module):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if node.name.startswith("test") and node.name != name:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            lines[first - 1 : node.end_lineno] = [""] * ((node.end_lineno or first) - first + 1)
    return _MAY_SKIP.search("\n".join(lines)) is not None

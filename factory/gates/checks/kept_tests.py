"""Which tests passed, by the files that hold them, and which of those that must pass again did not.

The id of a test is its file, `::` and a name: as pytest gives it, the function of Go or Rust, and of
JavaScript, whose tests are called anything, the number of the test among those of its file that passed.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from factory.attempt.failure import Failure, Stage
from factory.contract.limits import MAX_SOURCE_BYTES
from factory.contract.repo_path import RepoPath, UnsafePath
from factory.gates.baseline_report import file_of
from factory.gates.check import CheckContext, CommandResult, listed_tests
from factory.gates.verdict.report import GroupOfTests, NodeReport, PrintedReport, PytestReport
from factory.languages.port import Language
from factory.languages.python.language import PYTHON
from factory.languages.table import language_of
from factory.system.files.tree import FileProblem

_MODULE_OF_GO: Final = re.compile(rb"^module\s+\"?([^\s\"]+)", re.MULTILINE)
_TEST_OF_GO: Final = re.compile(rb"^func (Test\w*)\(", re.MULTILINE)


def kept_of(kept: Sequence[str], language: Language) -> tuple[str, ...]:
    """The tests that files of a language hold; of files of none, what pytest finds in them."""
    return tuple(test for test in kept if (language_of(test.partition("::")[0]) or PYTHON) is language)


def passed_tests(result: CommandResult, context: CheckContext) -> tuple[str, ...] | None:
    """The ids of the tests that passed, as far as their files can be told; None if nothing is known.

    Of a test of pytest with parameters, which may be anything, the name counts once.
    """
    match result.report:
        case PytestReport() as report:
            return tuple(sorted({test.partition("[")[0] for test in report.tests("passed")}))
        case NodeReport(files=files):
            return tuple(
                f"{file.file}::passing test {number}"
                for file in files
                for number in range(1, file.passed + 1)
            )
        case PrintedReport(runner=runner, groups=groups) if all(map(_is_whole, groups)):
            return _placed(runner, groups, context)
        case _:
            return None


def skipped_tests(result: CommandResult, context: CheckContext) -> frozenset[str]:
    """The ids of the tests that are there and were skipped, as far as they are named."""
    match result.report:
        case PytestReport(skips=skips):
            return frozenset(test.partition("[")[0] for test, _ in skips)
        case PrintedReport(runner=runner, groups=groups):
            skipping = [group.model_copy(update={"passing": group.skipping}) for group in groups]
            return frozenset(_placed(runner, skipping, context))
        case _:
            return frozenset()


def vanished(
    kept: Sequence[str],
    passed: Sequence[str] | None,
    result: CommandResult,
    runner: str,
    writable: Collection[str],
    skipped: Collection[str] = (),
) -> Failure | None:
    """Why tests are missing that passed before; None if none are, or nothing is known.

    Args:
        kept: the ids of the tests that passed before.
        passed: those that did now.
        result: the command that ran them.
        runner: who is to find them.
        writable: the files whose tests may be changed or go, but not stay and be skipped.
        skipped: those that are there and were skipped.
    """
    must_pass = {test for test in kept if file_of(test) not in writable or test in skipped}
    gone = sorted(must_pass - {*passed}) if passed is not None else []
    if not gone:
        return None
    return Failure.model_defect(
        Stage.VERIFY_FAILED,
        f"{len(gone)} test{'' if len(gone) == 1 else 's'} that passed before no longer ran and passed:"
        f" {listed_tests(gone)}",
        where=result.command,
        hint=f"leave the tests that are not yours as they are, and let {runner} find them",
        exit_code=result.exit_code,
        excerpt=result.excerpt,
    )


def removed(kept: Sequence[str], passed: Sequence[str] | None, writable: Collection[str]) -> tuple[str, ...]:
    """The tests that passed before and are gone from files that may be written, sorted.

    That is the work order's own affair and fails nothing, but a person should see it.

    Args:
        kept: the ids of the tests that passed before.
        passed: those that did now; None if nothing is known.
        writable: the files that may be written.
    """
    if passed is None:
        return ()
    return tuple(sorted({test for test in kept if file_of(test) in writable} - {*passed}))


def _is_whole(group: GroupOfTests) -> bool:
    """Whether each test that passed is named: what a test prints without a line's end may hide its line."""
    return len(group.passing) == group.passed


def _placed(runner: str, groups: Sequence[GroupOfTests], context: CheckContext) -> tuple[str, ...]:
    """The ids of the tests that groups name as passing, sorted."""
    return tuple(sorted({*(_of_go if runner == "go" else _of_cargo)(groups, context)}))


def _of_go(groups: Sequence[GroupOfTests], context: CheckContext) -> Iterator[str]:
    """The tests of packages below the module, by the file of the package that defines each."""
    match = _MODULE_OF_GO.search(_text(context, "go.mod"))
    module = match[1].decode("utf-8", "replace") if match is not None else ""
    defining: dict[tuple[str, str], str] = {}
    for path in context.landing:
        if path.endswith("_test.go"):
            folder = path.rpartition("/")[0]
            package = f"{module}/{folder}" if folder else module
            for name in _TEST_OF_GO.findall(_text(context, path)):
                defining[package, name.decode()] = path
    for group in groups:
        for test in group.passing:
            if (group.name, test) in defining:
                yield f"{defining[group.name, test]}::{test}"


def _of_cargo(groups: Sequence[GroupOfTests], context: CheckContext) -> Iterator[str]:
    """The tests of programs whose source is known, by the file of the module that holds each."""
    # Packages of a workspace may have programs of one name.
    counts = Counter(group.name for group in groups)
    for group in groups:
        if counts[group.name] > 1 or group.name not in context.landing:
            continue
        folder = group.name.rpartition("/")[0]
        for test in group.passing:
            yield f"{_module_file(group.name, folder, test.split('::')[:-1], context)}::{test}"


def _module_file(root: str, folder: str, modules: Sequence[str], context: CheckContext) -> str:
    """The file of the innermost of nested modules that has one of its own."""
    for count in range(len(modules), 0, -1):
        stem = "/".join((*filter(None, (folder,)), *modules[:count]))
        for path in (f"{stem}.rs", f"{stem}/mod.rs"):
            if path in context.landing:
                return path
    return root


def _text(context: CheckContext, path: str) -> bytes:
    """A file's bytes; none if it can't be read."""
    try:
        file = context.tree.read(RepoPath.parse(path), max_bytes=MAX_SOURCE_BYTES)
    except (FileProblem, UnsafePath):
        return b""
    return file.data if file is not None else b""

"""Reads pytest's JUnit XML report: which tests failed, by ids that are the same in every checkout. Pure.

The report was written by a process that ran generated code, so it is read as hostile: no document type, and
so no entities, no other files. What that process says in it is believed as far as its exit code is.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

# An expat that is told to refuse document types expands nothing.
from xml.parsers import expat

LONGEST_REPORT: Final = 50_000_000
"""The largest report that is read, in bytes."""

SAME_FORM: Final = (
    # The family that names each test's file.
    "-o", "junit_family=xunit1",
    "-o", "junit_logging=no",
)  # fmt: skip
"""The options of pytest that give a report the form that is read here."""

REPORT_OPTIONS: Final = (
    # Every failure, whatever stops a run early in the repository's own options.
    "--continue-on-collection-errors",
    "--maxfail=0",
    *SAME_FORM,
)
"""The options of pytest with which two reports can be compared."""

_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{6,}")
_LONGEST_ID: Final = 2_000
_FAILURES: Final = ("failure", "error")


@dataclass(frozen=True)
class FailedTest:
    """One failure of a test, or of collecting, setting up or tearing down.

    Attributes:
        test: the test's id, such as `tests/test_a.py::TestB::test_c[1]`, or `tests/test_a.py` if it could
            not be collected.
        report: what pytest says about it.
    """

    test: str
    report: str


class BadReport(ValueError):
    """The report is not XML that pytest writes."""


def failures_in(report: bytes, places: Mapping[str, str]) -> tuple[FailedTest, ...]:
    """All the failures that a report tells of.

    Args:
        report: the XML, written with `REPORT_OPTIONS`.
        places: directories of this machine and the names that stand for them, because parameters may be
            paths and are part of an id.

    Returns:
        The failures, sorted by their ids; a test may have several.

    Raises:
        BadReport: the report can't be read.
    """
    failures = [FailedTest(_anywhere(test, places), report) for test, report in _read(report).failures]
    return tuple(sorted(failures, key=lambda failure: failure.test))


def passed_in(report: bytes) -> frozenset[str]:
    """The ids of the tests that a report says passed, without parameters.

    Args:
        report: the XML, written with `SAME_FORM`.

    Raises:
        BadReport: the report can't be read.
    """
    return frozenset(test.partition("[")[0][:_LONGEST_ID] for test in _read(report).passed)


def _read(report: bytes) -> "_Collector":
    collector = _Collector()
    parser = expat.ParserCreate()
    parser.StartElementHandler = collector.start
    parser.EndElementHandler = collector.end
    parser.CharacterDataHandler = collector.text
    parser.StartDoctypeDeclHandler = _refuse_doctype
    try:
        parser.Parse(report, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise BadReport(str(error)) from error
    return collector


def new_failures(now: Iterable[str], known: Iterable[str]) -> tuple[str, ...]:
    """The ids of `now` that fail more often than in `known`, each once, sorted.

    What lies in a file or class that could not be collected before did not pass before, so it is not new.
    """
    before = Counter(known)
    return tuple(
        test
        for test, count in sorted(Counter(now).items())
        if count > before[test] and not any(outer in before for outer in _containers(test))
    )


class _Collector:
    """Takes the parser's events, and keeps the test's id and the text of each failure, and what passed."""

    def __init__(self) -> None:
        self.failures: list[tuple[str, str]] = []
        self.passed: list[str] = []
        self._is_passed = False
        self._test: str | None = None
        self._text: list[str] | None = None

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "testcase":
            self._test, self._is_passed = _id(attributes), True
        elif name == "skipped":
            self._is_passed = False
        elif name in _FAILURES:
            self._text, self._is_passed = [], False

    def text(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)

    def end(self, name: str) -> None:
        if name in _FAILURES and self._text is not None:
            if self._test is not None:
                self.failures.append((self._test, "".join(self._text)))
            self._text = None
        elif name == "testcase":
            if self._test is not None and self._is_passed:
                self.passed.append(self._test)
            self._test = None


def _refuse_doctype(*_: object) -> None:
    raise BadReport("it declares a document type")


def _id(attributes: Mapping[str, str]) -> str:
    """The id on pytest's command line, as far as it can be made out of the attributes."""
    file, owner, name = (attributes.get(key, "") for key in ("file", "classname", "name"))
    module = file.removesuffix(".py").replace("/", ".")
    if not owner and name == module:
        return file
    if owner == module:
        classes: list[str] = []
    elif module and owner.startswith(f"{module}."):
        classes = owner.removeprefix(f"{module}.").split(".")
    else:
        classes = [owner]
    return "::".join(part for part in (file, *classes, name) if part)


def _anywhere(test: str, places: Mapping[str, str]) -> str:
    for place in sorted(places, key=lambda path: (-len(path), path)):
        test = test.replace(place, places[place])
    return _ADDRESS.sub("0x<address>", test)[:_LONGEST_ID]


def _containers(test: str) -> list[str]:
    """The file and the classes that a test lies in."""
    # A parameter may hold anything, colons, too.
    parts = test.partition("[")[0].split("::")
    return ["::".join(parts[:count]) for count in range(1, len(parts))]

"""Acceptance that passes before the work.

## What it finds

An acceptance command that passes already when its work order begins: tests of a file that is there by then,
without the name of a new test; all tests of a directory that has some; `test -f` of a file that is there;
`grep` of a word that the repository's file holds; code that uses nothing of the repository. Tests that an
earlier work order writes count only where an acceptance command of before runs them, and tests of the
repository only where they import no Python module that the plan is yet to make.

Also a work order all of whose commands are named in `red_exempt`.

## Why it matters

The commands run before a model is asked, and each must fail then; one that passes says nothing of the work
and ends the run as a defect of the plan, after the work orders before it have been paid. Where all are
exempt, nothing tells work that was done from work that was not.

## Example

```json
{
  "work_orders": [
    {
      "id": "WO-01",
      "title": "Count words",
      "intent": "Count words.",
      "postconditions": [
        {"kind": "file_exists", "path": "tally.py"},
        {"kind": "file_exists", "path": "test_tally.py"}
      ],
      "allowed_files": ["tally.py", "test_tally.py"],
      "acceptance_commands": ["python -m pytest -q test_tally.py"]
    },
    {
      "id": "WO-02",
      "title": "Ignore case",
      "intent": "Count words without regard to case.",
      "preconditions": [{"kind": "file_exists", "path": "tally.py"}],
      "postconditions": [
        {"kind": "file_exists", "path": "tally.py"},
        {"kind": "file_exists", "path": "test_tally.py"}
      ],
      "allowed_files": ["tally.py", "test_tally.py"],
      "acceptance_commands": ["python -m pytest -q test_tally.py"]
    }
  ]
}
```

## Fix

Name what the work order adds: `python -m pytest -q test_tally.py::test_case`, a file of tests of its own, or
a result that is another one afterwards. A command that shall go on passing belongs into `red_exempt`, with
the reason, beside one that fails before.
"""

from collections.abc import Iterable, Iterator
from functools import cached_property

from factory.contract.errors import WorkorderError
from factory.languages.python.imports import modules_needed
from factory.languages.python.module_files import ModuleFiles
from factory.plans.commands.needs import command_needs, is_test_file
from factory.plans.commands.proof.beforehand import Beforehand, beforehand
from factory.plans.diagnostics.diagnostic import Severity, quote
from factory.plans.rules.rule import Finding, Rule, Subject
from factory.plans.states.file_state import FileStates, Presence

_HINT = (
    "name what this work order adds, such as a new test (`tests/test_a.py::test_b`); what shall go on passing"
    " belongs into red_exempt with the reason, beside a command that fails before"
)


def find(subject: Subject) -> Iterator[Finding]:
    """Judge each work order by its exemptions, and its other commands by what is there before."""
    exempt = {
        placed.index: frozenset(exempt.command for exempt in placed.order.red_exempt)
        for placed in subject.orders
    }
    for placed in subject.orders:
        if exempt[placed.index].issuperset(placed.order.acceptance_commands):
            yield Finding(
                f"{placed.pointer}/red_exempt",
                "all commands may pass before the work is done, so nothing proves that it was",
                "add a command that fails before, or exempt only what shall stay as it is",
            )
    if subject.files is None:
        return
    before = _Before(subject, subject.files)
    for index, command, reading in subject.acceptance_commands:
        needed = None if command.text in exempt[index] else beforehand(reading)
        reason = before.why(needed, index) if needed is not None else ""
        if reason:
            yield Finding(
                command.pointer, f"the command passes before the work order begins: {reason}", _HINT
            )


class _Before:
    """What is there before each work order."""

    def __init__(self, subject: Subject, files: FileStates) -> None:
        self._subject = subject
        self._files = files

    def why(self, needed: Beforehand, index: int) -> str:
        """Why a command passes before the work order at `index`, in words; empty if it may not."""
        if needed.always:
            return "it depends on nothing of the repository"
        if needed.word:
            for path in needed.files:
                if self._holds(path, needed.word, index):
                    return f"{quote(path)} says {quote(needed.word)} already"
            return ""
        if needed.files:
            return f"{_listed(needed.files)} is there by then" if self._are_there(needed.files, index) else ""
        tests = list(needed.tests)
        for suite in needed.suites:
            inside = [
                path
                for path, done in self._tests_from.items()
                if done <= index and (not suite or path.startswith(f"{suite}/"))
            ]
            if not inside:
                return ""
            tests += inside
        passes = (
            bool(tests)
            and self._are_there(tests, index)
            and all(
                path in self._subject.repo_files or self._run_from.get(path, index) < index for path in tests
            )
            and not any(self._waits(path, index) for path in tests)
        )
        return f"the tests in {_listed(needed.tests or tests)} are there by then" if passes else ""

    def _are_there(self, paths: Iterable[str], index: int) -> bool:
        return all(self._files.presence(path, index) is Presence.CERTAIN for path in paths)

    def _holds(self, path: str, word: str, index: int) -> bool:
        """Whether a file of the repository that no earlier work order may write holds a word."""
        return word.encode("utf-8") in self._as_it_is(path, index)

    def _waits(self, path: str, index: int) -> bool:
        """Whether a test of the repository imports what is to be made: it was written before its code."""
        made = ModuleFiles(
            frozenset(
                path
                for path, first in self._written_from.items()
                if first >= index and path not in self._subject.repo_files
            )
        )
        return any(made.beginning(name) for name in modules_needed(self._as_it_is(path, index)))

    def _as_it_is(self, path: str, index: int) -> bytes:
        """A file of the repository that no earlier work order may write; nothing if it can't be read."""
        sources = self._subject.sources
        if sources is None or path not in sources.files or self._written_from.get(path, index) < index:
            return b""
        try:
            return sources.read(path) or b""
        except WorkorderError:
            return b""

    @cached_property
    def _written_from(self) -> dict[str, int]:
        """For each file the first work order that may write it."""
        first: dict[str, int] = {}
        for placed in self._subject.orders:
            for path in placed.order.allowed_files:
                first.setdefault(path, placed.index)
        return first

    @cached_property
    def _tests_from(self) -> dict[str, int]:
        """For each file of tests how many work orders must be finished for it to be there."""
        first = dict.fromkeys(self._subject.repo_files, 0)
        for placed in self._subject.orders:
            for condition in placed.order.postconditions:
                first.setdefault(condition.path, placed.index + 1)
        return {
            path: done
            for path, done in sorted(first.items())
            if is_test_file(path) and not path.endswith("conftest.py")
        }

    @cached_property
    def _run_from(self) -> dict[str, int]:
        """For each file of tests the first work order whose acceptance runs it."""
        first: dict[str, int] = {}
        for index, _, reading in self._subject.acceptance_commands:
            for path in command_needs(reading).scripts:
                first.setdefault(path, index)
        return first


def _listed(paths: Iterable[str]) -> str:
    first, *rest = paths
    return quote(first) + (f" and {len(rest)} more" if rest else "")


RULE = Rule("W410", "passes-before", Severity.WARNING, explanation=__doc__, find=find)

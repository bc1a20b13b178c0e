"""Tests that a work order may not write are not kept from running by what it writes."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from factory.attempt.failure import Stage
from factory.gates.skipped_tests import skipped_by_the_work
from factory.gates.verdict.report import PytestReport, UnittestReport
from tests.support.repositories import write_files
from tests.support.results import a_context, a_result

PYTEST = "python -m pytest -q test_a.py"
UNITTEST = "python -m unittest test_a"
PLAIN = "import unittest\n\n\nclass A(unittest.TestCase):\n    def test_a(self):\n        pass\n"
OF_ANOTHER = PLAIN + "\n    @unittest.skip('never')\n    def test_b(self):\n        pass\n"
ITSELF = PLAIN.replace("    def test_a", "    @unittest.skipIf(True, 'never')\n    def test_a")
BY_A_NAME = PLAIN.replace("    def test_a", "    @on_linux\n    def test_a")
HOOK = {"file": "conftest.py", "hooks": ["pytest_collection_modifyitems"]}


def session(file: str, *, plugins: Sequence[Any] = (), addopts: Sequence[str] = ()) -> PytestReport:
    facts = {
        "runner": "pytest", "ended": True, "exit_status": 0, "lists": False, "collected": 2, "deselected": 0,
        "outcomes": [], "named": [], "skips": [["test_a.py::A::test_a[x::y]", file]], "canary": "failed",
        "plugins": plugins, "configuration": "pytest.ini", "addopts": addopts,
    }  # fmt: skip
    return PytestReport.model_validate_json(json.dumps(facts))


def of_unittest(file: str) -> UnittestReport:
    return UnittestReport(
        runner="unittest", ended=True, passed=1, failed=0, errors=0, skipped=1, xfailed=0, xpassed=0,
        named=({"word": "test_a", "passed": 1, "deselected": 0},), skips=(("test_a.py::A::test_a", file),),
        canary="failed",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("command", "report", "allowed", "text", "said"),
    [
        (PYTEST, session("a.py"), ["a.py"], PLAIN, "because the code under test skipped it: a.py"),
        (UNITTEST, of_unittest("a.py"), ["a.py"], PLAIN, "because the code under test skipped it: a.py"),
        (PYTEST, session("a.py"), ["a.py", "test_a.py"], PLAIN, "the code under test skipped it: a.py"),
        (PYTEST, session("conftest.py"), ["conftest.py"], PLAIN, "because conftest.py skipped it"),
        (PYTEST, session("old/conftest.py"), ["old/conftest.py"], PLAIN, ""),
        (PYTEST, session("conftest.py"), ["conftest.py", "test_a.py"], PLAIN, ""),
        (PYTEST, session("conftest.py"), ["a.py"], PLAIN, ""),
        (PYTEST, session(""), ["a.py"], PLAIN, "its own file does not say so"),
        (UNITTEST, of_unittest(""), ["a.py"], PLAIN, "its own file does not say so"),
        (f"{PYTEST} -k not_a", session(""), ["a.py"], PLAIN, ""),
        ("python -m pytest -q", session(""), ["a.py"], PLAIN, ""),
        (PYTEST, session(""), ["a.py", "test_a.py"], PLAIN, ""),
        (PYTEST, session(""), ["a.py"], OF_ANOTHER, "its own file does not say so"),
        (PYTEST, session(""), ["a.py"], ITSELF, ""),
        (PYTEST, session(""), ["a.py"], BY_A_NAME, ""),
        (PYTEST, session("test_a.py"), ["a.py"], PLAIN, "its own file does not say so"),
        (PYTEST, session("test_a.py"), ["a.py"], ITSELF, ""),
        (PYTEST, session("", plugins=[HOOK]), ["a.py"], PLAIN, ""),
        (PYTEST, session("", plugins=[HOOK]), ["conftest.py"], PLAIN, "its own file does not say so"),
        (PYTEST, session("", addopts=["-m", "not slow"]), ["a.py"], PLAIN, ""),
        (PYTEST, session("", addopts=["-q"]), ["a.py"], PLAIN, "its own file does not say so"),
    ],
)
def test_what_keeps_a_test_from_running(
    command: str,
    report: PytestReport | UnittestReport,
    allowed: list[str],
    text: str,
    said: str,
    tmp_path: Path,
) -> None:
    write_files(tmp_path, {"test_a.py": text})
    context = a_context(
        tmp_path,
        landing=("test_a.py", "a.py", "conftest.py"),
        before={"old/conftest.py": b"pytest.skip('no server')", "test_a.py": b""},
        allowed_files=allowed,
    )
    result = a_result(*command.split(), report=report)

    missing = skipped_by_the_work(result, Stage.ACCEPTANCE_FAILED, context)

    assert missing.endswith(said)
    assert bool(missing) is bool(said)

"""What a report proves beside an exit code, and which reports are read at all."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.attempt.outcome import VerdictKind, weakest
from factory.gates.verdict.judgement import kind_of, shortcoming, summary_of
from factory.gates.verdict.node_words import RewrittenNode
from factory.gates.verdict.report import NodeReport, PytestReport, parse_report
from factory.gates.verdict.rewrite import Rewritten

WORD = b"0123456789abcdef"
SESSION: dict[str, Any] = {
    "runner": "pytest",
    "ended": True,
    "exit_status": 0,
    "lists": False,
    "collected": 2,
    "deselected": 0,
    "outcomes": [["a.py::test_a", "passed"], ["a.py::test_b", "skipped"]],
    "named": [{"word": "a.py", "passed": 1, "deselected": 0}],
    "canary": "failed",
    "plugins": [],
    "configuration": None,
    "addopts": [],
}


def command(*arguments: str, runner: Any = "pytest") -> Rewritten:
    return Rewritten(runner, ("python",), "", "", arguments)


def missing(exit_code: int = 0, arguments: tuple[str, ...] = ("a.py",), **changes: Any) -> str:
    report = parse_report(WORD + b"\n" + json.dumps({**SESSION, **changes}).encode() + b"\n", WORD)
    assert report is not None
    return shortcoming(command(*arguments), report, exit_code)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({}, ""),
        ({"ended": False}, "pytest returned 0, but its session did not reach its end"),
        ({"exit_status": 1}, "pytest returned 0, but its session ended with 1"),
        ({"outcomes": []}, "pytest returned 0, but no test ran"),
        ({"outcomes": [["a", "skipped"]]}, "pytest returned 0, but no test passed: 1 skipped"),
        ({"outcomes": [["a", "xfailed"]]}, "pytest returned 0, but no test passed: 1 xfailed"),
        ({"outcomes": [["a", "passed"], ["b", "failed"]]}, "pytest returned 0, but its tests failed: b"),
        ({"outcomes": [["a", "error"]]}, "pytest returned 0, but its tests failed: a"),
        (
            {"outcomes": [["a", "changed"]]},
            "the runner was patched: what was reported of a is not how it ended",
        ),
        (
            {"outcomes": [["a", "unreported"]]},
            "pytest returned 0, but these tests were begun and did not run to their end: a",
        ),
        (
            {"outcomes": [["a", "replaced"]]},
            "the runner was patched: what ran as a is not what its file says",
        ),
        ({"patched": ["pytest.raises"]}, "the runner was patched: the project replaced pytest.raises"),
        (
            {"named": [{"word": "a.py", "passed": 1, "deselected": 0, "vanished": 2}]},
            (
                "pytest returned 0, but of `a.py`, which the command names, "
                "2 tests were neither run nor left out openly"
            ),
        ),
        ({"canary": "passed"}, "the runner was patched: a test that must fail did not"),
        ({"canary": "unreported"}, "the runner was patched: a test that must fail did not"),
        ({"canary": "not due"}, "the runner was patched: a test that must fail did not"),
        (
            {"named": [{"word": "b.py", "passed": 0, "deselected": 0}]},
            "pytest returned 0, but of `b.py`, which the command names, no test passed",
        ),
        (
            {"named": [{"word": "b.py", "passed": 0, "deselected": 2}]},
            "pytest returned 0, but of `b.py`, which the command names, no test passed",
        ),
    ],
)
def test_a_session_proves_something_only_if_it_ended_and_its_tests_passed(
    changes: dict[str, Any], message: str
) -> None:
    assert missing(**changes) == message


def test_a_command_may_itself_leave_out_what_it_names() -> None:
    named = [{"word": "b.py", "passed": 0, "deselected": 2}]

    assert missing(arguments=("b.py", "-k", "x"), named=named) == ""


def test_no_tests_are_none_only_if_none_were_collected() -> None:
    empty = {"outcomes": [], "named": [], "canary": "not due", "exit_status": 5}

    assert missing(5, (), **empty, collected=0) == ""
    assert missing(5, (), **empty) == "pytest returned 5, but 2 tests were collected and left out"


def test_a_command_that_only_lists_must_find_something() -> None:
    listing = {"lists": True, "outcomes": [], "canary": "not due"}

    assert missing(arguments=("--co",), **listing) == ""
    assert (
        missing(arguments=("--co",), **listing, collected=0) == "pytest returned 0, but it collected no test"
    )
    assert missing(**listing) == "pytest returned 0, but no test ran"


def test_a_session_with_failures_is_judged_by_what_can_be_believed() -> None:
    failed = [["a", "failed"]]

    assert missing(1, outcomes=failed, exit_status=1) == ""
    assert missing(1, outcomes=failed, exit_status=1, canary="passed").startswith("the runner was patched")


@pytest.mark.parametrize(
    ("runner", "message"),
    [
        ("pytest", "pytest returned 0, but its session did not reach its end"),
        ("unittest", "unittest returned 0, but its session did not reach its end"),
        ("code", "it returned 0, but it ended before its last statement"),
        ("module", "it returned 0, but it ended before its last statement"),
    ],
)
def test_without_a_report_nothing_is_proved(runner: str, message: str) -> None:
    assert shortcoming(command(runner=runner), None, 0) == message


@pytest.mark.parametrize(
    "received",
    [
        b"",
        WORD,
        WORD + b"\n",
        WORD + b"\n{}\n",
        WORD + b'\n{"runner": "python", "ended": true}',
        WORD + b'\n{"runner": "python", "ended": false}\n',
        WORD + b'\n{"runner": "python", "ended": true, "more": 1}\n',
        WORD + b'\n{"runner": "python", "ended": true}\n{"runner": "python", "ended": true}\n',
        b'another\n{"runner": "python", "ended": true}\n',
        b'{"runner": "python", "ended": true}\n',
        b"x" + WORD + b'\n{"runner": "python", "ended": true}\n',
    ],
)
def test_what_is_not_exactly_a_report_of_ours_is_none(received: bytes) -> None:
    assert parse_report(received, WORD) is None


@given(st.binary(), st.binary(min_size=1))
def test_whatever_arrives_is_read_without_an_error(received: bytes, word: bytes) -> None:
    assert parse_report(received, word) is None


def test_every_test_is_counted_in_the_way_it_ended() -> None:
    report = PytestReport.model_validate_json(json.dumps({**SESSION, "deselected": 3}))
    summary = summary_of(report)

    assert summary is not None
    assert (summary.passed, summary.skipped, summary.deselected) == (1, 1, 3)


@pytest.mark.parametrize(
    ("kinds", "kind"),
    [
        ((), "exit code"),
        (("report",), "report"),
        (("report", "completion"), "completion"),
        (("completion", "exit code", "report"), "exit code"),
    ],
)
def test_the_weakest_verdict_is_that_of_all(kinds: tuple[VerdictKind, ...], kind: VerdictKind) -> None:
    assert weakest(kinds) == kind


def test_the_verdict_is_known_by_the_program_that_ran() -> None:
    assert [kind_of(command(runner=runner)) for runner in ("pytest", "unittest", "code", "module")] == [
        *("report", "report"),
        *("completion", "completion"),
    ]
    assert kind_of(None) == "exit code"


FILE = {
    "file": "a.test.js", "words": ["a.test.js"], "ended": True, "exit_status": 0, "passed": 1, "failed": 0,
    "skipped": 0, "todo": 0, "failing": [], "patched": [],
}  # fmt: skip
NODE = {"runner": "node", "exit_status": 0, "named": ["a.test.js"], "files": [FILE]}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({}, ""),
        ({"ended": False}, "these files did not run to their end: a.test.js"),
        ({"failed": 1, "failing": ["x"]}, "its tests failed: a.test.js: x"),
        ({"exit_status": 1}, "these files failed: a.test.js"),
        ({"passed": 0}, "no test ran"),
        ({"passed": 0, "skipped": 2}, "no test passed: 2 skipped"),
        ({"words": []}, "of `a.test.js`, which the command names, no test passed"),
        ({"patched": ["assert.equal"]}, "the project replaced assert.equal in a.test.js"),
    ],
)
def test_files_of_nodes_runners_must_end_and_pass(changed: dict[str, object], message: str) -> None:
    node = RewrittenNode("node", ("node",), arguments=("a.test.js",))
    report = NodeReport.model_validate_json(json.dumps({**NODE, "files": [{**FILE, **changed}]}))

    said = shortcoming(node, report, 0)

    assert (message in said) if message else not said
    assert kind_of(node) == "report"


def test_without_a_report_of_its_own_nothing_is_known_of_nodes_runner() -> None:
    node = RewrittenNode("vitest", ("node",))

    message = "vitest returned 0, but its session did not reach its end"
    assert shortcoming(node, None, 0) == message
    assert shortcoming(node, NodeReport.model_validate_json(json.dumps(NODE)), 0) == message

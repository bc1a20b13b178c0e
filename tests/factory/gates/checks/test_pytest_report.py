"""pytest's report is read as something that hostile code wrote."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.gates.checks.pytest_report import BadReport, FailedTest, failures_in, new_failures, passed_in

A, B = "tests/test_a.py::test_a", "tests/test_a.py::TestB::test_b"


def report(*cases: str) -> bytes:
    return f'<?xml version="1.0"?><testsuites><testsuite>{"".join(cases)}</testsuite></testsuites>'.encode()


def case(owner: str, name: str, file: str, body: str = "<failure/>") -> str:
    return f'<testcase classname="{owner}" name="{name}" file="{file}">{body}</testcase>'


@pytest.mark.parametrize(
    ("owner", "name", "file", "test"),
    [
        ("tests.test_a", "test_a", "tests/test_a.py", A),
        ("tests.test_a.TestB", "test_b", "tests/test_a.py", B),
        ("tests.test_a.TestB.TestC", "test_c[a::b.py]", "tests/test_a.py",
         "tests/test_a.py::TestB::TestC::test_c[a::b.py]"),
        ("", "tests.test_a", "tests/test_a.py", "tests/test_a.py"),
        ("", "README.md", "README.md", "README.md"),
        ("other", "x", "tests/test_a.py", "tests/test_a.py::other::x"),
        ("other", "x", "", "other::x"),
        ("t", "a[/repo/x]", "t.py", "t.py::a[./x]"),
        ("t", "a[&lt;f at 0x7f00dead10&gt;]", "t.py", "t.py::a[<f at 0x<address>>]"),
    ],
)  # fmt: skip
def test_ids_are_those_of_the_command_line(owner: str, name: str, file: str, test: str) -> None:
    assert failures_in(report(case(owner, name, file)), {"/repo": "."}) == (FailedTest(test, ""),)


def test_only_what_failed_is_told_each_time_that_it_failed() -> None:
    written = report(
        case("t", "ok", "t.py", "<system-out>x</system-out>"),
        case("t", "skipped", "t.py", "<skipped/>"),
        case("t", "sub", "t.py", "<failure>one</failure><failure>two &amp; a half</failure>"),
        case("t", "both", "t.py", "<failure>call</failure>"),
        case("t", "both", "t.py", "<error>teardown</error>"),
        "<failure>of no test</failure>",
    )

    assert failures_in(written, {}) == (
        FailedTest("t.py::both", "call"),
        FailedTest("t.py::both", "teardown"),
        FailedTest("t.py::sub", "one"),
        FailedTest("t.py::sub", "two & a half"),
    )
    assert passed_in(written) == {"t.py::ok"}


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no xml",
        report(case("t", "a", "t.py"))[:-20],
        b'<!DOCTYPE x [<!ENTITY a "aaaa">]>' + report(case("&a;", "a", "t.py")),
        b'<!DOCTYPE x SYSTEM "file:///etc/passwd"><x/>',
        b'<?xml version="1.0" encoding="no-such"?><x/>',
        b'<?xml version="1.0" encoding="rot13"?><x/>',
        b"<x>\xff</x>",
    ],
)
def test_what_pytest_does_not_write_is_refused(data: bytes) -> None:
    with pytest.raises(BadReport):
        failures_in(data, {})


@given(st.binary(max_size=100))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    for written in (data, report("X").replace(b"X", data)):
        with suppress(BadReport):
            assert failures_in(written, {}) is not None


@pytest.mark.parametrize(
    ("now", "known", "new"),
    [
        ([], [A], []),
        ([A], [A], []),
        ([A, B], [A], [B]),
        ([A, A, B], [A, B], [A]),
        ([A], [A, A], []),
        (["t.py"], ["t.py::a"], ["t.py"]),
        (["t.py::a", "t.py::B::c[x]"], ["t.py"], []),
        (["t.py::B::c"], ["t.py::B"], []),
        (["t.py::a[x::y]"], ["t.py::a[x"], ["t.py::a[x::y]"]),
        (["t.pyx::a"], ["t.py"], ["t.pyx::a"]),
    ],
)
def test_new_is_what_failed_less_often_before(now: list[str], known: list[str], new: list[str]) -> None:
    assert list(new_failures(now, known)) == new

"""Commands that are judged by what they print: which those are, and how their lines are read."""

import json
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.gates.verdict.cargo_output import read_cargo
from factory.gates.verdict.go_output import read_go
from factory.gates.verdict.judgement import failing_tests, kind_of, shortcoming, summary_of
from factory.gates.verdict.printed_words import RewrittenPrinting, rewritten_printing


def rewrite(command: str) -> RewrittenPrinting | None:
    return rewritten_printing(shlex.split(command))


@pytest.mark.parametrize(
    ("command", "executed"),
    [
        ("go test ./...", "go test -json ./..."),
        ("go test -json .", "go test -json ."),
        (
            "env A=b timeout 5 go test -run X -count=1 ./a -args -c",
            "env A=b timeout 5 go test -json -run X -count=1 ./a -args -c",
        ),
        ("/usr/bin/go test", "/usr/bin/go test -json"),
        ("cargo test --offline --test a", "cargo test --offline --test a"),
        ("timeout 5 cargo t", "timeout 5 cargo t"),
    ],
)
def test_commands_that_run_tests(command: str, executed: str) -> None:
    ours = rewrite(command)
    assert ours is not None
    assert ours.argv == tuple(shlex.split(executed))
    assert kind_of(ours) == "report"


@pytest.mark.parametrize(
    "command",
    [
        *("go vet ./...", "go build", "go", "go test -c", "go test -list . ./...", "go test -exec=true"),
        *("cargo build", "cargo", "cargo test --no-run", "cargo test -- --list", "cargo t -- --format=x"),
        *("./go test", "bin/cargo test"),
    ],
)
def test_commands_that_run_none(command: str) -> None:
    assert rewrite(command) is None


def go_events(*events: tuple[str, str] | tuple[str, str, str]) -> bytes:
    """Lines of `go test -json`: an action, a test and what it prints."""
    lines = []
    for action, test, *output in events:
        event = {"Time": "2026-01-02T03:04:05Z", "Action": action, "Package": "example.com/a"}
        lines.append(
            json.dumps(
                {**event, **({"Test": test} if test else {}), **({"Output": output[0]} if output else {})}
            )
        )
    return "".join(f"{line}\n" for line in lines).encode()


WHOLE = go_events(
    ("run", "TestA"),
    ("output", "TestA", "=== RUN   TestA\n"),
    ("output", "TestA", "said--- PASS: TestA (0.00s)\n"),
    ("output", "TestA", "    --- SKIP: TestA/one_two (0.00s)\n"),
    ("pass", "TestA"),
    ("output", "", "PASS\n"),
    ("output", "", "ok  \texample.com/a\t0.004s\n"),
    ("pass", ""),
)


def test_the_lines_of_go_are_read_and_shown() -> None:
    ours = rewrite("go test ./...")
    assert ours is not None
    report, text = read_go(b"go: finding\n" + WHOLE, is_verbose=False)
    summary = summary_of(report)
    assert summary is not None
    assert (summary.passed, summary.skipped, summary.failed, summary.errors) == (1, 1, 0, 0)
    assert shortcoming(ours, report, 0) == ""
    assert text.decode().splitlines()[0] == "go: finding"
    assert text.decode().splitlines()[-1].startswith("ok  \t")
    assert b"=== RUN" not in text
    assert b"=== RUN" in read_go(WHOLE, is_verbose=True)[1]


@pytest.mark.parametrize(
    ("left_out", "missing"),
    [
        (b"--- PASS: TestA (", "these tests were begun and did not run to their end: example.com/a: TestA"),
        (b'"PASS\\n"', "the tests of these did not run to their end: example.com/a"),
        (
            b'"Action": "pass", "Package": "example.com/a"}',
            "the tests of these did not run to their end: example.com/a",
        ),
    ],
)
def test_what_is_cut_off_is_said(left_out: bytes, missing: str) -> None:
    ours = rewrite("go test ./...")
    assert ours is not None
    assert left_out in WHOLE
    printed = b"".join(line for line in WHOLE.splitlines(keepends=True) if left_out not in line)
    assert missing in shortcoming(ours, read_go(printed, is_verbose=False)[0], 0)
    assert shortcoming(ours, read_go(printed, is_verbose=False)[0], 1) == ""


BLOCK = """
running 2 tests
test tests::a ... ok
test tests::b ... ignored

test result: ok. 1 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s
"""
EMPTY = "\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out\n"
FAILING = BLOCK.replace("tests::a ... ok", "tests::a ... FAILED").replace(
    "ok. 1 passed; 0", "FAILED. 0 passed; 1"
)


@pytest.mark.parametrize(
    ("printed", "missing"),
    [
        (f"     Running unittests src/lib.rs (target/x)\n{BLOCK}", ""),
        (BLOCK + BLOCK.replace("1 passed", "0 passed").replace("2 tests", "1 test"), ""),
        (EMPTY, "no test ran"),
        ("", "no test ran"),
        (BLOCK.replace("1 passed", "0 passed").replace("2 tests", "1 test"), "no test passed: 1 skipped"),
        (f"     Running tests/a.rs (target/x)\n{BLOCK[:60]}", "did not run to their end: tests/a.rs"),
        (
            f"     Running tests/a.rs (target/x)\n{BLOCK[:60]}   Doc-tests a\n{BLOCK}",
            "did not run to their end: tests/a.rs",
        ),
        (BLOCK.replace("2 tests", "3 tests"), "did not run to their end: tests"),
        (BLOCK + FAILING, "its tests failed: tests: tests::a"),
    ],
)
def test_the_lines_of_cargo_are_read(printed: str, missing: str) -> None:
    ours = rewrite("cargo test")
    assert ours is not None
    said = shortcoming(ours, read_cargo(printed.encode()), 0)
    assert missing in said
    assert bool(said) is bool(missing)


def test_failing_tests_are_named() -> None:
    report = read_cargo(f"     Running tests/a.rs (target/x)\n{FAILING}".encode())
    assert failing_tests(report, "") == ("tests/a.rs: tests::a",)


@given(
    st.binary(max_size=400)
    | st.text(max_size=200).map(lambda text: f'{{"Action":"output","Output":"{text}"}}'.encode())
)
def test_any_output_is_read(printed: bytes) -> None:
    read_cargo(printed)
    read_go(printed, is_verbose=False)

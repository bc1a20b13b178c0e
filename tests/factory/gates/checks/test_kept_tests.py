"""Tests that passed before: by which files they are known in each language, and that they may not vanish."""

import json
from pathlib import Path

import pytest

from factory.configuration.document import Configuration
from factory.gates.checks.kept_tests import kept_of, passed_tests, removed, skipped_tests, vanished
from factory.gates.checks.registry import verification
from factory.gates.checks.verify import Pytest
from factory.gates.trial import expanded
from factory.gates.verdict.cargo_output import read_cargo
from factory.gates.verdict.go_output import read_go
from factory.gates.verdict.report import FileOfTests, GroupOfTests, NodeReport, PrintedReport, Report
from factory.languages.table import language_of
from tests.support.answers import a_proposal
from tests.support.builds import BuildScene, writes
from tests.support.repositories import make_repo, write_files
from tests.support.results import Commands, a_context, a_result
from tests.support.toolchains import needs_go

RUST = {
    "Cargo.toml": '[package]\nname = "kit"\n',
    "src/lib.rs": "pub mod slug;\npub mod deep;\n",
    "src/slug.rs": "",
    "src/deep/mod.rs": "pub mod down;\n",
    "src/deep/down.rs": "",
    "tests/outside.rs": "",
}
CARGO = """
     Running unittests src/lib.rs (target/debug/deps/kit-1)

running 5 tests
test deep::down::works ... ok
test deep::tests::works ... ok
test slug::tests::breaks - should panic ... ok
test tests::later ... ignored
test tests::works ... ok

test result: ok. 4 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s

     Running tests/outside.rs (target/debug/deps/outside-2)

running 1 test
test it ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

   Doc-tests kit

running 1 test
test src/slug.rs - slug::f (line 1) ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.40s
"""
GO_SKIPS = "".join(
    json.dumps({"Package": "example.com/kit", **event}) + "\n"
    for event in (
        {"Action": "output", "Output": "=== RUN   TestTop\n", "Test": "TestTop"},
        {"Action": "output", "Output": "--- SKIP: TestTop (0.00s)\n", "Test": "TestTop"},
        {"Action": "output", "Output": "PASS\n"},
        {"Action": "pass"},
    )
)
GO = {
    "go.mod": "module example.com/kit\n\ngo 1.21\n",
    "kit_test.go": "package kit\n\nfunc TestTop(t *testing.T) {}\nfunc helper() {}\n",
    "slug/slug_test.go": "package slug\n\nfunc TestSlug(t *testing.T) {}\n",
}


def seen(root: Path, report: Report, files: dict[str, str]) -> tuple[str, ...] | None:
    """The tests that a command with this report passed."""
    write_files(root, files)
    context = a_context(root, landing=tuple(files))
    return passed_tests(a_result(report=report), context)


def a_package(name: str, *passing: str, passed: int | None = None) -> GroupOfTests:
    count = len(passing) if passed is None else passed
    return GroupOfTests(
        name=name, ended=True, passed=count, failed=0, skipped=0, failing=(), unended=(), passing=passing
    )


def a_file(name: str, passed: int) -> FileOfTests:
    return FileOfTests(
        file=name,
        words=(),
        ended=True,
        exit_status=0,
        passed=passed,
        failed=0,
        skipped=0,
        todo=0,
        failing=(),
        patched=(),
    )


def test_tests_of_rust_are_known_by_the_file_of_their_module(tmp_path: Path) -> None:
    assert seen(tmp_path, read_cargo(CARGO.encode()), RUST) == (
        "src/deep/down.rs::deep::down::works",
        "src/deep/mod.rs::deep::tests::works",
        "src/lib.rs::tests::works",
        "src/slug.rs::slug::tests::breaks",
        "tests/outside.rs::it",
    )


def test_of_two_programs_of_one_name_nothing_is_known(tmp_path: Path) -> None:
    twice = CARGO + CARGO.partition("     Running tests")[0]
    assert seen(tmp_path, read_cargo(twice.encode()), RUST) == ("tests/outside.rs::it",)


def test_tests_of_go_are_known_by_the_file_that_defines_them(tmp_path: Path) -> None:
    groups = (
        a_package("example.com/kit", "TestTop", "TestTop/part", "TestMadeUp"),
        a_package("example.com/kit/slug", "TestSlug"),
        a_package("example.com/other", "TestTop"),
    )
    assert seen(tmp_path, PrintedReport(runner="go", groups=groups), GO) == (
        "kit_test.go::TestTop",
        "slug/slug_test.go::TestSlug",
    )


def test_where_a_name_was_not_seen_nothing_is_known(tmp_path: Path) -> None:
    groups = (a_package("example.com/kit", "TestTop", passed=2),)
    assert seen(tmp_path, PrintedReport(runner="go", groups=groups), GO) is None


def test_tests_of_javascript_are_counted_file_by_file(tmp_path: Path) -> None:
    report = NodeReport(
        runner="vitest", exit_status=0, named=(), files=(a_file("a.test.ts", 2), a_file("b.test.ts", 0))
    )
    assert seen(tmp_path, report, {}) == ("a.test.ts::passing test 1", "a.test.ts::passing test 2")


def test_each_language_keeps_its_own() -> None:
    kept = ("a.test.ts::passing test 1", "docs.txt::docs.txt", "slug_test.go::TestSlug", "tests/a.py::test_a")
    for path, own in (("a.ts", kept[:1]), ("a.go", kept[2:3]), ("a.py", (kept[1], kept[3])), ("a.rs", ())):
        language = language_of(path)
        assert language is not None
        assert kept_of(kept, language) == own


def test_what_vanished_is_named(tmp_path: Path) -> None:
    kept = tuple(f"a_test.go::Test{number:02}" for number in range(12))
    assert vanished(kept, kept, a_result(), "go test", ()) is None
    assert vanished(kept, None, a_result(), "go test", ()) is None
    failure = vanished(kept, kept[:1], a_result(), "go test", ())
    assert failure is not None
    assert failure.message.startswith(
        "11 tests that passed before no longer ran and passed: a_test.go::Test01, "
    )
    assert failure.message.endswith(" and 1 more")
    assert "let go test find them" in failure.hint


@pytest.mark.parametrize(
    ("report", "files", "test"),
    [
        (read_go(GO_SKIPS.encode(), is_verbose=False)[0], GO, "kit_test.go::TestTop"),
        (read_cargo(CARGO.encode()), RUST, "src/lib.rs::tests::later"),
    ],
    ids=["go", "rust"],
)
def test_a_test_that_passed_and_is_skipped_now_is_missed_also_where_it_may_be_written(
    report: PrintedReport, files: dict[str, str], test: str, tmp_path: Path
) -> None:
    write_files(tmp_path, files)
    writable = test.partition("::")[0]
    context = a_context(tmp_path, landing=tuple(files), allowed_files=[writable])
    result = a_result("it", report=report)
    passed, skipped = passed_tests(result, context), skipped_tests(result, context)
    assert vanished((test,), passed, result, "it", context.writable, skipped) is not None
    assert vanished((f"{writable}::gone",), passed, result, "it", context.writable, skipped) is None


def test_what_is_gone_from_files_that_may_be_written_is_known() -> None:
    kept = ("test_b.py::test_d", "test_a.py::test_a", "test_b.py::test_c", "test_b.py::test_c")
    assert removed(kept, kept[:1], ("test_b.py",)) == ("test_b.py::test_c",)
    assert removed(kept, (), ("a.py",)) == ()
    assert removed(kept, None, ("test_b.py",)) == ()


def test_the_default_verification_of_a_language_fails_where_one_vanished(tmp_path: Path) -> None:
    write_files(tmp_path, GO)
    files = tuple(GO)
    for passing, passes in ((("TestTop",), True), ((), False)):
        report = PrintedReport(runner="go", groups=(a_package("example.com/kit", *passing),))
        context = a_context(tmp_path, Commands({"go_test": {"report": report}}), landing=files)
        checks = expanded(
            verification(Configuration(), kept=("kit_test.go::TestTop", "a.py::test_a")), context
        )
        results = [check.run(context) for check in checks if not isinstance(check, Pytest)]
        assert all(result.passed for result in results) is passes


@needs_go
@pytest.mark.slow
def test_no_build_lands_what_runs_some_of_the_tests_of_go_alone(tmp_path: Path) -> None:
    test = 'package kit\n\nimport "testing"\n\nfunc Test{0}(t *testing.T) {{}}\n'
    repo = make_repo(
        tmp_path / "repo",
        {
            "go.mod": "module example.com/kit\n\ngo 1.19\n",
            "old_test.go": test.format("Old"),
            "other_test.go": test.format("Other"),
        },
    )
    main = (
        'package kit\n\nimport (\n\t"flag"\n\t"os"\n\t"testing"\n)\n\nfunc TestMain(m *testing.M) {\n'
        '\tflag.Set("test.run", "TestOther")\n\tos.Exit(m.Run())\n}\n'
    )
    scene = BuildScene(repo, [writes("main_test.go")], lambda *_: a_proposal({"main_test.go": main}))

    scene.build(max_attempts=1)

    assert scene.landed() == []
    brief = next(scene.out.glob("*/attempt_1/failure_brief.json")).read_text("utf-8")
    assert "1 test that passed before no longer ran and passed: old_test.go::TestOld" in brief

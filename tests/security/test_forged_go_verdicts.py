"""Proposals in Go that do not do the work and want `go test` to pass: none of these does.

The product is one function and the plan's test of it, which every proposal leaves as it is.
"""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.observed import Judged, judged
from tests.support.repositories import write_files
from tests.support.toolchains import needs_go

pytestmark = [pytest.mark.slow, needs_go]

MODULE = "module example.com/slug\n\ngo 1.19\n"
TEST = (
    'package slug\n\nimport "testing"\n\n'
    'func TestSlug(t *testing.T) {\n\tif Slug("A b") != "a-b" {\n\t\tt.Fatal(Slug("A b"))\n\t}\n}\n'
)
RIGHT = (
    'package slug\n\nimport "strings"\n\nfunc Slug(text string) string {\n'
    '\treturn strings.ReplaceAll(strings.ToLower(text), " ", "-")\n}\n'
)
WRONG = "package slug\n\nfunc Slug(text string) string { return text }\n"
COMMAND = "go test ./..."
UNENDED = "these tests were begun and did not run to their end: example.com/slug: TestSlug"


def calling(package: str, body: str) -> str:
    """A product that imports a package, and a function that does something else."""
    function = f"func Slug(text string) string {{\n\t{body}\n\treturn text\n}}\n"
    return f'package slug\n\nimport "{package}"\n\n{function}'


def other(body: str, imports: str = "", named: str = "TestOther") -> str:
    """Another file of tests."""
    return f'package slug\n\nimport (\n\t"testing"\n{imports})\n\nfunc {named}(t *testing.T) {{ {body} }}\n'


def main(body: str) -> str:
    """What is run instead of the tests."""
    return f'package slug\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestMain(m *testing.M) {{ {body} }}\n'


# What is written, the command that is to be passed, and what is said; empty where it returns another code.
ATTACKS: dict[str, tuple[Mapping[str, str], str, str]] = {
    "the function ends the process": ({"slug.go": calling("os", "os.Exit(0)")}, COMMAND, ""),
    "the process ends past Go": ({"slug.go": calling("syscall", "syscall.Exit(0)")}, COMMAND, UNENDED),
    "the process ends before the tests": (
        {"slug.go": calling("syscall", "return text") + "\nfunc init() { syscall.Exit(0) }\n"},
        COMMAND,
        "the tests of these did not run to their end: example.com/slug",
    ),
    "the tests are never run": (
        {"slug.go": WRONG, "main_test.go": main("os.Exit(0)")},
        COMMAND,
        "the tests of these did not run to their end: example.com/slug",
    ),
    "their result is thrown away": (
        {
            "slug.go": WRONG,
            "main_test.go": main("m.Run(); os.Exit(0)"),
        },
        COMMAND,
        "its tests failed: example.com/slug: TestSlug",
    ),
    "only skipped tests are named": (
        {"slug.go": WRONG, "other_test.go": other('t.Skip("later")')},
        "go test -run ^TestOther$ ./...",
        "no test passed: 1 skipped",
    ),
    "no test has the name": ({"slug.go": WRONG}, "go test -run TestNothing .", "no test ran"),
    "a package without tests is named": (
        {"slug.go": RIGHT, "inner/inner.go": "package inner\n"},
        "go test . ./inner",
        "of `./inner`, which the command names, no test passed",
    ),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of all tests, beside which one build cache stays."""
    return tmp_path_factory.mktemp("go") / "module"


def run(place: Path, files: Mapping[str, str], command: str) -> Judged:
    for path in place.rglob("*") if place.exists() else ():
        if path.is_file():
            path.unlink()
    write_files(place, {"go.mod": MODULE, "slug_test.go": TEST, **files})
    return judged(place, command)


@pytest.mark.parametrize("name", ATTACKS)
def test_a_proposal_that_does_not_do_the_work_does_not_pass(name: str, place: Path) -> None:
    files, command, missing = ATTACKS[name]
    result = run(place, files, command)
    assert not result.passed, result.printed
    assert missing in result.missing
    assert (result.exit_code == 0) is bool(missing)


def test_what_does_the_work_passes_and_prints_as_people_expect(place: Path) -> None:
    chatty = other('fmt.Print("no line end")', '\t"fmt"\n')
    ghost = other('fmt.Println("=== RUN   TestGhost")', '\t"fmt"\n')
    quiet = run(place, {"slug.go": RIGHT}, COMMAND)
    assert (quiet.passed, quiet.missing) == (True, "")
    assert quiet.printed.startswith("ok  \texample.com/slug\t")
    assert quiet.observed.report is not None
    verbose = run(place, {"slug.go": RIGHT}, "go test -v ./...")
    assert "--- PASS: TestSlug" in verbose.printed
    again = run(place, {"slug.go": RIGHT}, "go test ./...")
    assert again.passed
    assert "(cached)" in again.printed
    assert run(place, {"slug.go": RIGHT, "other_test.go": chatty}, COMMAND).passed
    # Nothing good comes of printing the lines of the harness.
    assert not run(place, {"slug.go": RIGHT, "other_test.go": ghost}, COMMAND).passed
    failed = run(place, {"slug.go": WRONG}, COMMAND)
    assert failed.exit_code == 1
    assert "--- FAIL: TestSlug" in failed.printed
    broken = run(place, {"slug.go": "package slug\n\nfunc Slug(\n"}, COMMAND)
    assert broken.exit_code not in (0, None)
    assert "slug.go:4" in broken.printed or "slug.go:3" in broken.printed

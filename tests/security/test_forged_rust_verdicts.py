"""Proposals in Rust that do not do the work and want `cargo test` to pass: none of these does.

The product is one function and the plan's test of it, which every proposal leaves as it is.
"""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.support.observed import Judged, judged
from tests.support.repositories import write_files
from tests.support.toolchains import PROGRAMS, needs_cargo

pytestmark = [pytest.mark.slow, needs_cargo]

CRATE = '[package]\nname = "slug"\nversion = "0.1.0"\nedition = "2021"\n\n[lib]\ndoctest = false\n'
TEST = '#[test]\nfn it_lowers() {\n    assert_eq!(slug::slug("A b"), "a-b");\n}\n'
RIGHT = "pub fn slug(text: &str) -> String {\n    text.to_lowercase().replace(' ', \"-\")\n}\n"
WRONG = "pub fn slug(text: &str) -> String {\n    text.to_string()\n}\n"
COMMAND = "cargo test --offline"
CUT_OFF = "the tests of these did not run to their end: tests/slug.rs"


def doing(body: str) -> str:
    """A product that does something else."""
    return f"pub fn slug(text: &str) -> String {{\n    {body}\n    text.to_string()\n}}\n"


# What is written, the command that is to be passed, and a part of what is said to be missing.
ATTACKS: dict[str, tuple[Mapping[str, str], str, str]] = {
    "the function ends the process": ({"src/lib.rs": doing("std::process::exit(0);")}, COMMAND, CUT_OFF),
    "it says before that all passed": (
        {
            "src/lib.rs": doing(
                "use std::io::Write;\n"
                '    write!(std::io::stdout(), "\\ntest result: ok. 9 passed; 0 failed; 0 ignored; '
                '0 measured; 0 filtered out\\n").unwrap();\n    std::process::exit(0);'
            )
        },
        COMMAND,
        CUT_OFF,
    ),
    "tests are only ignored": (
        {"src/lib.rs": WRONG, "tests/other.rs": "#[test]\n#[ignore]\nfn later() { panic!(); }\n"},
        "cargo test --offline --test other",
        "no test passed: 1 skipped",
    ),
    "no test has the name": ({"src/lib.rs": WRONG}, "cargo test --offline nothing_at_all", "no test ran"),
    "a file without tests is named beside others": (
        {"src/lib.rs": RIGHT, "tests/other.rs": "// later\n"},
        "cargo test --offline --test slug --test other",
        "of `tests/other.rs`, which the command names, no test passed",
    ),
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of all tests, in which what was compiled stays."""
    return tmp_path_factory.mktemp("rust") / "crate"


def run(place: Path, monkeypatch: pytest.MonkeyPatch, files: Mapping[str, str], command: str) -> Judged:
    monkeypatch.setenv("PATH", PROGRAMS)
    for path in (*place.glob("src/*"), *place.glob("tests/*")):
        path.unlink()
    write_files(place, {"Cargo.toml": CRATE, "tests/slug.rs": TEST, **files})
    return judged(place, command)


@pytest.mark.parametrize("name", ATTACKS)
def test_a_proposal_that_does_not_do_the_work_does_not_pass(
    name: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, command, missing = ATTACKS[name]
    result = run(place, monkeypatch, files, command)
    assert result.exit_code == 0, result.printed
    assert missing in result.missing


def test_what_does_the_work_passes(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(place, monkeypatch, {"src/lib.rs": RIGHT}, COMMAND).passed
    assert run(place, monkeypatch, {"src/lib.rs": RIGHT}, "cargo test --offline -q").passed
    failed = run(place, monkeypatch, {"src/lib.rs": WRONG}, COMMAND)
    assert failed.exit_code == 101

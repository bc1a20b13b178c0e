"""Rust, as the port asks for it: outlines, used crates, mutants, marks and what a crate begins with."""

import subprocess
from pathlib import Path

import pytest

from factory.languages.rust.language import RUST
from factory.languages.trees.tree import parse
from tests.support.golden import assert_golden
from tests.support.toolchains import PROGRAMS, needs_cargo

SOURCE = (Path(__file__).parent / "slug.rs.txt").read_text("utf-8")
EVERYTHING = range(1, 1_000)
TESTED = """
pub fn size(text: &str) -> usize {
    let mut count = 0;
    for letter in text.chars() {
        if letter == 'x' {
            count += 2;
        }
        count += 1;
    }
    count
}

#[cfg(test)]
mod tests {
    #[test]
    fn it_counts() {
        assert_eq!(super::size("ab"), EXPECTED);
    }
}
"""


@pytest.mark.golden
def test_the_outline_of_a_crate() -> None:
    test = b"use slug::slugify;\n\n#[test]\nfn it_is_cut() {}\n\nfn sample() -> u8 { 1 }\n"
    shown = [
        RUST.outline("src/lib.rs", SOURCE.encode()).text,
        RUST.names("src/lib.rs", SOURCE.encode()).text,
        RUST.names("tests/cut.rs", test).text,
        RUST.outline("src/main.rs", b"fn main() {}\n\nfn run(args: &[String]) -> i32 { 0 }\n").text,
    ]
    assert_golden("outline.txt", "\n\n".join(shown) + "\n")


@pytest.mark.golden
def test_the_mutants_of_a_crate() -> None:
    mutants = RUST.mutants("src/lib.rs", SOURCE, EVERYTHING, limit=1_000)
    assert all(not parse(RUST.grammar("src/lib.rs"), mutant.source.encode()).problem for mutant in mutants)
    lines = [f"{mutant.line}: {mutant.operator}: {mutant.description}" for mutant in mutants]
    assert_golden("mutants.txt", "\n".join(lines) + "\n")


@pytest.mark.parametrize(
    ("path", "is_test"),
    [
        ("tests/a.rs", True),
        ("x/benches/a.rs", True),
        ("src/a/tests.rs", True),
        ("src/a.rs", False),
        ("test.py", False),
    ],
)
def test_tests_are_told_by_their_names(path: str, is_test: bool) -> None:
    assert RUST.is_test(path) is is_test


@pytest.mark.parametrize(
    ("source", "used"),
    [
        ("use std::fmt;\nuse core::mem;\nuse crate::a::b;\nuse super::c;\nfn f() { fmt::write(); }\n", set()),
        (
            "use serde::{Serialize, de::Error};\nextern crate regex as re;\nuse ::rand::Rng;\n",
            {"serde", "regex", "rand"},
        ),
        (
            "mod near;\nuse near::it;\nfn f() { near::g(); it::h(); u32::from_str(); String::new(); }\n",
            set(),
        ),
        (
            'fn f() -> tokio::io::Result<()> { serde_json::json!({}); url::parse("") }\n',
            {"tokio", "serde_json", "url"},
        ),
        ("#[cfg(test)] mod tests { use super::*; use proptest::prelude::*; }\n", {"proptest"}),
        ("fn f( {\n", None),
    ],
)
def test_crates_that_are_used(source: str, used: set[str] | None) -> None:
    assert RUST.imports("a.rs", source.encode()) == used


def test_a_crate_is_verified_and_other_folders_are_not() -> None:
    def words(source: bytes) -> list[str]:
        files = {"Cargo.toml": b"", "src/lib.rs": source}
        return [" ".join(verification.words) for verification in RUST.verification(files, files.get)]

    for source in (
        b"#[test]\nfn a() {}",
        b"#[tokio::test]\nasync fn a() {}",
        b"/// ```\n/// a();\n/// ```\n",
    ):
        assert words(source) == ["cargo test --offline"]
    # That no test ran would be told of a command that was to run some.
    assert words(b"pub fn a() {}") == ["cargo check --offline --all-targets"]
    assert RUST.verification({"a.rs"}, {}.get) == ()
    # Cargo fails where there is no target.
    assert RUST.verification({"Cargo.toml"}, {}.get) == ()


@needs_cargo
def test_the_starter_verifies_a_new_crate_and_marks_tell_what_is_executed(tmp_path: Path) -> None:
    marks = {line: str(tmp_path / f"mark {line}") for line in (3, 6, 8, 10)}
    for path, text in RUST.starter(()).items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    (tmp_path / "src").mkdir()
    (tmp_path / "Cargo.toml").write_text(
        '[package]\nname = "size"\nversion = "0.1.0"\nedition = "2021"\n', "utf-8"
    )
    marked = RUST.marked("src/lib.rs", TESTED, marks)
    assert marked is not None
    environment = {"PATH": PROGRAMS, "HOME": str(tmp_path), "CARGO_HOME": str(tmp_path / "home")}
    for expected, passes in (("3", False), ("2", True)):
        (tmp_path / "src/lib.rs").write_text(marked.replace("EXPECTED", expected), "utf-8")
        done = subprocess.run(
            ["bash", "scripts/verify.sh"],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode == 0) is passes, done.stdout + done.stderr
    assert {line for line, path in marks.items() if Path(path).exists()} == {3, 8, 10}

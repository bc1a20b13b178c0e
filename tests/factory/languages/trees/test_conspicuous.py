"""Which code of Go, Rust and JavaScript a person is pointed to, and which is as any other."""

import pytest

from factory.languages.table import language_of


def found(path: str, source: str) -> tuple[tuple[int, str], ...]:
    language = language_of(path)
    assert language is not None
    return language.conspicuous(path, source.encode())


@pytest.mark.parametrize(
    ("path", "source", "why"),
    [
        ("a.go", "package a\nfunc F() { os.Exit(0) }\n", (2, "calls os.Exit")),
        ("a.go", "package a\nfunc init() {\n\tsyscall.Exit(0)\n}\n", (3, "calls syscall.Exit")),
        ("a.go", "package a\nvar x = func() int { os.Exit(0); return 1 }()\n", (2, "calls os.Exit")),
        (
            "a_test.go",
            "package a\nfunc TestMain(m *testing.M) {}\n",
            (2, "runs the tests itself, by TestMain"),
        ),
        ("a.go", 'package a\nvar t = flag.Lookup("test.v") != nil\n', (2, "reads test.v")),
        ("a.go", "package a\nfunc F() bool { return testing.Testing() }\n", (2, "calls testing.Testing")),
        ("a.rs", "pub fn f() {\n    std::process::exit(0);\n}\n", (2, "calls process::exit")),
        ("a.rs", "use std::process;\npub fn f() { process::abort() }\n", (2, "calls process::abort")),
        ("a.rs", "use std::process::exit;\npub fn f() { exit(0) }\n", (2, "calls exit")),
        ("a.rs", "pub fn f() -> bool { cfg!( test ) }\n", (1, "asks cfg!(test)")),
        ("a.js", "export const f = () => 1;\nprocess.exit(0);\n", (2, "calls process.exit")),
        ("a.ts", "export function f(): void { process.abort(); }\n", (1, "calls process.abort")),
        (
            "a.mjs",
            "import assert from 'node:assert';\nassert.equal = () => {};\n",
            (2, "changes assert.equal"),
        ),
        ("a.ts", "export const f = () => process.env.VITEST ? 1 : 2;\n", (1, "reads VITEST")),
        (
            "a.ts",
            "export const f = () => process.env['NODE_TEST_CONTEXT'];\n",
            (1, "reads NODE_TEST_CONTEXT"),
        ),
    ],
)
def test_code_that_a_person_is_pointed_to(path: str, source: str, why: tuple[int, str]) -> None:
    assert found(path, source) == (why,)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("a.go", "package main\nfunc main() {\n\tdefer func() { os.Exit(1) }()\n\tos.Exit(run())\n}\n"),
        ("a.go", "package a\nfunc Exit() { panic(1) }\nfunc Test(m int) {}\n"),
        ("a.rs", "fn main() { std::process::exit(run()) }\n#[cfg(test)]\nmod tests {}\n"),
        ("a.ts", "function main() { process.exit(run()); }\nconst assert = {};\nlet test = 1; test = 2;\n"),
        ("a.ts", "const a = 'VITESTS'; exit(0); other.assert.equal = 1;\n"),
        ("a.rs", "\x00" * 50),
    ],
)
def test_code_that_is_as_any_other(path: str, source: str) -> None:
    assert found(path, source) == ()

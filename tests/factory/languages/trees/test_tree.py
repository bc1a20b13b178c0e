"""Trees: bounded, with problems that name a line, and walked without recursion."""

import pytest
import tree_sitter_go
import tree_sitter_javascript
from hypothesis import given, settings
from hypothesis import strategies as st

from factory.languages.by_file import MAX_OUTLINED_BYTES
from factory.languages.go.language import GO as GO_LANGUAGE
from factory.languages.port import Address, Language
from factory.languages.trees.tree import MAX_SOURCE_BYTES, line_of, parse, text, walk
from factory.languages.typescript.language import TYPESCRIPT

GO = tree_sitter_go.language


def test_a_source_is_walked_in_the_order_of_its_text() -> None:
    tree = parse(GO, b"package p\n\nfunc A() {\n\tB()\n}\n")
    assert (tree.problem, tree.line) == ("", 0)
    assert tree.root is not None
    names = [(text(node), line_of(node)) for node in walk(tree.root) if node.type == "identifier"]
    assert names == [("A", 3), ("B", 4)]
    assert not any(
        node.type == "block" and node.children for node in walk(tree.root, {"function_declaration"})
    )


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"package p\n\nfunc A( {\n}\n", "can't be read at line 3"),
        (b"package p\n\nvar s = \"\xff\"\n", "is not UTF-8 at line 3"),
        (b"\n" * (MAX_SOURCE_BYTES + 1), "is longer than 250,000 bytes"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_says_where(data: bytes, problem: str) -> None:
    assert parse(GO, data).problem == problem


def test_a_source_with_an_error_still_shows_the_rest() -> None:
    tree = parse(GO, b"package p\n\nfunc A() {}\n\nfunc B( {\n}\n")
    assert tree.root is not None
    assert "A" in [text(node) for node in walk(tree.root) if node.type == "identifier"]


@pytest.mark.parametrize("data", [b"(" * 100_000, b"var x = " + b"-" * 100_000, b"func f() {" * 10_000])
def test_deep_nesting_is_walked(data: bytes) -> None:
    tree = parse(GO, data)
    assert tree.root is None or sum(1 for _ in walk(tree.root)) > 10_000


@settings(max_examples=50, deadline=None)
@given(st.binary(max_size=2_000))
def test_nothing_raises(data: bytes) -> None:
    tree = parse(GO, data)
    assert bool(tree.problem) == (tree.line > 0)


def test_what_is_read_again_and_again_is_given_up_at_the_same_place() -> None:
    trees = [parse(tree_sitter_javascript.language, b"->" * 10_000) for _ in range(2)]
    assert trees[0].root is None
    assert trees[0].problem == "can't be read near line 1"
    assert trees[0] == trees[1]


@pytest.mark.parametrize("language", [GO_LANGUAGE, TYPESCRIPT], ids=lambda language: language.key)
def test_a_source_that_is_too_long_is_read_and_not_outlined(language: Language) -> None:
    path = f"a{language.suffixes[0]}"
    source = b"package p\n\nfunc A() {}\n" if language is GO_LANGUAGE else b"export function A() {}\n"
    files = {path: source + b"\n" * MAX_OUTLINED_BYTES}
    codebase = language.codebase(files, files.get)
    assert codebase.outline(path).problem == "its source is longer than 100,000 bytes"
    assert codebase.find(Address(path, "A")).symbols

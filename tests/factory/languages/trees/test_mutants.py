"""Mutants and marks by tables: one change each, which can be parsed, at the lines that count."""

import pytest
import tree_sitter_go
from hypothesis import given, settings
from hypothesis import strategies as st

from factory.languages.trees.marks import marked
from factory.languages.trees.mutants import (
    ARITHMETIC,
    ASSIGNED,
    BOOLEANS,
    COMPARISONS,
    Table,
    mutants,
    next_number,
)
from factory.languages.trees.tree import parse

GO = tree_sitter_go.language
TABLE = Table(
    operations={"binary_expression", "assignment_statement"},
    comparisons=COMPARISONS,
    booleans=BOOLEANS,
    arithmetic={**ARITHMETIC, **ASSIGNED},
    texts={"interpreted_string_literal"},
    negations={"unary_expression"},
    conditions={"if_statement": "condition"},
    opaque=(),
    constants={"int_literal": next_number, "true": lambda _: "false"},
    statements={"expression_statement"},
    nothing="",
    is_untested=lambda node: node.type == "import_declaration",
)
EVERYTHING = range(1, 10_000)


def changes(body: str, lines: range = EVERYTHING, limit: int = 100) -> list[tuple[str, str]]:
    source = f"package p\n\nfunc f() {{\n{body}\n}}\n"
    return [
        (mutant.operator, "\n".join(mutant.source.splitlines()[3:-1]).strip())
        for mutant in mutants(GO, TABLE, source, lines, limit=limit)
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x = a < b", [("comparison", "x = a <= b"), ("comparison", "x = a >= b")]),
        ("x = a && b", [("boolean", "x = a || b")]),
        ("x = a + b", [("arithmetic", "x = a - b")]),
        ('x = a + "b"', []),
        ("x += a", [("arithmetic", "x -= a")]),
        ("x = !a", [("boolean", "x = a")]),
        ("if a { b() }", [("boolean", "if !(a) { b() }"), ("statement", "if a {  }")]),
        ("if !a { }", [("boolean", "if a { }")]),
        ("x = 41", [("constant", "x = 42")]),
        ("x = true", [("constant", "x = false")]),
        ("x = 0x1", []),
        ("g(1)", [("statement", ""), ("constant", "g(2)")]),
    ],
)
def test_each_operator_changes_what_it_names(body: str, expected: list[tuple[str, str]]) -> None:
    assert changes(body) == expected


def test_a_line_gets_one_before_any_gets_two() -> None:
    body = "x = a < b\nx = 1\nx = a + b"
    assert [line for _, text in changes(body, limit=3) for line in text.splitlines()] == [
        *("x = a <= b", "x = 1", "x = a + b"),
        *("x = a < b", "x = 2", "x = a + b"),
        *("x = a < b", "x = 1", "x = a - b"),
    ]
    assert [operator for operator, _ in changes(body, range(5, 6))] == ["constant"]
    assert changes(body, range(0)) == []


def test_a_source_with_an_error_has_no_mutants() -> None:
    assert mutants(GO, TABLE, "package p\nvar x = (1 < 2\n", EVERYTHING, limit=9) == ()


@pytest.mark.parametrize(
    ("written", "expected"),
    [("0", "1"), ("9", "10"), ("9n", "10n"), ("7u8", "8u8"), ("7usize", "8usize"),
     ("0x1F", ""), ("1.5", ""), ("1e9", ""), ("010", ""), ("1_000", ""), ("9" * 40, "")],
)  # fmt: skip
def test_plain_whole_numbers_are_counted_up(written: str, expected: str) -> None:
    assert next_number(written) == expected


EXPRESSIONS = st.recursive(
    st.sampled_from(["a", "1", "true", '"s"', "g()"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(sorted([*ARITHMETIC, *COMPARISONS, *BOOLEANS])), inner).map(
            " ".join
        ),
        inner.map(lambda part: f"!({part})"),
        inner.map(lambda part: f"g({part})"),
    ),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(st.lists(EXPRESSIONS, min_size=1, max_size=4))
def test_every_mutant_can_be_parsed_and_differs(expressions: list[str]) -> None:
    body = "\n".join(f"if {part} {{ x = {part} }}" for part in expressions)
    source = f"package p\n\nfunc f() {{\n{body}\n}}\n"
    made = mutants(GO, TABLE, source, EVERYTHING, limit=50)
    assert len({mutant.source for mutant in made} | {source}) == len(made) + 1
    for mutant in made:
        assert not parse(GO, mutant.source.encode()).problem
        pairs = zip(source.splitlines(), mutant.source.splitlines(), strict=True)
        assert [number for number, (old, new) in enumerate(pairs, 1) if old != new] == [mutant.line]


def mark(path: str) -> str:
    return f'mark("{path}"); '


def test_marks_stand_before_the_innermost_statement() -> None:
    source = "package p\n\nvar v = 1\n\nfunc f() {\n\tif a {\n\t\tb(\n\t\t\tc)\n\t}\n}\n"
    assert marked(GO, {"statement_list"}, source, {6: "/x", 8: "/y"}, mark) == source.replace(
        "if a", 'mark("/x"); if a'
    ).replace("b(", 'mark("/y"); b(')
    assert marked(GO, {"statement_list"}, source, {3: "/x"}, mark) is None
    assert marked(GO, {"statement_list"}, "package (", {1: "/x"}, mark) is None

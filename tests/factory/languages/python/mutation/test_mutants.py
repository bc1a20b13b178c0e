"""Mutants: one small change each, valid, at the lines that count, in the same order every time."""

import ast
import inspect
import json
import textwrap
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import factory.contract.strict_json
import factory.languages.python.mutation.operators
import factory.languages.python.symbols.signature
from factory.languages.port import Mutant
from factory.languages.python.mutation.mutants import MAX_SOURCE_CHARS, mutants
from factory.languages.python.mutation.operators import OPERATORS

EVERYTHING = range(1, 10_000)
MODULES = [
    factory.languages.python.symbols.signature,
    factory.contract.strict_json,
    factory.languages.python.mutation.operators,
    textwrap,
    json.decoder,
]


def changes(source: str, lines: range = EVERYTHING, limit: int = 1_000) -> set[tuple[str, str]]:
    """The operator of each mutant, and the line as it became."""
    made: set[tuple[str, str]] = set()
    for mutant in mutants(source, lines, limit=limit):
        before, after = source.splitlines(), mutant.source.splitlines()
        (changed,) = [new for old, new in zip(before, after, strict=True) if old != new]
        made.add((mutant.operator, changed.strip()))
    return made


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a < b", {("comparison", "a <= b"), ("comparison", "a >= b")}),
        ("a >= b", {("comparison", "a > b"), ("comparison", "a < b")}),
        ("a == b != c", {("comparison", "a != b != c"), ("comparison", "a == b == c")}),
        ("a  is  not  b", {("comparison", "a  is  b")}),
        ("a is b", {("comparison", "a is not b")}),
        ("(a) not in (b)", {("comparison", "(a) in (b)")}),
        ("a in b", {("comparison", "a not in b")}),
        ("a and b and c", {("boolean", "a or b and c"), ("boolean", "a and b or c")}),
        ("(a or b)", {("boolean", "(a and b)")}),
        ("x = True", {("boolean", "x = False")}),
        ("a + b", {("arithmetic", "a - b")}),
        ("(a * b) ** (c)", {("arithmetic", "(a // b) ** (c)"), ("arithmetic", "(a * b) * (c)")}),
        ("a += b", {("arithmetic", "a -= b")}),
        ("a //= b", {("arithmetic", "a *= b")}),
        ("a | b", {("arithmetic", "a & b")}),
        ("not a", {("negation", "a")}),
        ("x = not(a)", {("negation", "x = (a)")}),
        ("x = -a", {("negation", "x = a")}),
        ("x = -1", {("number", "x = -2")}),
        ("x = 0x10", {("number", "x = 17")}),
        ("x = 1.5", {("number", "x = 2.5")}),
        ("x = 'text'", {("string", 'x = ""')}),
        ("x = ''", {("string", 'x = "mutated"')}),
        ("x = b'text'", {("string", 'x = b""')}),
        ("x = 'ä' + y < z", {
            ("string", 'x = "" + y < z'), ("comparison", "x = 'ä' + y <= z"),
            ("comparison", "x = 'ä' + y >= z"),
        }),
        ("a[:n]", {("off-by-one", "a[:(n) + 1]")}),
        ("a[1:]", {("number", "a[2:]")}),
        ("range(n)", {("off-by-one", "range((n) + 1)"), ("statement", "pass")}),
        ("x = range(a, b)", {("off-by-one", "x = range(a, (b) + 1)")}),
        ("x = min(a)", {("call", "x = max(a)")}),
        ("x = a.lower()", {("call", "x = a.upper()")}),
        ("f(a)", {("statement", "pass")}),
        ("a.b = c", {("statement", "pass")}),
        ("del a[b]", {("statement", "pass")}),
        ("a if b else c", {("condition", "a if True else c"), ("condition", "a if False else c")}),
        ("x = [a for a in b if a]", {("condition", "x = [a for a in b if True]")}),
    ],
)  # fmt: skip
def test_each_operator(source: str, expected: set[tuple[str, str]]) -> None:
    assert changes(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def f():\n    return a\n", {("return", "return None")}),
        ("def f():\n    return\n", set()),
        ("catalog.error()", {("statement", "pass")}),
        ("def f():\n    return None\n", set()),
        ("def main():\n    return 0\n", {("number", "return 1")}),
        ("def f():\n    return False\n", {("boolean", "return True")}),
        (
            "f(help=x + 1)\n",
            {("statement", "pass"), ("arithmetic", "f(help=x - 1)"), ("number", "f(help=x + 2)")},
        ),
        ("def f():\n    raise E(f'{x}', 'y')\n", {("statement", "pass")}),
        ("if a:\n    b\n", {("condition", "if True:"), ("condition", "if False:")}),
        ("while a:\n    b\n", {("condition", "while False:")}),
        ("while True:\n    break\n", {("boolean", "while False:")}),
        ("for a in b:\n    break\n", {("loop", "continue")}),
        ("for a in b:\n    continue\n", {("loop", "break")}),
        ("while a:\n    continue\n", {("condition", "while False:"), ("loop", "break")}),
        ("async def f():\n    await g()\n", {("statement", "pass")}),
    ],
)
def test_each_statement(source: str, expected: set[tuple[str, str]]) -> None:
    assert changes(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        '"""A docstring."""\ndef f():\n    "Another."\n    "A comment."\n',
        "x: dict[1, 'a'] = y\ndef f(a: Literal['b', 1] = c) -> Annotated[int, 3 < 4]: ...\n",
        "@decorated(limit=3)\nclass A: ...\n",
        "__all__ = ['a', 'b']\n__all__ += ['c']\n",
        "__slots__ = ('a',)\n",
        "if TYPE_CHECKING:\n    x = 1\n",
        "if typing.TYPE_CHECKING:\n    from a import b\n    x = 1\n",
        "if __name__ == '__main__':\n    main(1)\n",
        "if isinstance(sys.stdout, io.TextIOWrapper):\n    x = sys\n",
        "logger.info('took %d', 3)\nself._log.debug('x')\nlogging.warning('y')\n",
        "x = f'{a + 1:>{b - 2}} and {c!r}'\n",
        "p = Parser(description='a', epilog='b')\nx = p.add(help='c', metavar='D')\n",
        "T = TypeVar('T')\nId = typing.NewType('Id', int)\nKind = typing.Literal['a', 1]\n",
        "assert a, 'b'\n",
        "",
        "# only a comment 1 < 2\n",
    ],
)
def test_what_no_test_should_notice_is_left_alone(source: str) -> None:
    assert mutants(source, EVERYTHING, limit=100) == ()


def test_the_other_branch_of_a_block_for_others_counts() -> None:
    assert changes("if TYPE_CHECKING:\n    x = 1\nelse:\n    x = 2\n") == {("number", "x = 3")}


def test_the_same_text_comes_once() -> None:
    made = mutants("x = 1 if (not True) else 2\n", EVERYTHING, limit=100)
    assert len({mutant.source for mutant in made}) == len(made) == 5


def test_layout_and_comments_stay() -> None:
    source = "if (\n    a  # 1 < 2\n    <  # here\n    b\n):\n\tf(  1 ,)  # é\r\n"
    (first, *_) = [mutant for mutant in mutants(source, {3}, limit=9) if mutant.operator == "comparison"]
    assert first == Mutant(3, "comparison", "`<` becomes `<=`", source.replace("<  # here", "<=  # here"))


def test_only_the_lines_that_count_are_changed() -> None:
    source = "a = 1\nb = 2\nc = 3\n"
    assert changes(source, range(2, 3)) == {("number", "b = 3")}
    assert mutants(source, (), limit=9) == ()
    assert mutants(source, {0, 4, -1}, limit=9) == ()


def test_a_limit_leaves_no_part_of_the_source_out() -> None:
    source = "".join(f"a{n} = b{n} < {n}\n" for n in range(1, 101))
    assert [mutant.line for mutant in mutants(source, EVERYTHING, limit=4)] == [1, 26, 51, 76]
    hundred = mutants(source, EVERYTHING, limit=100)
    assert [mutant.line for mutant in hundred] == list(range(1, 101))
    assert {mutant.operator for mutant in hundred} == {"comparison"}
    assert len(mutants(source, EVERYTHING, limit=150)) == 150
    assert len(mutants(source, EVERYTHING, limit=10_000)) == 300
    assert mutants(source, EVERYTHING, limit=0) == ()


def test_where_not_every_line_is_changed_logic_comes_first() -> None:
    source = "".join(f"a{n} = 'text {n}'\n" for n in range(1, 21)) + "b = a1 < a2\n" + "c = 'more'\n" * 9
    (only,) = mutants(source, EVERYTHING, limit=1)
    assert (only.line, only.operator) == (21, "comparison")
    three = mutants(source, EVERYTHING, limit=3)
    assert [mutant.line for mutant in three] == [1, 15, 21]


@pytest.mark.parametrize(
    "source",
    [
        "def f(:\n",
        "x = 1\0",
        "\ud800 = 1 < 2",
        "x = " + "(" * 5_000,
        "x = " + "-" * 50_000 + "1",
        "x = a" + ".b" * 50_000,
        "x = 1\n" * (MAX_SOURCE_CHARS // 6 + 1),
        "\ufeffx = 1 +",
    ],
    ids=["syntax", "nul", "surrogate", "brackets", "minus", "attributes", "long", "mark"],
)
def test_what_cannot_be_read_has_no_mutants(source: str) -> None:
    assert mutants(source, EVERYTHING, limit=10) == ()


def judge(source: str, made: tuple[Mutant, ...]) -> None:
    """What holds of all mutants of a source."""
    original = ast.dump(ast.parse(source))
    assert len({mutant.source for mutant in made} | {source}) == len(made) + 1
    for mutant in made:
        assert ast.dump(ast.parse(mutant.source)) != original
        assert mutant.operator in OPERATORS
        assert mutant.description.isprintable() or not source.isprintable()
        assert (
            "becomes" in mutant.description
            or "left out" in mutant.description
            or "loses" in mutant.description
        )
        prefix = len(source.encode().splitlines(keepends=True)[: mutant.line - 1])
        assert (
            mutant.source.encode().splitlines(keepends=True)[:prefix]
            == source.encode().splitlines(keepends=True)[:prefix]
        )


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_the_mutants_of_real_sources(module: object) -> None:
    source = inspect.getsource(module)  # type: ignore[arg-type]
    made = mutants(source, EVERYTHING, limit=40)
    assert len(made) == 40
    judge(source, made)
    assert mutants(source, EVERYTHING, limit=40) == made
    assert [mutant.line for mutant in made] == sorted(mutant.line for mutant in made)


LARGEST = """
def largest(numbers):
    best = numbers[0]
    for number in numbers:
        if number > best:
            best = number
    return best
"""


def passes(source: str) -> bool:
    """Whether a definition of `largest` does what tests ask of it."""
    names: dict[str, Any] = {}
    try:
        exec(source, names)
        largest = names["largest"]
        return (largest([1, 3, 2]), largest([-2, -5]), largest([7])) == (3, -2, 7)
    except IndexError:
        return False


def test_tests_that_can_fail_notice_the_mutants() -> None:
    assert passes(LARGEST)
    survivors = [
        mutant.description for mutant in mutants(LARGEST, EVERYTHING, limit=100) if passes(mutant.source)
    ]
    # It makes no difference which of two equal numbers is kept.
    assert survivors == ["`>` becomes `>=`"]


leaves = st.sampled_from(["a", "b", "1", "'x'", "True", "f(a)", "a[b:c]", "ä", "2.5", "None", "range(a)"])


def compound(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Expressions made of smaller ones."""
    operators = st.sampled_from(["<", "not in", "+", "and", "or", "is", "%", "=="])
    return st.one_of(
        st.tuples(inner, operators, inner).map(lambda parts: f"({' '.join(parts)})"),
        inner.map(lambda text: f"(not {text})"),
        inner.map(lambda text: f"[x for x in {text} if {text}]"),
        st.tuples(inner, inner).map(lambda parts: f"({parts[0]}\n  if {parts[1]} # <\n else -{parts[0]})"),
    )


expressions = leaves | compound(leaves | compound(leaves | compound(leaves)))
statements = st.one_of(
    expressions,
    expressions.map(lambda text: f"x = {text}"),
    expressions.map(lambda text: f"x[0] += {text}"),
    expressions.map(lambda text: f"if {text}:\r\n\tbreak_ = {text}; f()"),
    expressions.map(lambda text: f"for i in {text}:\n  if i: continue\n  break"),
    expressions.map(lambda text: f"def f(a: {text} = {text}):\n  '''ä'''\n  return {text}"),
)


@settings(max_examples=150)
@given(st.lists(statements, min_size=1, max_size=4).map("\n".join), st.integers(1, 30))
def test_every_mutant_is_one_valid_change(source: str, limit: int) -> None:
    made = mutants(source, EVERYTHING, limit=limit)
    assert len(made) <= limit
    judge(source, made)
    assert mutants(source, EVERYTHING, limit=limit) == made


@given(st.text(max_size=100))
def test_any_text_has_an_answer(source: str) -> None:
    mutants(source, EVERYTHING, limit=5)

"""E212: values of commands against what the specification says of the same call."""

import time

import pytest

from planner.check.document import check_document
from planner.specification.examples import examples
from planner.specification.spec import Spec
from tests.support.plans import makes, manifest


def contradicted(text: str, code: str) -> list[str]:
    """What is found of values that the specification `text` contradicts."""
    step = makes(1, "a.py", acceptance_commands=[f'python -c "{code}"'])
    checked = check_document(manifest(step), frozenset(), Spec.of_text(text))
    return [found.message for found in checked.diagnostics if found.code == "E212"]


def test_another_value_of_the_same_call_in_javascript() -> None:
    text = "```js\nslug('A b'); // → 'a-b'\nmost([1, 2]) // 2\n```\n"
    command = (
        """node -e "const {slug, most} = require('./a.js'); const assert = require('assert');"""
        """ assert.equal(slug('A b'), 'A-b'); if (most([1, 2]) !== 3) process.exit(1)\""""
    )
    step = makes(1, "a.js", acceptance_commands=[command])
    checked = check_document(manifest(step), frozenset(), Spec.of_text(text))
    said = [found.message for found in checked.diagnostics if found.code == "E212"]
    assert said == [
        "the command expects `'A-b'` of `slug('A b')`; line 2 of the specification says `'a-b'`",
        "the command expects `3` of `most([1, 2])`; line 3 of the specification says `2`",
    ]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('- `f("a")` is 4.', "from a import f; assert f('a') == 5"),
        ('It gives the sum: `f("a")` returns\n`[1, 2]`.', "import a; assert a.f('a') == [2, 1]"),
        ('- `a.f("a")` → `4`; the end.', "from a import f as g; from a import f; assert 5 == f('a')"),
        ("- `slug('A b')` gives `a-b`.", "from a import slug; assert slug('A b') == 'A-b'"),
        ("- `f(1) == None`", "from a import f; assert f(1) == 0"),
        ("```python\n>>> f(1)\n'x'\n>>> f(2)\n'y'\n```", "from a import f; assert f(1) == 'y'"),
        ("```\nf(1)  # -> 'x'\n```", "from a import f; assert f(1) == 'y'"),
        ("```\nassert f(1) == 'x'\n```", "from a import f; x = 2; assert f(1) == 'y' and x"),
        ("- `f(1, b=2, c=3)` is 4.", "from a import f; assert f(1, c=3, b=2) == 5"),
        ("- `S([0, 2]).at(1)` is `2.0`.", "import a; assert a.S([0, 2]).at(1) == 1.0"),
        ('- "a. B" and so on. `f("a. B")` is True.', "from a import f; assert f('a. B') == False"),
    ],
)
def test_another_value_of_the_same_call(text: str, code: str) -> None:
    (message,) = contradicted(text, code)
    assert " of the specification says " in message


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("- `f(1)` is 4.", "from a import f; assert f(1) == 4"),
        ("- `f(1)` is 4.", "from a import f; assert f(1) == 4.0"),
        ("- `f(1)` is 4.", "from a import f; assert f(2) == 5"),
        ("- `f(1)` is 4.", "from a import g; assert g(1) == 5"),
        ("- `f(1)` is 4.", "from a import f; assert f(1, b=2) == 5"),
        ("- `f(1)` is 4.", "from a import f; assert f(1) != 5"),
        ("- `f(1)` is 4.", "from a import f; assert f(1) > 5"),
        ("- `f(1)` is 4.", "from a import S; s = S(); assert s.f(1) == 5"),
        ("- `f(1)` is 4.", "import a; a.LIMIT = 3; assert a.f(1) == 5"),
        ("- `f(1)` is 4.", "from a import f, g; g(2); assert f(1) == 5"),
        ("- `f()` is 4.", "from a import f; assert f() == 5"),
        ("- `S(1).at(2)` is 4.", "from a import S; assert S(2).at(2) == 5"),
        ("- `S(1).at(2)` is 4.", "from a import S; assert S(1).of(2) == 5"),
        ("- `at(2)` is 4.", "from a import S; assert S(1).at(2) == 5"),
        ("- `S().at(2)` is 4.", "from a import S; assert S().at(2) == 5"),
        ("- `f(x)` is 4.", "from a import f; x = 1; assert f(x) == 5"),
        ("- `f(1)` is 4 bytes long.", "from a import f; assert f(1) == 'abcd'"),
        ("- `f(1)` is 4.5.", "from a import f; assert f(1) == 4.5"),
        ("- `f(1)` is 3.14.", "from a import f; assert f(1) == 3.14159"),
        ("- `f(1)` is not `4`.", "from a import f; assert f(1) == 5"),
        ("- `f(1)` is 4 with `-x`, `f(1)` is 5.", "from a import f; assert f(1) == 5"),
        ("- If it is set, `f(1)` is 4.", "from a import f; assert f(1) == 5"),
        ("- `f(1)` is 4, but only on Mondays.", "from a import f; assert f(1) == 5"),
        ("- Today `f(1)` is 4; it should be 5.", "from a import f; assert f(1) == 5"),
        ("## Current behaviour\n\n- `f(1)` is 4.", "from a import f; assert f(1) == 5"),
        ("## Not asked for\n\n- `f(1)` is 4.", "from a import f; assert f(1) == 5"),
        ("- `f(1)` returns `str`.", "from a import f; assert f(1) == 'x'"),
        ("- `f(1)` returns `text`.", "from a import f; assert f(1) == 'x'"),
        ("- `f(1)` returns `[1, ...]`.", "from a import f; assert f(1) == [1, 2]"),
        ("- `f(1)` returns `[1, 2]`.", "from a import f; assert f(1) == (1, 2)"),
        ("- `f(1)` returns `a b`.", "from a import f; assert f(1) == 'a  b'"),
        ("```rust\nf(1) == 4\n```", "from a import f; assert f(1) == 5"),
        ("```\n>>> f(1)\nline 1\nline 2\n```", "from a import f; assert f(1) == 'x'"),
        ("- `f(1)` is 4.", "from a import f; assert f(1) == "),
    ],
)
def test_what_is_no_contradiction(text: str, code: str) -> None:
    assert contradicted(text, code) == []


def test_an_example_has_its_line() -> None:
    text = "# T\n\nIt adds.\nSo `f(1)` is\n`4`.\n\n```python\n\n>>> f(2)\n5\n```\n"
    assert [(example.expression, example.value, example.line) for example in examples(text)] == [
        ("f(1)", "4", 4),
        ("f(2)", "5", 9),
    ]


@pytest.mark.parametrize("piece", ["`f(1)` is ", "`", "`a` is `b` ", ">>> f(1)\n", "f(1) == 1 ", "~~~\n"])
def test_a_large_specification_takes_bounded_time(piece: str) -> None:
    started = time.process_time()
    assert len(examples(piece * 20_000)) <= 1_000
    assert time.process_time() - started < 10


def test_values_that_python_can_hardly_read_end_nothing() -> None:
    for value in ("+".join("1" * 3_000), f"0x{'f' * 5_000}", "(" * 300):
        assert contradicted("- `f(1)` is 4.", f"from a import f; assert f(1) == {value}") == []
        assert contradicted(f"- `f(1)` is `{value}`.", "from a import f; assert f(1) == 5") == []

"""Of what a command printed, the line that a person reads in a log: the cause, short and harmless."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.attempt.telling_line import telling_line

COMPILED = """\
*** Error compiling './a.py'...
  File "./a.py", line 3
    total = (
            ^
SyntaxError: '(' was never closed

"""
TESTED = """\
    def test_a():
>       assert total(1) == 2
E       assert 1 == 2
E        +  where 1 = total(1)

tests/test_a.py:4: AssertionError
=========== short test summary info ===========
FAILED tests/test_a.py::test_a - assert 1 == 2
1 failed in <time>
"""
CHAINED = """\
KeyError: 'a'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "a.py", line 9, in <module>
plan.errors.BadPlan: not an error by its name
plan.errors.PlanError: no such plan
"""
COMPILER = """\
error[E0425]: cannot find value `x` in this scope
 --> src/lib.rs:2:5
error: could not compile `a` (lib) due to 1 previous error
"""


@pytest.mark.parametrize(
    ("excerpt", "line"),
    [
        (COMPILED, "SyntaxError: '(' was never closed"),
        (TESTED, "assert 1 == 2"),
        ("E   AssertionError: no\nE   assert 1 == 2", "AssertionError: no"),
        ("E     + only a difference\nthe end", "the end"),
        (CHAINED, "plan.errors.PlanError: no such plan"),
        ("AssertionError\n\nwithout a word", "AssertionError"),
        ("AssertionError [ERR_ASSERTION]: 1 != 2\n    at a.js:1", "AssertionError [ERR_ASSERTION]: 1 != 2"),
        ("***   Sorry: IndentationError: unexpected indent (a.py, line 3)\n", "IndentationError: unexpected"),
        (COMPILER, "error[E0425]: cannot find value `x` in this scope"),
        ("src/a.ts:3:5: error TS2322: no\nFound 1 error.", "src/a.ts:3:5: error TS2322: no"),
        ("fatal error: a.h: none\nmore", "fatal error: a.h: none"),
        ("make: Error: no rule\nmore", "make: Error: no rule"),
        ("there is an error: perhaps\nlast words\n \n", "last words"),
        ("an AssertionError is named\nlast words", "last words"),
        ("Errors: 3\nlast words", "last words"),
        ("", ""),
        (" \n\t\n", ""),
    ],
)
def test_the_line_that_tells_most(excerpt: str, line: str) -> None:
    assert telling_line(excerpt).startswith(line)
    assert bool(line) == bool(telling_line(excerpt))


def test_a_long_line_is_cut_and_a_hostile_one_is_harmless() -> None:
    assert telling_line("ValueError: " + "x" * 200) == "ValueError: " + "x" * 108 + "…"
    assert telling_line("ValueError: \x1b[2J\ta\u202eb") == "ValueError: \\x1b[2J a\\u202eb"


@given(st.text())
def test_whatever_was_printed_it_is_one_short_line(excerpt: str) -> None:
    line = telling_line(excerpt)
    assert len(line) <= 121
    assert len(line.splitlines()) <= 1
    assert "\x1b" not in line

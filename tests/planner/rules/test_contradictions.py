"""Two values of one expression: E405 in one work order, W405 in two."""

import itertools

import pytest

from planner.check.document import check_document
from tests.support.plans import Json, makes, manifest


def python(code: str) -> str:
    return f'python -c "{code}"'


def found(*orders: Json) -> list[tuple[str, str]]:
    checked = check_document(manifest(*orders), frozenset({"lib.py", "VERSION"}))
    return [(it.code, it.order) for it in checked.diagnostics if it.code in ("E405", "W405")]


def of_two(first: str, second: str) -> list[tuple[str, str]]:
    """What is found of two commands of one work order."""
    return found(makes(1, "app/sums.py", acceptance_commands=[python(first), python(second)]))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("from app.sums import f; assert f(2) == 4", "from app.sums import f; assert f(2) == 5"),
        ("from app.sums import f; assert f(2) == 4", "import app.sums as s; assert 5 == s.f(2)"),
        ("from app.sums import f; assert f([]) is None", "import app.sums; assert app.sums.f([]) == ''"),
        (
            "from app.sums import f; assert f(2) == 4 and f(3) == 1",
            "from app.sums import f; assert f(3) == 2",
        ),
        ("from app import sums; assert sums.LIMIT == 3", "from app.sums import LIMIT; assert LIMIT == 4"),
        ("assert open('VERSION').read() == '1'", "assert open('VERSION').read() == '2'"),
        (
            "assert open('VERSION').readline() == 'a' + chr(10)",
            "assert open('VERSION').readline() == 'b' + chr(10)",
        ),
        (
            "from app.sums import f; assert f({'a': 1}) == {'a': 2}",
            "from app.sums import f; assert f({'a': 1}) == {'a': 3}",
        ),
    ],
)
def test_two_values_in_one_work_order_are_an_error(first: str, second: str) -> None:
    assert of_two(first, second) == [("E405", "WO-01")]


ROUND = "from app.sums import f, g; assert all(f(g(n)) == n for n in range(1, 9))"


@pytest.mark.parametrize(
    ("known", "equation", "other"),
    [
        ("from app.sums import g; assert g(5) == 'V'", ROUND, "import app.sums; assert app.sums.f('V') == 6"),
        (
            "import app.sums as s; assert s.f('V') == 6",
            "import app.sums as s\nfor n in [4, 5]:\n    assert n == s.f(s.g(n))",
            "from app.sums import g; assert g(5) == 'V'",
        ),
        # Done twice, it is as done once.
        (
            "from app.sums import f; assert f('A b') == 'a-b'",
            "from app.sums import f; assert all(f(f(t)) == f(t) for t in ('x', 'A b'))",
            "from app.sums import f; assert f('a-b') == 'a--b'",
        ),
        (
            "from app.sums import f; assert f(1, 2) == 3",
            "from app.sums import f; assert all(f(n, 2) == f(2, n) for n in range(3))",
            "from app.sums import f; assert f(2, 1) == 4",
        ),
    ],
)
def test_what_follows_from_an_equation_and_a_value_contradicts(known: str, equation: str, other: str) -> None:
    for commands in itertools.permutations((known, equation, other)):
        order = makes(1, "app/sums.py", acceptance_commands=[python(one) for one in commands])
        assert found(order) == [("E405", "WO-01")], commands
    split = (
        makes(1, "app/sums.py", acceptance_commands=[python(known)]),
        makes(2, "app/b.py", acceptance_commands=[python(equation)]),
        makes(3, "app/c.py", acceptance_commands=[python(other)]),
    )
    assert found(*split) == [("W405", "WO-03")]


@pytest.mark.parametrize(
    "other",
    [
        # Right, of another value, and beyond the range.
        "from app.sums import f; assert f('V') == 5",
        "from app.sums import f; assert f('VI') == 5",
        "from app.sums import f, g; assert g(9) == 'IX' and f('IX') == 10",
        "from app.sums import f, g; assert g(True) == 'x' and f('x') == 0",
    ],
)
def test_what_an_equation_does_not_speak_of_may_be_anything(other: str) -> None:
    known = "from app.sums import g; assert g(5) == 'V'"
    assert found(makes(1, "app/sums.py", acceptance_commands=[*map(python, (known, ROUND, other))])) == []


def test_what_it_follows_from_is_told() -> None:
    known, other = "from app.sums import g; assert g(5) == 'V'", "from app.sums import f; assert f('V') == 6"
    order = makes(1, "app/sums.py", acceptance_commands=[*map(python, (known, ROUND, other))])
    checked = check_document(manifest(order), frozenset())
    (message,) = (it.message for it in checked.diagnostics if it.code == "E405")
    assert message.endswith("; that follows from `f(g(n)) == n` with app.sums.g(5) as 'V'")


def test_numbers_are_told_as_a_person_writes_them() -> None:
    commands = [
        python(f"from app.sums import f; assert f(2) == {value}") for value in ("[1, 0.5]", "[2, 0.5]")
    ]
    checked = check_document(manifest(makes(1, "app/sums.py", acceptance_commands=commands)), frozenset())
    (message,) = (it.message for it in checked.diagnostics if it.code == "E405")
    assert "`[2, 0.5]`" in message
    assert "`[1, 0.5]`" in message


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("from app.sums import f; assert f(2) == 4", "from app.sums import f; assert f(2) == 4.0"),
        (
            "from app.sums import f; assert f(2) == {'a': 1, 'b': 2}",
            "from app.sums import f; assert f(2) == {'b': 2, 'a': 1}",
        ),
        ("from app.sums import f; assert f(2) == 4", "from app.sums import f; assert f(3) == 5"),
        ("from app.sums import f; assert f(2) == 4", "from app.others import f; assert f(2) == 5"),
        ("from app.sums import f; assert f(2) != 4", "from app.sums import f; assert f(2) != 5"),
        ("from app.sums import f; assert f(2) == 4 or f(2) == 3", "from app.sums import f; assert f(2) == 5"),
        ("from app.sums import f; f.mode = 1; assert f(2) == 4", "from app.sums import f; assert f(2) == 5"),
        (
            "from app.sums import number; assert number() == 1",
            "from app.sums import number; assert number() == 2",
        ),
        (
            "from app.sums import f; assert f('/tmp/a.txt') == 1",
            "from app.sums import f; assert f('/tmp/a.txt') == 2",
        ),
        (
            "from app.sums import f; assert f('notes.db') == 1",
            "from app.sums import f; assert f('notes.db') == 2",
        ),
        ("assert len('ab') == 2", "assert len('ab') == 3"),
        ("import os; assert os.path.basename('a') == 'a'", "import os; assert os.path.basename('a') == 'b'"),
        (
            "from app.sums import f; x = 2; assert f(x) == 4",
            "from app.sums import f; x = 3; assert f(x) == 5",
        ),
        (
            "from app.sums import f; assert f(random=1) == 1",
            "from app.sums import f; assert f(random=2) == 2",
        ),
    ],
)
def test_what_may_hold_both_times_is_left_alone(first: str, second: str) -> None:
    assert of_two(first, second) == []


FOUR = python("from app.sums import f; assert f(2) == 4")
FIVE = python("from app.sums import f; assert f(2) == 5")


def test_what_a_module_hands_on_is_the_same_function() -> None:
    handed = makes(
        1,
        "app/sums.py",
        "app/__init__.py",
        provides=["app.sums:f(x: int) -> int", "app:f"],
        acceptance_commands=[
            python("from app.sums import f; assert f(2) == 4"),
            python("import app; assert app.f(2) == 5"),
        ],
    )
    assert found(handed) == [("E405", "WO-01")]
    same = [command.replace("== 5", "== 4") for command in handed["acceptance_commands"]]
    assert found({**handed, "acceptance_commands": same}) == []
    # Without a word on where it is from, it may be another.
    assert found({**handed, "provides": ["app.sums:f(x: int) -> int", "app:f(x: int) -> int"]}) == []


class TestRespelt:
    """W405 for a text that is a requirement's but for its blanks."""

    def found(self, code: str, quote: str) -> list[str]:
        document = manifest(
            makes(1, "app/sums.py", acceptance_commands=[python(code)], requirements=["REQ-01"]),
            requirements=[{"id": "REQ-01", "text": "Rules.", "quotes": [quote]}],
        )
        checked = check_document(document, frozenset())
        return [it.message for it in checked.diagnostics if it.code == "W405"]

    def test_blanks_count(self) -> None:
        (message,) = self.found("from app.sums import f; assert f(1) == '|---|'", "The line is `| --- |`.")
        assert message == "the command demands `|---|`, and a requirement has `| --- |`"

    @pytest.mark.parametrize(
        ("code", "quote"),
        [
            ("from app.sums import f; assert f(1) == '| --- |'", "The line is `| --- |`."),
            ("from app.sums import f; assert f('a - b') == 'a-b'", "Of `a - b` it is another."),
            ("from app.sums import f; assert f(1) == '|---|'", "The lines are `| --- |` and |---|."),
            ("from app.sums import f; assert f(1) == 'a b'", "It is `ab`."),
            ("from app.sums import f; assert f('|---|') == 1", "The line is `| --- |`."),
        ],
    )
    def test_what_is_said_or_given_or_short_is_left_alone(self, code: str, quote: str) -> None:
        assert self.found(code, quote) == []


class TestTwoWorkOrders:
    def test_what_nobody_may_change_in_between_is_a_warning(self) -> None:
        first = makes(1, "app/sums.py", acceptance_commands=[FOUR])
        assert found(first, makes(2, "b.py", acceptance_commands=[FIVE])) == [("W405", "WO-02")]
        assert found(first, makes(2, "b.py", acceptance_commands=[FOUR])) == []

    def test_a_work_order_that_writes_the_module_may_change_it(self) -> None:
        first = makes(1, "app/sums.py", acceptance_commands=[FOUR])
        assert found(first, makes(2, "app/sums.py", acceptance_commands=[FIVE])) == []
        later = makes(3, "b.py", acceptance_commands=[FIVE])
        assert found(first, makes(2, "app/sums.py"), later) == []

    def test_but_then_the_tests_of_before_must_follow(self) -> None:
        first = makes(1, "app/sums.py", "tests/test_sums.py", acceptance_commands=[FOUR])
        changes = makes(2, "app/sums.py", acceptance_commands=[FIVE])
        assert found(first, changes) == [("W405", "WO-02")]
        follows = makes(2, "app/sums.py", "tests/test_sums.py", acceptance_commands=[FIVE])
        assert found(first, follows) == []

    def test_the_text_of_a_file_that_nobody_writes_stays(self) -> None:
        first, second = (python(f"assert open('VERSION').read() == '{number}'") for number in (1, 2))
        stays = [
            makes(1, "a.py", acceptance_commands=[first]),
            makes(2, "b.py", acceptance_commands=[second]),
        ]
        assert found(*stays) == [("W405", "WO-02")]
        assert found(stays[0], makes(2, "VERSION", acceptance_commands=[second])) == []


@pytest.mark.parametrize("code", ["-" * 3000 + "1", "+".join(["f(1)"] * 900), "f(" * 90 + ")" * 90])
def test_hostile_code_ends_in_an_answer(code: str) -> None:
    of_two(f"from app.sums import f; assert {code} == 1", f"from app.sums import f; assert {code} == 2")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("from app.sums import f; assert f(1) == {'b': 2}", "from app.sums import f; assert f(1)['b'] == 3"),
        ("from app.sums import f; assert len(f(1)) == 2", "from app.sums import f; assert f(1) == [1, 2, 3]"),
        ("from app.sums import f; assert f(1) == [[1], 2]", "from app.sums import f; assert f(1)[0][0] == 2"),
        (
            "from app.sums import f; assert [f(x) for x in 'ab'] == [1, 2]",
            "from app.sums import f; assert [f(x) for x in 'ab'] == [2, 1]",
        ),
    ],
)
def test_a_whole_and_its_part(first: str, second: str) -> None:
    assert [code for code, _ in of_two(first, second)] == ["E405"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("from app.sums import f; assert f(1) == {'b': 2}", "from app.sums import f; assert f(1)['b'] == 2"),
        ("from app.sums import f; assert f(1) == {'b': 2}", "from app.sums import f; assert f(1)['c'] == 2"),
        ("from app.sums import f; assert f(1) == 2", "from app.sums import f; assert f(1)[0] == 3"),
        ("from app.sums import f; assert len(f(1)) == 3", "from app.sums import f; assert f(1) == [1, 2, 3]"),
    ],
)
def test_a_part_that_the_whole_does_not_contradict(first: str, second: str) -> None:
    assert of_two(first, second) == []

"""What `python -c` commands compare with literals, read from their code alone."""

import pytest

from factory.plans.commands.expectations import MAX_EXPECTATIONS, Expectation, expectations


def test_a_call_and_the_literal_it_is_compared_with() -> None:
    code = "from tally import count; assert count('a A') == {'a': 2}"
    expected = Expectation("from tally import count", "count('a A')", "{'a': 2}")
    assert expectations(f'python -c "{code}"') == (expected,)


def test_the_literal_may_stand_first_and_assertions_may_be_joined() -> None:
    code = "import m; x = m.f(1); assert 3 == m.g(x) and m.h(x) is None, 'no'; assert m.f(2) == -1"
    found = [(item.before, item.expression, item.expected) for item in expectations(f'python -c "{code}"')]
    before = "import m\nx = m.f(1)"
    assert found == [(before, "m.g(x)", "3"), (before, "m.h(x)", "None"), (before, "m.f(2)", "-1")]


@pytest.mark.parametrize(
    "text",
    [
        "python -m pytest -q tests",
        "python -c 'import m; assert m.f(1)'",
        "python -c 'import m; assert m.f(1) == m.g(1)'",
        "python -c 'import m; assert m.f(1) > 2'",
        "python -c 'import m; assert m.VERSION == 2'",
        "python -c 'import m; assert 1 < m.f(1) == 2'",
        "python -c 'assert ('",
        "python -c 'unclosed",
        "",
    ],
)
def test_what_compares_no_call_with_a_literal_has_no_expectation(text: str) -> None:
    assert expectations(text) == ()


def test_no_command_asks_for_more_than_a_person_reads() -> None:
    code = "import m; " + "; ".join(f"assert m.f({n}) == {n}" for n in range(200))
    assert len(expectations(f'python -c "{code}"')) == MAX_EXPECTATIONS

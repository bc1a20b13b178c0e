"""What stands on a terminal while a plan is asked for, as a person reads it."""

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.llm.port import Usage
from factory.llm.spending.budget import Limits
from factory.llm.spending.prices import Price
from factory.plans.diagnostics.diagnostic import Diagnostic, Severity
from factory.system.terminal.console import visible
from planner.report.asking import Asking, render_asking
from tests.support.golden import assert_golden


def finding(code: str, order: str, severity: Severity = Severity.ERROR, pointer: str = "") -> Diagnostic:
    return Diagnostic(code, f"rule-{code[1:]}", severity, order, pointer, "It is wrong.", "Mend it.")


FOUND = (
    finding("W205", "WO-02", Severity.WARNING),
    *(finding("E101", f"WO-{number:02d}") for number in range(1, 12)),
    finding("E101", "WO-01"),
    finding("E204", "WO-03\n\x1b[2J"),
    finding("E012", "", pointer="/requirements/3"),
    finding("E001", ""),
)
BEGUN = Asking("anthropic:claude-opus-4-5", 3, began=100.0)
ASKED = replace(
    BEGUN,
    attempt=2,
    asked=160.0,
    heard=13_700,
    held=Usage(input_tokens=40_000, output_tokens=1_000),
    new=(Usage(input_tokens=20_000, output_tokens=5_000),),
    stored=(Usage(input_tokens=1_000, output_tokens=10),),
    judged=(1, FOUND),
    limits=Limits(usd=Decimal("2.50"), tokens=200_000),
    price=Price(Decimal(5), Decimal(25)),
)


def screen(asking: Asking, lines: int = 20) -> str:
    return "\n".join(render_asking(asking, 232.4, lines)) + "\n"


def test_the_attempt_what_came_and_what_was_found_by_code() -> None:
    assert_golden("asking.txt", screen(ASKED))


def test_before_anything_is_known_nothing_is_pretended() -> None:
    assert screen(BEGUN) == "preparing\n2:12 in all\n"
    asked = replace(BEGUN, attempt=1, asked=230.0)
    assert screen(asked) == "attempt 1 of 3  asking anthropic:claude-opus-4-5  0:02\n2:12 in all\n"


def test_without_a_limit_only_what_this_compile_used_is_told() -> None:
    asking = replace(ASKED, limits=Limits(), asked=None, judged=(1, ()), is_json=False)
    assert screen(asking).splitlines() == [
        "attempt 1: the answer is not JSON",
        "attempt 2 of 3  checking the answer",
        "2:12 in all  26,010 tokens  $0.2302",
    ]


@pytest.mark.parametrize("lines", range(1, 12))
def test_there_are_never_more_lines_than_the_terminal_has(lines: int) -> None:
    shown = render_asking(ASKED, 232.4, lines)

    assert len(shown) <= lines
    assert shown[-1].startswith("2:12")


@given(st.text(max_size=50), st.text(max_size=50))
def test_nothing_that_a_model_wrote_acts_on_the_terminal(order: str, pointer: str) -> None:
    found = (finding("E101", order, pointer=pointer),)
    for line in render_asking(replace(ASKED, judged=(1, found)), 232.4, 20):
        assert visible(line) == line
        assert "\n" not in line

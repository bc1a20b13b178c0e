"""What stands on the terminal while a build goes on, as a person reads it."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from factory.builds.state.machine import OrderPhase
from factory.builds.state.model import BuildState
from factory.builds.state.order import OrderState
from factory.report.board import board
from factory.report.live import render_board
from factory.system.terminal.console import visible
from tests.support.build_states import a_minute, a_state, an_attempt, an_order
from tests.support.golden import assert_golden


def screen(state: BuildState, *, width: int, lines: int, color: bool = False) -> str:
    file = io.StringIO()
    terminal = Console(
        file=file,
        width=width,
        markup=False,
        emoji=False,
        highlight=False,
        force_terminal=color,
        no_color=False,
    )
    terminal.print(render_board(board(state, a_minute(42), a_minute(1), lines), width))
    return file.getvalue()


SOME = a_state(
    an_order(1, OrderPhase.LANDED, attempts=(an_attempt(1),)),
    an_order(
        2, OrderPhase.TESTING, attempts=(an_attempt(1, passed=False), an_attempt(2, cost=None)), second=37
    ),
    an_order(3, OrderPhase.FAILED, attempts=(an_attempt(1, passed=False),), failure="wrong"),
    an_order(4, OrderPhase.BLOCKED),
    an_order(5, OrderPhase.GENERATING, title="A title that is " + "very " * 20 + "long", second=41),
    an_order(6, title="[bold]No[/bold] :smile: \x1b[2J\nmarkup 大"),
)


@pytest.mark.parametrize("width", [100, 60, 40])
def test_a_line_for_each_work_order_and_a_total(width: int) -> None:
    text = screen(SOME, width=width, lines=20)

    assert_golden(f"live_{width}.txt", "".join(f"{line.rstrip()}\n" for line in text.splitlines()))
    assert all(cell_len(line) <= width for line in text.splitlines())


def many() -> BuildState:
    def phase(number: int) -> OrderPhase:
        if number == 100:
            return OrderPhase.FAILED
        if number in (300, 302, 303):
            return OrderPhase.PATCHING
        return OrderPhase.LANDED if number < 300 else OrderPhase.PENDING

    return a_state(*(an_order(number, phase(number), second=number % 60) for number in range(1, 501)))


def test_of_many_work_orders_those_in_progress_are_shown_and_the_rest_is_counted() -> None:
    text = screen(many(), width=80, lines=9)

    assert_golden("live_many.txt", "".join(f"{line.rstrip()}\n" for line in text.splitlines()))
    assert len(text.splitlines()) == 9


@pytest.mark.parametrize("lines", range(1, 12))
@pytest.mark.parametrize("state", [SOME, many()])
def test_there_are_never_more_lines_than_the_terminal_has(state: BuildState, lines: int) -> None:
    text = screen(state, width=80, lines=lines).splitlines()

    assert len(text) <= lines
    assert "landed" in text[-1]


@given(st.text(max_size=200), st.integers(10, 120))
def test_no_title_can_act_on_the_terminal_or_break_a_line(title: str, width: int) -> None:
    state = a_state(an_order(1, title=title))

    text = screen(state, width=width, lines=5)

    assert text == "".join(f"{line}\n" for line in text.split("\n")[:-1])
    assert visible(text) == text
    assert len(text.splitlines()) == 2


def test_the_states_have_colours_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")

    assert "\x1b[31mfailed" in screen(SOME, width=80, lines=20, color=True)


def test_a_clock_that_went_back_shows_no_negative_time() -> None:
    order: OrderState = an_order(1, OrderPhase.TESTING, second=59)

    assert board(a_state(order), a_minute(42), a_minute(1), 5).rows[0].elapsed == "0:00"

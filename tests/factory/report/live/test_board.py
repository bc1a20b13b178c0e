"""What stands on the terminal while a build goes on, as a person reads it."""

import io
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console

from factory.attempt.failure import FailureClass
from factory.builds.state.attempts import Spending
from factory.builds.state.machine import OrderPhase
from factory.builds.state.model import BuildState
from factory.builds.state.order import OrderState
from factory.gates.step import Step, StepKind
from factory.llm.spending.budget import Limits
from factory.report.live.board import Around, Begun, board, time_left
from factory.report.live.view import render_board
from factory.system.terminal.console import visible
from tests.support.build_states import a_minute, a_state, an_attempt, an_order
from tests.support.golden import assert_golden


def screen(
    state: BuildState, *, width: int, lines: int, color: bool = False, around: Around | None = None
) -> str:
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
    terminal.print(render_board(board(state, a_minute(42), a_minute(1), lines, around), width))
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

    assert_golden(f"board_{width}.txt", "".join(f"{line.rstrip()}\n" for line in text.splitlines()))
    assert all(cell_len(line) <= width for line in text.splitlines())


AROUND = Around(
    steps={
        "WO-02": Begun(Step(StepKind.WAITING, "WO-01"), a_minute(40)),
        "WO-05": Begun(Step(StepKind.ASKING, "anthropic:claude-opus-4-5"), a_minute(41)),
        "WO-06": Begun(
            Step(StepKind.PROBE, "python -c '\x1b[2J\nimport 大; [bold]' " + "and so on " * 40, 2, 3),
            a_minute(30),
        ),
    },
    left=250,
    limits=Limits(usd=Decimal("5.00"), tokens=200_000),
    spent=Spending(input_tokens=12_000, output_tokens=345, cost_usd=0.25),
    unpriced=1,
)


@pytest.mark.parametrize("width", [120, 60, 40])
def test_what_is_done_now_stands_below_and_the_total_tells_limits_and_the_time_that_is_left(
    width: int,
) -> None:
    text = screen(SOME, width=width, lines=20, around=AROUND)

    assert_golden(f"board_steps_{width}.txt", "".join(f"{line.rstrip()}\n" for line in text.splitlines()))
    assert all(cell_len(line) <= width for line in text.splitlines())


@pytest.mark.parametrize(("second", "fault"), [(5, FailureClass.PROVIDER), (0, FailureClass.PROVIDER),
                                               (5, FailureClass.MODEL_DEFECT)])  # fmt: skip
def test_a_build_that_only_ends_what_it_has_begun_says_so(second: int, fault: FailureClass) -> None:
    waits = an_order(1, failure="no answer", second=second)
    assert waits.last_failure is not None
    failure = waits.last_failure.model_copy(update={"failure_class": fault})
    state = a_state(waits.model_copy(update={"last_failure": failure}), an_order(2, OrderPhase.TESTING))

    text = screen(state, width=100, lines=20, around=AROUND)

    # What an earlier build could not do is tried again.
    ends = (second, fault) == (5, FailureClass.PROVIDER)
    assert ("ending, WO-01 can't go on" in text) == ends
    assert ("about 5 min left" in text) != ends


def test_what_is_done_for_the_base_has_a_line_before_anything_begins() -> None:
    around = Around(steps={"": Begun(Step(StepKind.CHECK, "verify.sh"), a_minute(40))})

    text = screen(a_state(an_order(1)), width=80, lines=9, around=around)

    assert [line.rstrip() for line in text.splitlines()] == [
        "WO-01  Write a file  pending",
        "the base: verify.sh  0:02",
        "0 of 1 landed  0:41  1 pending",
    ]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "less than 1 min left"),
        (31, "about 1 min left"),
        (61, "about 2 min left"),
        (5_300, "about 89 min left"),
        (5_401, "about 1 h 40 min left"),
        (7_200, "about 2 h left"),
    ],
)
def test_the_time_that_is_left_is_told_as_roughly_as_it_is_known(seconds: float, words: str) -> None:
    assert time_left(seconds) == words


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

    assert_golden("board_many.txt", "".join(f"{line.rstrip()}\n" for line in text.splitlines()))
    assert len(text.splitlines()) == 9


@pytest.mark.parametrize("lines", range(1, 12))
@pytest.mark.parametrize("state", [SOME, many()])
@pytest.mark.parametrize("around", [None, AROUND, Around({**AROUND.steps, "": AROUND.steps["WO-02"]})])
def test_there_are_never_more_lines_than_the_terminal_has(
    state: BuildState, lines: int, around: Around | None
) -> None:
    text = screen(state, width=80, lines=lines, around=around).splitlines()

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

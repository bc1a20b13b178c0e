"""What a terminal gets to see: text, whatever a model, a repository or a command wrote."""

import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.system.terminal.console import Console, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, 1 < 2", "plain text, 1 < 2"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("Größe 大 🙂", "Größe 大 🙂"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("over\rwritten\x08", "over\\rwritten\\x08"),
        ("\x9b31m", "\\x9b31m"),
        ("user\u202egnp.exe", "user\\u202egnp.exe"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("line\u2028separator", "line\\u2028separator"),
        ("half \ud83d of a pair", "half \\ud83d of a pair"),
        ("private \ue000", "private \\ue000"),
        ("nul\0", "nul\\x00"),
    ],
)
def test_what_could_act_on_a_terminal_is_escaped(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(st.text(alphabet=st.characters(), max_size=40))
def test_no_text_can_act_on_a_terminal(text: str) -> None:
    shown = visible(text)

    assert all(
        character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
        for character in shown
    )
    # What is harmless is shown as it is.
    if shown == text:
        assert visible(shown) == shown


def test_results_and_the_rest_go_to_different_streams() -> None:
    out, err = io.StringIO(), io.StringIO()
    console = Console(out, err)

    console.result("a result")
    console.progress("attempt 1")
    console.error("it failed: \x1b[2J")

    assert out.getvalue() == "a result\n"
    assert err.getvalue() == "attempt 1\nerror: it failed: \\x1b[2J\n"


def test_a_terminal_that_lacks_a_character_shows_its_escape() -> None:
    raw = io.BytesIO()
    console = Console(io.TextIOWrapper(raw, encoding="ascii"))

    console.result("Größe")

    assert raw.getvalue() == b"Gr\\xf6\\xdfe\n"


def test_what_is_shown_is_out_before_the_next_step_begins() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="utf-8", write_through=False)

    Console(out=io.StringIO(), err=stream).progress("now")

    assert raw.getvalue() == b"now\n"


class Terminal(io.TextIOWrapper):
    def __init__(self, encoding: str = "utf-8") -> None:
        super().__init__(io.BytesIO(), encoding=encoding)

    def isatty(self) -> bool:
        return True


def test_a_picture_is_drawn_only_on_a_terminal_that_can_show_it() -> None:
    terminal = Terminal()

    assert Console(err=terminal).animated({"TERM": "xterm"}) is terminal
    for term in ("dumb", "unknown", ""):
        assert Console(err=terminal).animated({"TERM": term}) is None
    assert Console(err=terminal).animated({}) is None
    assert Console(err=Terminal("latin-1")).animated({"TERM": "xterm"}) is None
    assert Console(err=io.StringIO()).animated({"TERM": "xterm"}) is None

"""Passages of a text are replaced exactly as they stand there, or not at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.attempt.answers.edits import BadEdit, edited
from factory.contract.answer import Edit

TEXT = "def a():\n    return 1\n\n\ndef b():\n    return 1\n"


def made(text: str, *edits: tuple[str, str]) -> str | BadEdit:
    return edited(text, [Edit(old=old, new=new) for old, new in edits])


def test_all_edits_refer_to_the_text_as_it_was() -> None:
    assert made(TEXT, ("def b():", "def a():"), ("def a():\n    return 1", "def b():\n    return 2")) == (
        "def b():\n    return 2\n\n\ndef a():\n    return 1\n"
    )
    assert made("ab", ("a", "b"), ("b", "a")) == "ba"
    assert made("ab", ("a", "")) == "b"
    assert made("{{A}} \\1", ("A", "\\g<0>{{B}}")) == "{{\\g<0>{{B}}}} \\1"


@pytest.mark.parametrize(
    ("edits", "number", "message", "hint"),
    [
        ([("def c", "x")], 0, "does not stand in the file", "letter for letter"),
        ([("def a", "x"), ("  return 2", "x")], 1, "does not stand in the file", "letter for letter"),
        ([("def a():\n  return 1", "x")], 0, "does not stand in the file", "other white space"),
        ([("    return 1", "x")], 0, "stands in the file more than once", "more of the lines"),
        ([("def b():\n", "x"), ("\ndef b", "y")], 1, "overlaps with that of edit 0", "one edit of both"),
        ([("def b", "x"), ("def b", "y")], 1, "overlaps with that of edit 0", "one edit of both"),
    ],
)
def test_what_cannot_be_made_is_told(
    edits: list[tuple[str, str]], number: int, message: str, hint: str
) -> None:
    bad = made(TEXT, *edits)

    assert isinstance(bad, BadEdit)
    assert bad.number == number
    assert message in bad.message
    assert hint in bad.hint


def test_a_passage_that_overlaps_itself_is_not_the_only_one() -> None:
    assert isinstance(made("aaa", ("aa", "b")), BadEdit)


def test_line_endings_make_no_difference_where_there_is_one_kind() -> None:
    assert made("a\r\nb\r\nc\r\n", ("a\nb", "x\ny")) == "x\ny\nc\n"
    assert made("a\nb\nc\n", ("a\r\nb", "x\r\ny")) == "x\r\ny\nc\n"
    # Where they are mixed, they are a part of the text.
    assert made("a\r\nb\nc\n", ("a\r\nb", "x\r\ny")) == "x\r\ny\nc\n"
    assert isinstance(made("a\r\nb\nc\n", ("a\nb", "x")), BadEdit)


@given(
    st.lists(st.tuples(st.text("ab\n", max_size=5), st.text("xyz\n", max_size=5)), min_size=1, max_size=20)
)
def test_what_is_not_edited_stays(lines: list[tuple[str, str]]) -> None:
    # Given a text in which each passage carries a number
    text = "".join(f"<{number}>{kept}" for number, (kept, _) in enumerate(lines))
    edits = [(f"<{number}>", new) for number, (_, new) in enumerate(lines)]

    assert made(text, *reversed(edits)) == "".join(new + kept for kept, new in lines)

"""What of an old file stays, though a model can't see it; that answers are read is tested with SE."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.attempt.failure import Failure
from factory.attempt.parse import fitted, parse_answer
from tests.support.answers import a_proposal
from tests.support.scripted_model import answer

BOM = "\ufeff"


@pytest.mark.parametrize(
    ("content", "old", "written"),
    [
        ("a\nb\n", None, "a\nb\n"),
        ("a\r\n", None, "a\r\n"),
        ("a\r\n", b"", "a\r\n"),
        ("a\nb\n", b"x\r\ny\r\n", "a\r\nb\r\n"),
        ("a\r\nb\n", b"x\r\ny\r\n", "a\r\nb\r\n"),
        ("a\r\nb\r\n", b"x\ny\n", "a\nb\n"),
        ("a\nb\r\n", b"x\ny\r\n", "a\nb\r\n"),
        ("a\nb\n", b"no line end", "a\nb\n"),
        ("a\rb\n", b"x\n", "a\rb\n"),
        ("a\n", BOM.encode() + b"x\n", BOM + "a\n"),
        (BOM + "a\n", BOM.encode() + b"x\r\n", BOM + "a\r\n"),
        (BOM + "a\n", b"x\n", BOM + "a\n"),
    ],
)
def test_line_endings_and_a_byte_order_mark_are_kept(content: str, old: bytes | None, written: str) -> None:
    assert fitted(content, old) == written


LINES = st.lists(st.sampled_from(["a", "\n", "\r\n", BOM])).map("".join)


@given(LINES, LINES)
def test_fitting_twice_is_fitting_once(content: str, old: str) -> None:
    once = fitted(content, old.encode())

    assert fitted(once, old.encode()) == once
    assert once.replace("\r\n", "\n").lstrip(BOM) == content.replace("\r\n", "\n").lstrip(BOM)


@given(st.text(max_size=200))
def test_any_answer_is_a_proposal_or_a_failure_with_a_reason(text: str) -> None:
    parsed = parse_answer(answer(text), {})

    assert isinstance(parsed, Failure)
    assert parsed.message
    parsed.model_dump_json()


@given(st.integers(min_value=0, max_value=len(a_proposal()) - 1))
def test_no_part_of_a_proposal_is_a_proposal(length: int) -> None:
    assert isinstance(parse_answer(answer(a_proposal()[:length]), {}), Failure)

"""Strict reading: everything that is JSON and nothing else."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.contract.strict_json import BadJson, read_json

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(), inner, max_size=5),
)


@given(values, st.booleans(), st.sampled_from([None, 1]))
def test_valid_documents_are_read_as_the_standard_library_reads_them(
    value: Any, ascii_only: bool, indent: int | None
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert read_json(text, "x") == json.loads(text) == value
    assert read_json(text.encode("utf-8"), "x") == value


@given(st.text(st.characters(exclude_categories=[]) | st.sampled_from('[]{},:"\\ntfu0123456789.eE+- NaN')))
def test_any_text_is_read_or_refused_and_never_more_leniently(text: str) -> None:
    try:
        value = read_json(text, "x")
    except BadJson:
        return
    assert json.loads(text.removeprefix("\ufeff")) == value
    json.dumps(value, ensure_ascii=False, allow_nan=False).encode("utf-8")


@given(st.binary())
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    try:
        value = read_json(data, "x")
    except BadJson:
        return
    assert json.loads(data.decode("utf-8-sig")) == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "x:1:1: not valid JSON: expecting value"),
        ('{"a": 1,}', "not valid JSON"),
        ("[1] 2", "x:1:5: not valid JSON: extra data"),
        ('{"a": 1, "b": {"c": 1, "c": 2}}', 'x:1:24 /b/c: the key "c" stands twice in one object'),
        ('{"a": 1,\n "a": 2}', 'x:2:2 /a: the key "a" stands twice in one object'),
        ('{"\\u0061": 1, "a": 2}', "stands twice"),
        ('[{"a/b~": NaN}]', "x:1:11 /0/a~1b~0: NaN is not a JSON number"),
        ("[1, Infinity]", "x:1:5 /1: Infinity is not a JSON number"),
        ("[-Infinity]", "-Infinity is not a JSON number"),
        ("[1e999]", "a number is too large"),
        ("[" + "1" * 1001 + "]", "a number is too large"),
        ('{"a": "\\ud800"}', "x:1:7 /a: a string holds half of a surrogate pair"),
        ('{"\\ud800": 1}', "half of a surrogate pair"),
        ('["\ud800"]', "half of a surrogate pair"),
        ("[" * 101 + "]" * 101, "nested deeper than 100 levels"),
        ("[" * 100_000, "nested deeper than 100 levels"),
    ],
    ids=lambda text: ascii(text[:30]),
)
def test_what_is_not_strict_is_refused_with_its_place(text: str, message: str) -> None:
    with pytest.raises(BadJson) as raised:
        read_json(text, "x")
    assert message in str(raised.value)


def test_whole_surrogate_pairs_are_characters() -> None:
    assert read_json('"\\ud83d\\ude00"', "x") == "\U0001f600"


def test_brackets_in_texts_are_no_depth() -> None:
    text = json.dumps(["[" * 500, "{" * 500])
    assert read_json(text, "x") == json.loads(text)


def test_the_deepest_and_the_largest_document_are_accepted() -> None:
    assert read_json("[" * 100 + "]" * 100, "x") == json.loads("[" * 100 + "]" * 100)
    assert read_json(" " * 8 + "17", "x", max_bytes=10) == 17


def test_a_document_that_is_too_large_is_refused_unread() -> None:
    with pytest.raises(BadJson, match="has 11 bytes; the limit is 10"):
        read_json("é" * 5 + "x", "x", max_bytes=10)


def test_bytes_that_are_not_utf_8_are_refused() -> None:
    with pytest.raises(BadJson, match="byte 1 is not UTF-8"):
        read_json(b'"\xff"', "x")

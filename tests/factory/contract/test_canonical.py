"""One byte form for a document."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.contract.canonical import EMPTY_SHA256, canonical_json, readable_json, sha256_hex

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@given(values)
def test_the_canonical_form_reads_back_and_knows_no_order_of_keys(value: Any) -> None:
    data = canonical_json(value)
    assert json.loads(data) == value
    assert canonical_json(_reversed(value)) == data
    assert json.loads(readable_json(value)) == value


def _reversed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _reversed(value[key]) for key in reversed(value)}
    return [_reversed(inner) for inner in value] if isinstance(value, list) else value


def test_the_canonical_form_is_utf_8_without_spaces() -> None:
    assert canonical_json({"b": [1, "ü"], "a": None}) == '{"a":null,"b":[1,"ü"]}'.encode()
    assert sha256_hex(b"") == EMPTY_SHA256
    assert EMPTY_SHA256 == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_a_number_that_is_none_has_no_canonical_form() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_json(float("nan"))

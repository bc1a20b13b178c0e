"""Where the JSON stands in a model's reply."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.contract.reply import json_text

DOCUMENT = '{"a": "```json\\n{}\\n```"}'


@pytest.mark.parametrize(
    "reply",
    [
        "{}",
        "\n  {}  \n",
        "\ufeff{}",
        "```json\n{}\n```",
        "```\n{}\n```",
        "```JSON\r\n{}\r\n```\r\n",
        "````json\n{}\n````",
        "Here you are:\n\n```json\n{}\n```\n\nShall I go on?",
        "  ```json\n  {}\n  ```",
        "Run `make`:\n```bash\nmake\n```\nThe plan:\n```json\n{}\n```",
        "```json\n{}\n```\nRun:\n```bash\nmake\n```",
        "```json\n{}",
        "```json\n{}```",
    ],
)
def test_the_document_is_found(reply: str) -> None:
    assert json_text(reply.replace("{}", DOCUMENT, 1)) == DOCUMENT


def test_a_reply_that_begins_like_json_is_taken_as_it_is() -> None:
    assert json_text('{"a": 1}\n```json\n{"b": 2}\n```') == '{"a": 1}\n```json\n{"b": 2}\n```'
    assert json_text('[1, "```"]') == '[1, "```"]'


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "I can't do that.",
        "```python\nprint()\n```",
        "Here: {}",
        "One:\n```json\n{}\n```\nor another:\n```json\n[]\n```",
    ],
)
def test_a_reply_without_exactly_one_document_is_returned_whole(reply: str) -> None:
    assert json_text(reply) == reply


def test_a_document_that_is_cut_off_is_not_repaired() -> None:
    assert json_text('```json\n{"a": [1, 2') == '{"a": [1, 2'


values = st.recursive(
    st.none() | st.integers() | st.text(st.characters() | st.sampled_from("`\n{}[]"), max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)


@given(st.dictionaries(st.text(), values) | st.lists(values), st.sampled_from([None, 2]), st.booleans())
def test_every_document_is_found_in_a_fence_with_prose(
    value: object, indent: int | None, ascii_only: bool
) -> None:
    document = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert json_text(f"Sure:\n```json\n{document}\n```\nDone.") == document


@given(st.text(st.characters() | st.sampled_from("`\n{}[]")))
def test_what_is_found_is_part_of_the_reply(reply: str) -> None:
    assert json_text(reply) in reply

"""JSON of weak models: what is put right, and what stays wrong."""

import json
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.attempt.answers.parse import parse_answer
from factory.attempt.answers.versions import Versions
from factory.attempt.failure import Failure
from factory.attempt.reply.mended import mended
from factory.contract.proposal import WriteProposal
from tests.support.scripted_model import answer

NOTHING: Final = Versions({}, {})
HEAD = '{"summary": "s", "writes": [{"path": "a.py", "base_sha256": "%s", "content": "' % ("0" * 64)
END = '"}]}'


def content_of(text: str) -> str | None:
    read = parse_answer(answer(text), NOTHING)
    return read.writes[0].content if isinstance(read, WriteProposal) else None


@pytest.mark.parametrize(
    ("written", "content"),
    [
        ("a\nb\n", "a\nb\n"),
        ("\tif x:\r\n", "\tif x:\r\n"),
        (r"re.match('\d+\s\w', x)", r"re.match('\d+\s\w', x)"),
        (r"it\'s", "it's"),
        (r"\x41 \u12 \u00e9 \$ \\d", r"\x41 \u12 é \$ \d"),
        ("\x0c", "\x0c"),
        ("x" * 150_000, "x" * 150_000),
    ],
)
def test_strings_are_read_as_they_were_meant(written: str, content: str) -> None:
    assert content_of(HEAD + written + END) == content


@pytest.mark.parametrize(
    "around",
    [
        "Sure! Here it is: %s",
        "%s\n\nI hope that {this} helps.",
        "<think>\nI could answer {} or so.\n</think>\n\n%s",
        "Here:\n\n%s\n\nAn example of its use:\n```python\nx = {'a': 1}\n```\n",
        "```json\n%s\n```\nand then\n```json\n{}\n```",
    ],
)
def test_prose_around_it_is_passed_over(around: str) -> None:
    assert content_of(around.replace("%s", HEAD + "a = {'b': '\\\\n'}" + END)) == "a = {'b': '\\n'}"


def test_commas_before_an_end_are_dropped() -> None:
    assert content_of((HEAD + "a, ]" + END).replace('"}]}', '", }, ], }')) == "a, ]"


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "cut off",
        HEAD + "cut off" + '"',
        HEAD + "a" + '"}]',
        HEAD + "one" + END + "\nor\n" + HEAD + "other" + END,
        "I can't do that {really}.",
        '{"summary": "s"',
        "{" * 100_000,
    ],
)
def test_what_is_cut_off_or_said_twice_stays_invalid(text: str) -> None:
    assert isinstance(parse_answer(answer(text), NOTHING), Failure)


@given(st.dictionaries(st.text(), st.recursive(st.none() | st.text(), st.lists, max_leaves=5)))
def test_what_is_json_already_keeps_its_meaning(value: dict[str, object]) -> None:
    document = {"writes": value}
    text = mended(json.dumps(document), "writes")

    assert text is not None
    assert json.loads(text) == document

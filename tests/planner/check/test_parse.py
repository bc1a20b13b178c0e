"""What is read from a model's reply, and how a reply that is not JSON is told."""

import json

import pytest

from planner.check.parse import parse_reply
from tests.support.plans import manifest, order


@pytest.mark.parametrize(
    "frame",
    ["{}", "  {}\n", "```json\n{}\n```", "Here is the plan:\n\n```\n{}\n```\nDone.", "\ufeff{}"],
)
def test_a_document_is_found_in_its_frame(frame: str) -> None:
    document = manifest(order(notes="Write\n```\ncode\n```\nin the README."))
    parsed = parse_reply(frame.replace("{}", json.dumps(document, indent=2)))
    assert parsed.document == document
    assert parsed.diagnostics == ()
    assert parsed.is_json


@pytest.mark.parametrize(
    ("reply", "is_json", "message"),
    [
        ("", False, "the answer is empty"),
        ("  \n ", False, "the answer is empty"),
        ("Sure! Here is…", False, "the answer is not JSON; it begins with `Sure! Here is…`"),
        ("\x1b[2Jno", False, "the answer is not JSON; it begins with `\\x1b[2Jno`"),
        ('{"work_orders": [', False, "the document seems to be cut off"),
        ('{"work_orders": ["abc', False, "the document seems to be cut off"),
        ('```json\n{"work_orders": [', False, "the document seems to be cut off"),
        ('{"a": 1} and so on', False, "answer:1:10: not valid JSON: extra data"),
        ('{"a": 1, "a": 2}', True, 'answer:1:10 /a: the key "a" stands twice in one object'),
        ('{"a": [NaN]}', True, "answer:1:8 /a/0: NaN is not a JSON number"),
        ('{"a": -Infinity}', True, "-Infinity is not a JSON number"),
        ('{"a": 1e999}', True, "a number is too large"),
        ('["\\ud800"]', True, "half of a surrogate pair"),
        ("[" * 101 + "]" * 101, True, "nested deeper than 100 levels"),
        ("[" + " " * 10_000_000 + "]", True, "the limit is 10,000,000"),
    ],
    ids=lambda value: value[:24] if isinstance(value, str) else str(value),
)
def test_a_reply_that_is_refused_says_why(reply: str, is_json: bool, message: str) -> None:
    parsed = parse_reply(reply)
    (diagnostic,) = parsed.diagnostics
    assert parsed.document is None
    assert parsed.is_json is is_json
    assert diagnostic.code == "E000"
    assert message in diagnostic.message
    assert diagnostic.hint


def test_computed_fields_are_dropped_and_nothing_else() -> None:
    document = {
        "work_orders": [
            {"id": "WO-01", "verify_exempt": 1, "depends_on": 2, "provenance": 3},
            4,
            {"id": "WO-02", "fixed_files": [{"path": "a", "text": "b"}]},
        ],
        "x": 5,
    }
    parsed = parse_reply(json.dumps(document))
    assert parsed.document == {"work_orders": [{"id": "WO-01"}, 4, {"id": "WO-02"}], "x": 5}

"""What headless agents print at their end."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factory.llm.agents.reported import read_report
from factory.llm.port import Usage


def test_one_object_on_the_last_line() -> None:
    result = {
        "type": "result",
        "is_error": False,
        "result": "Done.",
        "total_cost_usd": 0.125,
        "usage": {
            "input_tokens": 4,
            "cache_creation_input_tokens": 10,
            "cache_read_input_tokens": 30,
            "output_tokens": 7,
        },
    }
    report = read_report("working…\n" + json.dumps(result) + "\n")

    assert report.words == "Done."
    assert report.usage == Usage(input_tokens=44, cached_tokens=30, output_tokens=7, cost_usd=0.125)
    assert not report.failed


def test_a_line_for_each_event() -> None:
    events = [
        {"type": "item.completed", "item": {"type": "agent_message", "text": "Written."}},
        {
            "type": "turn.completed",
            "usage": {"input_tokens": 50, "cached_input_tokens": 20, "output_tokens": 5},
        },
    ]
    report = read_report("\n".join(map(json.dumps, events)))

    assert report.words == "Written."
    assert report.usage == Usage(input_tokens=50, cached_tokens=20, output_tokens=5)


def test_statistics_by_model_on_several_lines() -> None:
    tokens = {"prompt": 40, "candidates": 6, "thoughts": 3, "cached": 8, "tool": 1}
    document = {"response": "Fine.", "stats": {"models": {"a": {"tokens": tokens}, "b": {"tokens": tokens}}}}
    report = read_report("warming up\n" + json.dumps(document, indent=2))

    assert report.words == "Fine."
    assert report.usage == Usage(input_tokens=82, cached_tokens=16, output_tokens=18, reasoning_tokens=6)


def test_an_agent_may_say_that_it_failed() -> None:
    assert read_report('{"is_error": true, "result": "no credit"}').failed


@pytest.mark.parametrize(
    "printed", ["", "I wrote it.", "{", '{"a": 1', "[" * 100_000, '{"usage": 3}', '{"usage": {}}']
)
def test_what_is_no_report_tells_nothing_of_tokens(printed: str) -> None:
    assert read_report(printed).usage is None


def test_numbers_that_are_none_are_not_believed() -> None:
    report = read_report('{"usage": {"input_tokens": -5, "output_tokens": true}, "total_cost_usd": -1}')

    assert report.usage == Usage(input_tokens=0, output_tokens=0)
    assert read_report('{"usage": {"input_tokens": 1}, "total_cost_usd": NaN}').usage == Usage(
        input_tokens=1, output_tokens=0
    )


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.dictionaries(
            st.sampled_from(
                ["usage", "stats", "models", "tokens", "input_tokens", "result", "item", "prompt"]
            ),
            inner,
        ),
    )
)
def test_no_report_is_a_crash(value: object) -> None:
    read_report(json.dumps(value))

"""A recording answers what it holds, and says what differs when it does not."""

from pathlib import Path

import pytest

from factory.contract.errors import WorkorderError
from factory.contract.strict_json import JsonObject
from factory.llm.adapters.difference import differences
from factory.llm.adapters.replay import NotRecorded, ReplayModel
from factory.llm.ledger.file import DamagedLedger
from factory.llm.ledger.store import Ledger
from factory.llm.port import Message, ProviderError, Request, worst_case
from tests.support.golden import assert_golden
from tests.support.requests import ANSWER_SCHEMA, a_request
from tests.support.scripted_model import ScriptedModel


def record(directory: Path, *requests: Request, adapter: str = "command", name: str = "model") -> None:
    model = ScriptedModel([f"answer {n}" for n in range(len(requests))], adapter=adapter, name=name)
    for request in requests:
        Ledger(directory).wrap(model).complete(request)


def test_a_recording_answers_and_goes_by_the_recorded_name(tmp_path: Path) -> None:
    record(tmp_path, a_request(), a_request(attempt=2))

    model = ReplayModel(tmp_path)

    assert (model.adapter, model.name) == ("command", "model")
    recorded = model.ask(a_request(attempt=2))
    assert recorded.answer.text == "answer 1"
    assert recorded.from_ledger
    assert model.complete(a_request()).text == "answer 0"


def test_a_recording_of_several_models_answers_for_each(tmp_path: Path) -> None:
    record(tmp_path, a_request("one"), adapter="openai_responses", name="gpt-a")
    record(tmp_path, a_request("two"), adapter="openai_chat", name="gpt-b")

    model = ReplayModel(tmp_path)

    assert (model.adapter, model.name) == ("openai_chat+openai_responses", "gpt-a+gpt-b")
    assert model.complete(a_request("one")).text == "answer 0"
    assert model.complete(a_request("two")).text == "answer 0"


def test_a_recording_is_only_read(tmp_path: Path) -> None:
    record(tmp_path, a_request())
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    tmp_path.chmod(0o555)
    try:
        ReplayModel(tmp_path).complete(a_request())
        with pytest.raises(NotRecorded):
            ReplayModel(tmp_path).complete(a_request("else"))
    finally:
        tmp_path.chmod(0o755)

    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_what_is_not_recorded_is_told_with_the_first_line_that_differs(tmp_path: Path) -> None:
    record(
        tmp_path,
        a_request("Build a clock.\nIt ticks.\n"),
        a_request("Build a clock.\nIt ticks.\n", attempt=2),
        a_request("Something else.\n"),
    )

    with pytest.raises(NotRecorded) as caught:
        ReplayModel(tmp_path).complete(a_request("Build a clock.\nIt strikes.\n", temperature=0))

    assert isinstance(caught.value, ProviderError)
    assert_golden("not_recorded.txt", str(caught.value).replace(str(tmp_path), "DIR"))


@pytest.mark.parametrize("damaged", ["absent", "empty", "file", "pending"])
def test_a_directory_without_a_recording_is_refused(tmp_path: Path, damaged: str) -> None:
    directory = tmp_path / "recording"
    if damaged == "file":
        directory.write_text("x")
    elif damaged != "absent":
        directory.mkdir()
    if damaged == "pending":
        Ledger(directory).reserve("0" * 64, worst_case(a_request()))

    with pytest.raises(WorkorderError) as caught:
        ReplayModel(directory)

    assert caught.value.where == f"replay:{directory}"
    assert caught.value.hint


def test_a_damaged_recording_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    record(tmp_path, a_request())
    path = next(tmp_path.iterdir())
    path.write_bytes(path.read_bytes()[:-10])

    with pytest.raises(DamagedLedger):
        ReplayModel(tmp_path)


def varied(**update: object) -> Request:
    return a_request().model_copy(update=update)


SYSTEM, USER = a_request().messages
LONG = "x" * 200


@pytest.mark.parametrize(
    ("asked", "line"),
    [
        (varied(purpose="revise"), 'purpose: recorded "plan", now "revise"'),
        (varied(attempt=3), "attempt: recorded 1, now 3"),
        (a_request(reasoning_effort="low"), 'parameter reasoning_effort: recorded null, now "low"'),
        (varied(schema_name="other"), 'schema_name: recorded "plan", now "other"'),
        (
            varied(answer_schema=None),
            'answer schema, /: recorded {"additionalProperties": false, ',
        ),
        (varied(answer_schema={**ANSWER_SCHEMA, "title": "x"}), "answer schema, /title: new"),
        (
            varied(answer_schema={**ANSWER_SCHEMA, "properties": {"summary": {"type": "null"}}}),
            'answer schema, /properties/summary/type: recorded "string", now "null"',
        ),
        (varied(messages=(SYSTEM,)), "number of messages: recorded 2, now 1"),
        (varied(messages=(USER, SYSTEM)), "message 1: the role was system, now user"),
        (
            varied(messages=(SYSTEM, Message(role="user", content="Write a plan.\n"))),
            'message 2 (user), line 2: recorded "Keep it short.", now ""',
        ),
        (
            varied(messages=(SYSTEM, Message(role="user", content="Write a plan."))),
            'message 2 (user), line 2: recorded "Keep it short.", now the text ends before it',
        ),
        (
            varied(messages=(SYSTEM, Message(role="user", content=USER.content + "More."))),
            'message 2 (user), line 3: recorded "", now "More."',
        ),
        (
            varied(messages=(Message(role="system", content=LONG + "y" + LONG), USER)),
            f'message 1 (system), line 1: recorded "You are careful.", now "{"x" * 60}…"',
        ),
    ],
)
def test_each_difference_is_one_short_line(asked: Request, line: str) -> None:
    lines = list(differences(a_request(), asked))

    assert any(text.startswith(line) for text in lines), lines
    assert all(len(text) < 240 and "\n" not in text for text in lines)


def test_equal_requests_do_not_differ() -> None:
    schema: JsonObject = {"enum": ["a", {"b": [1]}]}
    assert list(differences(a_request(schema=schema), a_request(schema=schema))) == []


def test_a_difference_deep_in_a_long_line_is_shown_around_its_place() -> None:
    (line,) = differences(a_request(LONG + "a" + LONG), a_request(LONG + "b" + LONG))

    assert f"{'x' * 20}a{'x' * 39}…" in line
    assert f"{'x' * 20}b{'x' * 39}…" in line

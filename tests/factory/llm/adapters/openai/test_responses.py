"""The background adapter and the real SDK: creating once, waiting on, and every way a response ends."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from factory.contract.strict_json import JsonObject, JsonValue
from factory.llm.adapters.endpoint import Endpoint
from factory.llm.adapters.openai.responses import OpenAiResponses
from factory.llm.ledger.store import Ledger, call_key
from factory.llm.port import Answer, FinishReason, ProviderError, Usage
from tests.support.openai_stand_in import (
    Fault,
    OpenAiStandIn,
    ended_response,
    error_body,
    message_item,
)
from tests.support.requests import ANSWER_SCHEMA, a_request

KEY = call_key("openai_responses", "gpt-test", a_request())


class FakeClock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    def now(self) -> str:
        return "2026-01-01T00:00:00.000Z"

    def monotonic(self) -> float:
        return sum(self.slept)


def adapter(
    server: OpenAiStandIn,
    ledger: Ledger,
    clock: FakeClock | None = None,
    *,
    sleep: Callable[[float], None] | None = None,
    deadline_seconds: float = 1_000,
) -> OpenAiResponses:
    clock = clock or FakeClock()
    return OpenAiResponses(
        "gpt-test",
        Endpoint.from_environment(server.environment()),
        ledger.pending,
        sleep=sleep or clock.slept.append,
        clock=clock,
        deadline_seconds=deadline_seconds,
        max_retries=0,
    )


def ask(server: OpenAiStandIn, directory: Path) -> Answer:
    ledger = Ledger(directory)
    return ledger.wrap(adapter(server, ledger)).complete(a_request())


def test_the_request_runs_in_the_background_with_the_schema_and_the_limits(tmp_path: Path) -> None:
    with OpenAiStandIn(ended_response('{"summary": "é"}')) as server:
        model = adapter(server, Ledger(tmp_path))
        answer = model.complete(a_request(reasoning_effort="medium", temperature=0))

    assert answer.text == '{"summary": "é"}'
    assert answer.finish_reason is FinishReason.STOP
    assert answer.usage == Usage(input_tokens=50, cached_tokens=20, output_tokens=30, reasoning_tokens=10)
    assert (answer.model, answer.request_id) == ("gpt-test-2026-01-01", "resp_1")
    assert [(seen.method, seen.path) for seen in server.seen] == [
        ("POST", "/v1/responses"),
        ("GET", "/v1/responses/resp_1"),
        ("GET", "/v1/responses/resp_1"),
    ]
    assert server.seen[0].body == {
        "model": "gpt-test",
        "instructions": "You are careful.",
        "input": [{"role": "user", "content": "Write a plan.\nKeep it short.\n"}],
        "background": True,
        "store": True,
        "max_output_tokens": 1_000,
        "text": {"format": {"type": "json_schema", "name": "plan", "strict": True, "schema": ANSWER_SCHEMA}},
        "temperature": 0.0,
        "reasoning": {"effort": "medium"},
    }


def test_polling_slows_down_to_a_limit(tmp_path: Path) -> None:
    clock = FakeClock()
    with OpenAiStandIn(ended_response("ok"), polls=9) as server:
        adapter(server, Ledger(tmp_path), clock).complete(a_request())

    assert clock.slept[:3] == [1.0, 1.5, 2.25]
    assert clock.slept == sorted(clock.slept)
    assert max(clock.slept) == 15.0
    assert len(clock.slept) == 9


class Killed(BaseException):
    """Stands for the end of the process."""


def test_a_restart_waits_on_for_the_same_response_and_pays_once(tmp_path: Path) -> None:
    def kill(seconds: float) -> None:
        raise Killed

    with OpenAiStandIn(ended_response("ok")) as server:
        ledger = Ledger(tmp_path)
        with pytest.raises(Killed):
            ledger.wrap(adapter(server, ledger, sleep=kill)).complete(a_request())
        assert Ledger(tmp_path).pending.get(KEY) == "resp_1"

        answer = ask(server, tmp_path)

    assert answer.text == "ok"
    assert server.count("POST") == 1
    assert [path.name for path in tmp_path.iterdir()] == [f"{KEY}.json"]


ASKING = """
import json, sys
from pathlib import Path
from factory.llm.ledger.store import Ledger
from factory.llm.port import Request
from factory.llm.adapters.select import select_model

name, request, ledger, environment = sys.argv[1:]
model = select_model(name, stage="planner", ledger=Ledger(Path(ledger)), environment=json.loads(environment))
model.complete(Request.model_validate_json(request))
"""


def test_a_killed_process_is_followed_by_one_that_pays_nothing(tmp_path: Path) -> None:
    with OpenAiStandIn(ended_response("ok"), polls=10_000) as server:
        arguments = [
            "gpt-test",
            a_request().model_dump_json(),
            str(tmp_path),
            json.dumps(server.environment()),
        ]
        asking = subprocess.Popen([sys.executable, "-c", ASKING, *arguments])
        try:
            while Ledger(tmp_path).pending.get(KEY) is None:
                assert asking.poll() is None
                time.sleep(0.02)
        finally:
            asking.kill()
            asking.wait()
        server.polls = 1

        assert ask(server, tmp_path).text == "ok"

    assert server.count("POST") == 1


def test_the_id_is_on_the_disk_before_the_first_poll(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    at_sleep: list[str | None] = []
    with OpenAiStandIn(ended_response("ok"), polls=1) as server:
        adapter(server, ledger, sleep=lambda _: at_sleep.append(ledger.pending.get(KEY))).complete(
            a_request()
        )

    assert at_sleep == ["resp_1"]


def test_a_poll_that_fails_for_good_is_waited_on_for_by_the_next_run(tmp_path: Path) -> None:
    with OpenAiStandIn(ended_response("ok")) as server:
        server.faults.extend([None, Fault(503, b"")])
        with pytest.raises(ProviderError, match="the server failed"):
            ask(server, tmp_path)
        assert ask(server, tmp_path).text == "ok"

    assert server.count("POST") == 1


def test_a_response_that_the_server_forgot_is_asked_anew(tmp_path: Path) -> None:
    Ledger(tmp_path).pending.put(KEY, "resp_gone")
    with OpenAiStandIn(ended_response("ok")) as server:
        assert ask(server, tmp_path).text == "ok"

    assert server.seen[0].path == "/v1/responses/resp_gone"
    assert server.count("POST") == 1


def test_a_response_that_vanishes_while_it_runs_is_an_error_and_the_next_run_asks_anew(
    tmp_path: Path,
) -> None:
    with OpenAiStandIn(ended_response("ok")) as server:
        server.faults.extend([None, Fault(404, error_body("not found"))])
        with pytest.raises(ProviderError, match="no longer has the response resp_1"):
            ask(server, tmp_path)
        assert ask(server, tmp_path).request_id == "resp_2"


def test_waiting_ends_at_the_deadline_and_the_next_run_waits_on(tmp_path: Path) -> None:
    with OpenAiStandIn(ended_response("ok"), polls=10_000) as server:
        ledger = Ledger(tmp_path)
        model = adapter(server, ledger, deadline_seconds=60)
        with pytest.raises(ProviderError) as caught:
            ledger.wrap(model).complete(a_request())
        server.polls = 1
        assert ask(server, tmp_path).text == "ok"

    assert "the response resp_1 did not end within 60 seconds" in caught.value.message
    assert server.count("POST") == 1


@pytest.mark.parametrize(
    ("reason", "expected"),
    [("max_output_tokens", FinishReason.LENGTH), ("content_filter", FinishReason.CONTENT_FILTER)],
)
def test_an_incomplete_answer_keeps_its_text_and_its_usage(
    tmp_path: Path, reason: str, expected: FinishReason
) -> None:
    reply = ended_response('{"su', status="incomplete", incomplete_details={"reason": reason})
    with OpenAiStandIn(reply) as server:
        answer = ask(server, tmp_path)

    assert (answer.finish_reason, answer.text) == (expected, '{"su')
    assert answer.usage.output_tokens == 30


def test_an_answer_cut_before_its_first_word(tmp_path: Path) -> None:
    details: JsonValue = {"reason": "max_output_tokens"}
    with OpenAiStandIn(ended_response(status="incomplete", output=[], incomplete_details=details)) as server:
        answer = ask(server, tmp_path)

    assert (answer.finish_reason, answer.text) == (FinishReason.LENGTH, "")


def test_a_refusal_is_an_answer_with_its_reason(tmp_path: Path) -> None:
    item: JsonObject = {**message_item(""), "content": [{"type": "refusal", "refusal": "I can't."}]}
    with OpenAiStandIn(ended_response(output=[item])) as server:
        answer = ask(server, tmp_path)

    assert (answer.finish_reason, answer.text) == (FinishReason.REFUSAL, "I can't.")


def test_comments_and_reasoning_are_not_part_of_the_answer(tmp_path: Path) -> None:
    output: list[JsonValue] = [
        {"type": "reasoning", "id": "rs_1", "summary": []},
        message_item("Let me see. ", phase="commentary"),
        message_item("the ", phase="final_answer"),
        message_item("answer"),
    ]
    with OpenAiStandIn(ended_response(output=output)) as server:
        assert ask(server, tmp_path).text == "the answer"


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (
            ended_response(
                status="failed", output=[], error={"code": "server_error", "message": "It broke."}
            ),
            "the response resp_1 ended as failed: server_error: It broke",
        ),
        (ended_response(status="cancelled", output=[]), "ended as cancelled: the server gives no reason"),
        (
            ended_response(status="incomplete", incomplete_details={"reason": "max_messages"}),
            "ended as incomplete: max_messages",
        ),
        (ended_response(status="lost"), "ended as lost"),
    ],
)
def test_a_response_that_ended_without_an_answer_is_asked_anew_next_time(
    tmp_path: Path, reply: JsonObject, message: str
) -> None:
    with OpenAiStandIn(reply, ended_response("ok")) as server:
        with pytest.raises(ProviderError) as caught:
            ask(server, tmp_path)
        assert list(tmp_path.iterdir()) == []
        assert ask(server, tmp_path).text == "ok"

    assert message in caught.value.message
    assert server.count("POST") == 2


@pytest.mark.parametrize("how", ["ignores", "refuses"])
def test_a_server_without_background_mode_answers_at_once(tmp_path: Path, how: str) -> None:
    reply = ended_response("ok")
    del reply["status"], reply["usage"]
    with OpenAiStandIn(reply) as server:
        server.knows_background = False
        if how == "refuses":
            server.faults.append(
                Fault(400, error_body("Unknown parameter: 'background'.", param="background"))
            )
        answer = ask(server, tmp_path)

    assert answer.text == "ok"
    assert answer.usage.estimated
    assert server.count("GET") == 0
    assert server.seen[-1].body["store"] is (how == "ignores")


@pytest.mark.parametrize(
    ("param", "key"), [("temperature", "temperature"), ("reasoning.effort", "reasoning"), ("text", "text")]
)
def test_an_option_that_the_model_does_not_know_is_left_out(tmp_path: Path, param: str, key: str) -> None:
    with OpenAiStandIn(ended_response("ok")) as server:
        server.faults.append(Fault(400, error_body("Unsupported", code="unsupported_value", param=param)))
        model = adapter(server, Ledger(tmp_path))
        model.complete(a_request(temperature=0, reasoning_effort="low"))

    first, second = (seen.body for seen in server.seen[:2])
    assert set(first) - set(second) == {key}
    if key == "text":
        assert "JSON Schema" in str(second["instructions"])


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"<html>", "the server's reply can't be read"),
        ({"status": "queued"}, "the server answered `queued` without the response's id"),
        ({"status": 7}, "/status"),
    ],
)
def test_a_reply_that_is_none_is_an_error(tmp_path: Path, body: "JsonValue | bytes", message: str) -> None:
    with OpenAiStandIn(ended_response("ok")) as server:
        server.faults.append(Fault(200, body))
        with pytest.raises(ProviderError) as caught:
            ask(server, tmp_path)

    assert message in caught.value.message
    assert list(tmp_path.iterdir()) == []

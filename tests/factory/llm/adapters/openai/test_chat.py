"""The chat adapter and the real SDK against a stand-in server on loopback."""

import pytest

from factory.contract.strict_json import JsonValue
from factory.llm.adapters.endpoint import Endpoint
from factory.llm.adapters.openai.chat import OpenAiChat
from factory.llm.port import FinishReason, ProviderError, Usage
from tests.support.openai_stand_in import Fault, OpenAiStandIn, chat_completion, error_body
from tests.support.requests import ANSWER_SCHEMA, a_request


def adapter(server: OpenAiStandIn, *, max_retries: int = 0) -> OpenAiChat:
    return OpenAiChat("gpt-test", Endpoint.from_environment(server.environment()), max_retries=max_retries)


def test_the_request_carries_the_schema_and_the_limits_and_the_reply_is_whole() -> None:
    with OpenAiStandIn(chat_completion('{"summary": "é"}')) as server:
        answer = adapter(server).complete(a_request(reasoning_effort="low", temperature=0))

    assert answer.text == '{"summary": "é"}'
    assert answer.finish_reason is FinishReason.STOP
    assert answer.usage == Usage(input_tokens=50, cached_tokens=20, output_tokens=30, reasoning_tokens=10)
    assert (answer.model, answer.request_id) == ("gpt-test-2026-01-01", "req_1")
    (seen,) = server.seen
    assert seen.path == "/v1/chat/completions"
    assert seen.body == {
        "model": "gpt-test",
        "messages": [
            {"role": "system", "content": "You are careful."},
            {"role": "user", "content": "Write a plan.\nKeep it short.\n"},
        ],
        "max_completion_tokens": 1_000,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "plan", "strict": True, "schema": ANSWER_SCHEMA},
        },
        "temperature": 0.0,
        "reasoning_effort": "low",
    }


def test_what_is_not_asked_for_is_not_sent() -> None:
    with OpenAiStandIn(chat_completion("free text")) as server:
        adapter(server).complete(a_request(schema=None))

    assert set(server.seen[0].body) == {"model", "messages", "max_completion_tokens"}


@pytest.mark.parametrize(
    ("finish_reason", "expected"),
    [
        ("length", FinishReason.LENGTH),
        ("content_filter", FinishReason.CONTENT_FILTER),
        (None, FinishReason.STOP),
    ],
)
def test_why_the_model_stopped_is_kept(finish_reason: str | None, expected: FinishReason) -> None:
    with OpenAiStandIn(chat_completion('{"summ', finish_reason=finish_reason)) as server:
        answer = adapter(server).complete(a_request())

    assert (answer.finish_reason, answer.text) == (expected, '{"summ')
    assert answer.usage.output_tokens == 30


def test_a_refusal_is_an_answer_with_its_reason() -> None:
    message: JsonValue = {"role": "assistant", "content": None, "refusal": "I can't help with that."}
    choices: JsonValue = [{"index": 0, "finish_reason": "stop", "message": message}]
    with OpenAiStandIn(chat_completion(choices=choices)) as server:
        answer = adapter(server).complete(a_request())

    assert (answer.finish_reason, answer.text) == (FinishReason.REFUSAL, "I can't help with that.")


@pytest.mark.parametrize("usage", [None, {}, {"prompt_tokens": None, "completion_tokens": 3}])
def test_missing_usage_is_estimated(usage: JsonValue) -> None:
    with OpenAiStandIn(chat_completion("ok", usage=usage)) as server:
        answer = adapter(server).complete(a_request())

    assert answer.usage.estimated
    assert answer.usage.input_tokens > 10
    assert answer.usage.output_tokens == 1


def test_usage_without_details_is_the_servers() -> None:
    usage: JsonValue = {"prompt_tokens": 7, "completion_tokens": 3, "prompt_tokens_details": None}
    with OpenAiStandIn(chat_completion("ok", usage=usage)) as server:
        answer = adapter(server).complete(a_request())

    assert answer.usage == Usage(input_tokens=7, output_tokens=3)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"<html>Log in</html>", "the server's reply can't be read: not valid JSON"),
        (b'{"choices": [{"index"', "the server's reply can't be read: not valid JSON"),
        (b'{"choices": [{"message": {"content": "\\ud800"}}]}', "half of a surrogate pair"),
        ([], "the server's reply is not as the API describes it"),
        ({"choices": "x"}, "/choices"),
        ({"choices": []}, "the server's reply holds no answer"),
        ({"error": {"message": "upstream is down"}}, "holds no answer: upstream is down"),
        (chat_completion("x", finish_reason="tool_calls"), "the model ended its answer with `tool_calls`"),
    ],
)
def test_a_reply_that_is_none_is_an_error(body: "JsonValue | bytes", message: str) -> None:
    with OpenAiStandIn(body) as server, pytest.raises(ProviderError) as caught:
        adapter(server).complete(a_request())

    assert message in caught.value.message
    assert caught.value.where.startswith("gpt-test at 127.0.0.1:")


@pytest.mark.parametrize(
    ("option", "body"),
    [
        ("temperature", error_body("Unsupported value", code="unsupported_value", param="temperature")),
        ("reasoning_effort", error_body("Unrecognized request argument: reasoning_effort")),
        ("response_format", error_body("Unsupported parameter", param="response_format")),
        ("response_format", {"error": "json_schema is not supported by this backend"}),
    ],
)
def test_an_option_that_the_server_does_not_know_is_left_out_from_then_on(
    option: str, body: JsonValue
) -> None:
    with OpenAiStandIn(chat_completion("ok")) as server:
        server.faults.append(Fault(400, body))
        model = adapter(server)
        request = a_request(temperature=0, reasoning_effort="low")
        assert model.complete(request).text == "ok"
        assert model.complete(request).text == "ok"

    options = {"temperature", "reasoning_effort", "response_format"}
    assert [options & set(seen.body) for seen in server.seen] == [
        options,
        options - {option},
        options - {option},
    ]


def test_a_schema_that_the_server_cannot_enforce_goes_into_the_prompt() -> None:
    with OpenAiStandIn(chat_completion("ok")) as server:
        server.faults.append(Fault(422, error_body("unknown field `response_format`")))
        adapter(server).complete(a_request())

    messages = server.seen[1].body["messages"]
    assert isinstance(messages, list)
    assert '"additionalProperties": false' in str(messages[0])
    assert len(messages) == 2


@pytest.mark.parametrize("code", ["invalid_value", "invalid_json_schema"])
def test_a_wrong_value_is_not_hidden_by_leaving_it_out(code: str) -> None:
    with OpenAiStandIn(chat_completion("ok")) as server:
        server.faults.append(Fault(400, error_body("Invalid", code=code, param="reasoning_effort")))
        with pytest.raises(ProviderError, match="refused the request"):
            adapter(server).complete(a_request(reasoning_effort="hihg"))

    assert len(server.seen) == 1


def test_a_server_that_refuses_everything_is_given_up() -> None:
    with OpenAiStandIn(chat_completion("ok")) as server:
        server.faults.extend([Fault(400, error_body("bad temperature", param="temperature"))] * 9)
        with pytest.raises(ProviderError):
            adapter(server).complete(a_request(temperature=0))

    assert len(server.seen) == 2

"""Anthropic's adapter and the real SDK against a stand-in server on loopback."""

import importlib.util
import json
import re
import time
from decimal import Decimal
from importlib.machinery import ModuleSpec

import pytest

from factory.attempt.exit_codes import EXIT_CODES, ExitCode
from factory.attempt.oracle import opinions_schema
from factory.contract.answer import answer_schema
from factory.contract.errors import WorkorderError
from factory.contract.strict_json import JsonObject
from factory.llm.adapters.anthropic import ANTHROPIC, Anthropic
from factory.llm.adapters.endpoint import Endpoint
from factory.llm.port import FinishReason, Heard, Message, ProviderError, Request, Usage, unheard
from factory.llm.spending.prices import Price
from planner.compile.manifest_schema import manifest_schema
from tests.support.anthropic_stand_in import event, failure, message_events
from tests.support.openai_stand_in import Fault, OpenAiStandIn
from tests.support.requests import a_request

# Looked for and not imported: that takes seconds, and each process of a run collects this file.
pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("anthropic") is None, reason="the extra workorder[anthropic] is not installed"
)

KEY = "sk-ant-test-0123456789abcdef"


def adapter(server: OpenAiStandIn, *, max_retries: int = 0, heard: Heard = unheard) -> Anthropic:
    environment = {"ANTHROPIC_API_KEY": KEY, "ANTHROPIC_BASE_URL": server.url}
    endpoint = Endpoint.from_environment(environment, ANTHROPIC)
    return Anthropic("claude-test", endpoint, max_retries=max_retries, heard=heard)


def failed(server: OpenAiStandIn, **options: int) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        adapter(server, **options).complete(a_request())
    return caught.value


def test_who_waits_hears_how_much_has_come_with_what_the_model_thought() -> None:
    came: list[int] = []
    with OpenAiStandIn(message_events("123456789", thought="hmm", pieces=3)) as server:
        server.faults.append(None)
        adapter(server, heard=came.append).complete(a_request())

    assert [length for length in came if length] == [3, 3, 3, 3]


def test_the_request_is_streamed_with_schema_effort_and_breakpoints_and_the_reply_is_whole() -> None:
    request = a_request(reasoning_effort="low", temperature=0)
    user = Message(role="user", content="shared for long|for a while|this one", stable=(16, 28))
    request = request.model_copy(update={"messages": (request.messages[0], user)})
    with OpenAiStandIn(
        message_events('{"summary": "é"}', thought="hm", output_tokens_details={"thinking_tokens": 9})
    ) as server:
        server.faults.append(None)
        answer = adapter(server).complete(request)

    assert (answer.text, answer.finish_reason) == ('{"summary": "é"}', FinishReason.STOP)
    # The API counts what was cached beside the rest of the prompt, we count it as a part.
    assert answer.usage == Usage(
        input_tokens=77, cached_tokens=20, cache_write_tokens=7, output_tokens=30, reasoning_tokens=9
    )
    assert answer.model == "claude-test-1"
    (seen,) = server.seen
    assert seen.path == "/v1/messages"
    assert any(KEY in value for value in seen.headers.values())
    mark = {"cache_control": {"type": "ephemeral"}}
    schema = seen.body["output_config"]["format"].pop("schema")  # type: ignore[index,call-overload,union-attr]
    assert schema["additionalProperties"] is False  # type: ignore[index,call-overload]
    assert seen.body == {
        "model": "claude-test",
        "max_tokens": 1_000,
        "stream": True,
        "system": [{"type": "text", "text": "You are careful.", **mark}],
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "text", "text": "shared for long|", **mark},
                    {"type": "text", "text": "for a while|", **mark},
                    {"type": "text", "text": "this one"},
                ],
            }
        ],
        "output_config": {"format": {"type": "json_schema"}, "effort": "low"},
    }


@pytest.mark.parametrize(
    "schema",
    [answer_schema(), manifest_schema(), opinions_schema()],
    ids=["files", "plan", "oracle"],
)
def test_the_schemas_that_are_asked_for_are_within_what_the_api_takes(schema: JsonObject) -> None:
    with OpenAiStandIn(message_events("{}")) as server:
        adapter(server).complete(a_request(schema=schema))

    sent = json.dumps(server.seen[0].body["output_config"])
    assert json.loads(sent)["format"]["schema"]["required"] == schema["required"]
    assert not set(re.findall(r'"(type": \[|pattern|maxItems|minLength|oneOf|default)"', sent))


def test_cached_tokens_and_cache_writes_are_priced_as_such() -> None:
    usage = Usage(input_tokens=77, cached_tokens=20, cache_write_tokens=7, output_tokens=30)

    assert Price(Decimal(5), Decimal(25), Decimal("0.5"), Decimal("6.25")).of(usage) * 1_000_000 == Decimal(
        "1053.75"
    )
    # Who gives two prices pays for the whole prompt, and a quarter more for what is put into the cache.
    assert Price(Decimal(5), Decimal(25)).of(usage) * 1_000_000 == Decimal("1143.75")


def test_more_breakpoints_than_the_api_takes_are_those_nearest_to_the_end() -> None:
    request = Request(
        purpose="propose",
        messages=(Message(role="user", content="abcdef", stable=(1, 2, 3, 4, 5)),),
        schema_name="x",
        answer_schema=None,
        parameters=a_request().parameters,
        attempt=1,
    )
    with OpenAiStandIn(message_events("ok")) as server:
        adapter(server).complete(request)

    messages = server.seen[0].body["messages"]
    assert isinstance(messages, list)
    blocks = messages[0]["content"]  # type: ignore[index,call-overload]
    assert [block["text"] for block in blocks if "cache_control" in block] == ["c", "d", "e"]  # type: ignore[index,union-attr,call-overload]


@pytest.mark.parametrize(
    ("stop_reason", "expected"),
    [
        ("max_tokens", FinishReason.LENGTH),
        ("model_context_window_exceeded", FinishReason.CONTEXT_WINDOW),
        ("stop_sequence", FinishReason.STOP),
    ],
)
def test_why_the_model_stopped_is_kept(stop_reason: str, expected: FinishReason) -> None:
    with OpenAiStandIn(message_events('{"summ', stop_reason=stop_reason)) as server:
        answer = adapter(server).complete(a_request())

    assert (answer.finish_reason, answer.text) == (expected, '{"summ')


def test_a_refusal_is_an_answer_with_its_reason() -> None:
    details = {"type": "refusal", "category": "cyber", "explanation": "It could do harm."}
    with OpenAiStandIn(message_events("I can", stop_reason="refusal", stop_details=details)) as server:
        answer = adapter(server).complete(a_request())

    assert (answer.finish_reason, answer.text) == (FinishReason.REFUSAL, "It could do harm.")


def test_an_overloaded_server_is_asked_again_after_the_time_it_says() -> None:
    with OpenAiStandIn(message_events("ok")) as server:
        server.faults.append(Fault(529, failure("overloaded_error", "Overloaded"), {"retry-after": "0.4"}))
        start = time.monotonic()
        answer = adapter(server, max_retries=1).complete(a_request())

    assert answer.text == "ok"
    assert time.monotonic() - start >= 0.4


def test_who_is_told_to_wait_for_long_does_not() -> None:
    with OpenAiStandIn(message_events("ok")) as server:
        server.faults.append(Fault(429, failure("rate_limit_error", "Slow down"), {"retry-after": "3600"}))
        error = failed(server, max_retries=3)

    assert error.message == "the rate limit is reached (429): Slow down"
    assert "asks to wait: 3600" in error.hint
    assert not error.may_be_paid


@pytest.mark.parametrize(
    ("status", "kind", "said", "message"),
    [
        (401, "authentication_error", f"invalid x-api-key {KEY}", "the server refused the API key"),
        (402, "billing_error", "Pay", "the account has no credit left"),
        (400, "invalid_request_error", "Your credit balance is too low", "the account has no credit left"),
        (400, "invalid_request_error", "prompt is too long: 9 > 8", "the prompt is too long for this model"),
        (413, "request_too_large", "Too large", "the prompt is too long for this model"),
        (404, "not_found_error", "model: claude-test", "the server knows no such model"),
        (529, "overloaded_error", "Overloaded", "the server is overloaded (529)"),
        (500, "api_error", "Oops", "the server failed (500)"),
    ],
)
def test_an_error_of_the_server_is_told_as_those_of_others_are(
    status: int, kind: str, said: str, message: str
) -> None:
    with OpenAiStandIn(message_events("ok")) as server:
        server.faults.append(Fault(status, failure(kind, said)))
        error = failed(server)

    assert message in error.message
    assert KEY not in str(error) + error.hint
    assert error.where.startswith("claude-test at 127.0.0.1:")
    assert EXIT_CODES[error.fault] is ExitCode.PROVIDER


@pytest.mark.parametrize(
    ("stream", "message"),
    [
        (message_events("half", ended=False), "the stream ended before the answer did"),
        (
            message_events("half", ended=False) + event(failure("overloaded_error", "Overloaded")),
            "the server is overloaded (529): Overloaded",
        ),
        (message_events("x", stop_reason="pause_turn"), "the model ended its answer with `pause_turn`"),
        (message_events("x", ended=False) + b"event: message_delta\ndata: {no\n\n", "can't be read"),
        (message_events("\ud800"), "half of a surrogate pair"),
        (b"{}", "the stream ended before"),
    ],
)
def test_a_stream_that_is_no_answer_is_an_error_and_may_be_paid(stream: bytes, message: str) -> None:
    with OpenAiStandIn(stream) as server:
        error = failed(server)

    assert message in error.message
    assert error.may_be_paid


def test_an_option_that_the_model_does_not_know_is_left_out_from_then_on() -> None:
    with OpenAiStandIn(message_events("ok")) as server:
        said = "output_config.format: structured outputs are not supported by this model"
        server.faults.append(Fault(400, failure("invalid_request_error", said)))
        model = adapter(server)
        model.complete(a_request(reasoning_effort="low"))
        model.complete(a_request(reasoning_effort="low"))

    assert [seen.body["output_config"].keys() for seen in server.seen] == [  # type: ignore[union-attr]
        {"format", "effort"},
        {"effort"},
        {"effort"},
    ]
    assert "additionalProperties" in str(server.seen[1].body["system"])


def test_nobody_at_the_server_s_place() -> None:
    with OpenAiStandIn(b"") as server:
        pass
    error = failed(server)

    assert error.message.startswith("the connection failed")
    assert "ANTHROPIC_BASE_URL" in error.hint


def test_a_missing_extra_says_which_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec

    def missing(name: str, package: str | None = None) -> ModuleSpec | None:
        return None if name == "anthropic" else find(name, package)

    monkeypatch.setattr("factory.llm.adapters.anthropic.find_spec", missing)
    endpoint = Endpoint.from_environment({"ANTHROPIC_API_KEY": KEY}, ANTHROPIC)
    with pytest.raises(WorkorderError) as caught:
        Anthropic("claude-test", endpoint)

    assert 'pip install "workorder[anthropic]"' in caught.value.hint
    assert EXIT_CODES[caught.value.fault] is ExitCode.ENVIRONMENT

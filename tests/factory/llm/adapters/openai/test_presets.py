"""Each preset against a stand-in that behaves like its server: what it refuses, how it reports usage."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from factory.contract.strict_json import JsonObject, JsonValue
from factory.llm.adapters.endpoint import Endpoint
from factory.llm.adapters.openai.chat import OpenAiChat
from factory.llm.adapters.openai.presets import OPENAI_CHAT, PRESETS
from factory.llm.adapters.select import select_model
from factory.llm.ledger.store import Ledger
from factory.llm.port import FinishReason, Message, ProviderError, Usage
from tests.support.openai_stand_in import (
    Fault,
    OpenAiStandIn,
    Seen,
    chat_completion,
    chat_stream,
    error_body,
)
from tests.support.requests import a_request

USAGE: JsonObject = {"prompt_tokens": 50, "completion_tokens": 30, "total_tokens": 80}
COUNTED = Usage(input_tokens=50, output_tokens=30)
CACHED = Usage(input_tokens=50, cached_tokens=20, output_tokens=30)
EVERY = frozenset({"model", "messages", "stream", "temperature"})


@dataclass(frozen=True)
class Behaviour:
    """How a server takes a request.

    Attributes:
        limit: its name of the limit of tokens; another one is passed over, or refused.
        knows: the further fields.
        refuses: whether a field that it doesn't know is an error.
        formats: the formats of an answer that it keeps to.
        always_counts: whether it sends usage that nobody asked for.
        usage: as it reports it.
        ending: its word for a whole answer.
    """

    limit: str
    knows: frozenset[str] = frozenset({"stream_options", "response_format", "reasoning_effort"})
    refuses: bool = False
    formats: frozenset[str] = frozenset({"json_schema", "json_object"})
    always_counts: bool = False
    usage: JsonValue = None
    ending: str = "stop"


SERVERS = {
    "gemini": Behaviour("max_tokens"),
    "mistral": Behaviour("max_tokens", frozenset({"response_format"}), refuses=True, always_counts=True),
    "deepseek": Behaviour(
        "max_tokens",
        frozenset({"stream_options", "response_format"}),
        formats=frozenset({"json_object"}),
        usage={**USAGE, "prompt_cache_hit_tokens": 20, "prompt_cache_miss_tokens": 30},
    ),
    "xai": Behaviour(
        "max_completion_tokens", usage={**USAGE, "prompt_tokens_details": {"cached_tokens": 20}}
    ),
    "groq": Behaviour("max_completion_tokens", refuses=True),
    "together": Behaviour("max_tokens", ending="eos"),
    "openrouter": Behaviour("max_tokens", always_counts=True),
    "ollama": Behaviour("max_tokens"),
    "vllm": Behaviour("max_completion_tokens", refuses=True),
    "llamacpp": Behaviour("max_tokens"),
    "lmstudio": Behaviour("max_tokens"),
}


class Server(OpenAiStandIn):
    """A server of that behaviour."""

    def __init__(self, behaviour: Behaviour, text: str) -> None:
        super().__init__(b"")
        self.behaviour = behaviour
        self.text = text

    def reply_to(self, seen: Seen) -> Fault:
        self.seen.append(seen)
        of, body = self.behaviour, seen.body
        unknown = body.keys() - EVERY - of.knows - {of.limit}
        if of.refuses and unknown:
            detail: JsonValue = [
                {"type": "extra_forbidden", "loc": ["body", name]} for name in sorted(unknown)
            ]
            return Fault(422, {"object": "error", "message": {"detail": detail}, "type": "invalid_request"})
        form = body.get("response_format")
        if isinstance(form, dict) and form["type"] not in of.formats:
            return Fault(400, error_body("This response_format type is unavailable now"))
        if not body.get("stream"):
            return Fault(200, chat_completion(self.text))
        counts = of.always_counts or body.get("stream_options") == {"include_usage": True}
        usage = (of.usage or USAGE) if counts else None
        return Fault(200, chat_stream(self.text, usage=usage, finish_reason=of.ending))


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_a_preset_asks_its_server_once_and_as_it_likes_it(name: str, tmp_path: Path) -> None:
    preset, behaviour = PRESETS[name], SERVERS[name]
    environment = {preset.server.key_variable: "sk-test-0123456789"}
    with Server(behaviour, '{"summary": "é\\n"}') as server:
        environment[preset.server.url_variable] = server.base_url
        came: list[int] = []
        model = select_model(
            f"{name}:some/m:1",
            stage="factory",
            ledger=Ledger(tmp_path),
            environment=environment,
            heard=came.append,
        )
        answer = model.complete(a_request(temperature=0, reasoning_effort="low"))

    assert (answer.text, answer.finish_reason) == ('{"summary": "é\\n"}', FinishReason.STOP)
    assert answer.usage == (CACHED if behaviour.usage else COUNTED)
    (seen,) = server.seen
    assert seen.headers["authorization"] == "Bearer sk-test-0123456789"
    assert seen.body[behaviour.limit] == 1_000
    assert seen.body["model"] == "some/m:1"
    assert sum(came) == (len(answer.text) if preset.streams else 0)
    in_text = "additionalProperties" in json.dumps(seen.body["messages"])
    assert in_text == ("json_schema" not in behaviour.formats)
    assert (model.adapter, model.name) == (name, "some/m:1")


@pytest.mark.parametrize("name", sorted(PRESETS))
def test_only_local_servers_need_no_key(name: str) -> None:
    server = PRESETS[name].server
    if "127.0.0.1" in server.url:
        assert Endpoint.from_environment({}, server).base_url == server.url
        return
    with pytest.raises(ProviderError) as caught:
        Endpoint.from_environment({}, server)
    assert f"{server.key_variable} is not set, so {server.label} can't be asked" in caught.value.message


def test_a_server_that_sends_no_usage_and_refuses_to_be_asked_for_it() -> None:
    behaviour = Behaviour("max_tokens", frozenset(), refuses=True)
    with Server(behaviour, "ok") as server:
        answer = local(server).complete(a_request())

    assert answer.usage.estimated
    assert [sorted(seen.body.keys() - EVERY) for seen in server.seen] == [
        ["max_tokens", "response_format", "stream_options"],
        ["max_tokens", "stream_options"],
        ["max_tokens"],
    ]


def test_the_limit_goes_by_its_old_name_where_the_new_one_is_refused() -> None:
    with Server(Behaviour("max_tokens", refuses=True), "ok") as server:
        model = OpenAiChat("m", Endpoint.from_environment(server.environment()), max_retries=0)
        model.complete(a_request())

    assert [seen.body.keys() & {"max_tokens", "max_completion_tokens"} for seen in server.seen] == [
        {"max_completion_tokens"},
        {"max_tokens"},
    ]


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        # A stream was asked for, and one document comes.
        (b"<html>Log in</html>", "the server's reply can't be read: not valid JSON"),
        ({"error": {"message": "upstream is down"}}, "holds no answer: upstream is down"),
        (
            chat_stream("half", finish_reason=None, done=False),
            "the server's stream ended before the answer did",
        ),
        (
            b'data: {"choices": [{"delta": {"content": 1}}]}\n\n',
            "not as the API describes it: /choices/0/delta",
        ),
        (b"data: {no\n\n", "the server's stream can't be read"),
        (b'data: {"error": {"message": "upstream is down", "code": 502}}\n\n', "upstream is down"),
        (chat_stream("\ud800"), "half of a surrogate pair"),
        (chat_stream("x", finish_reason="error"), "the model ended its answer with `error`"),
    ],
)
def test_a_stream_that_is_no_answer_is_an_error(reply: "JsonValue | bytes", message: str) -> None:
    with OpenAiStandIn(reply) as server, pytest.raises(ProviderError) as caught:
        local(server).complete(a_request())

    assert message in caught.value.message


def test_a_server_that_does_not_stream_is_read_all_the_same() -> None:
    with OpenAiStandIn(chat_completion("said at once")) as server:
        assert local(server).complete(a_request()).text == "said at once"


def test_a_full_context_is_told_apart_from_a_reached_limit() -> None:
    with OpenAiStandIn(chat_stream("x", finish_reason="model_length")) as server:
        assert local(server).complete(a_request()).finish_reason is FinishReason.CONTEXT_WINDOW


def test_an_account_without_credit_is_told_so() -> None:
    with OpenAiStandIn(b"") as server, pytest.raises(ProviderError) as caught:
        server.faults.append(Fault(402, error_body("Insufficient Balance")))
        local(server).complete(a_request())

    assert caught.value.message == "the account has no credit left (402): Insufficient Balance"


def test_a_gateway_is_told_what_to_cache_by_marks_and_the_provider_itself_by_a_key() -> None:
    request = a_request().model_copy(
        update={"messages": (Message(role="user", content="shared|rest", stable=(7,)),)}
    )
    with OpenAiStandIn(chat_stream("ok"), chat_completion("ok")) as server:
        gateway = PRESETS["openrouter"]
        environment = {"OPENROUTER_BASE_URL": server.base_url}
        OpenAiChat("m", Endpoint.from_environment(environment, gateway.server), gateway).complete(request)
        own = Endpoint.from_environment(server.environment())
        # As if the provider's own server were here.
        own = Endpoint(
            type(own.server)("x", server.base_url, "K", "U"), server.base_url, own.key, own.secrets
        )
        for text in ("shared|rest", "shared|other", "else|other"):
            message = Message(role="user", content=text, stable=(text.index("|") + 1,))
            OpenAiChat("m", own, OPENAI_CHAT).complete(request.model_copy(update={"messages": (message,)}))

    marked, *keyed = (seen.body for seen in server.seen)
    assert marked["messages"] == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "shared|", "cache_control": {"type": "ephemeral"}},
                {"type": "text", "text": "rest"},
            ],
        }
    ]
    keys = [body["prompt_cache_key"] for body in keyed]
    assert keys[0] == keys[1] != keys[2]


def local(server: OpenAiStandIn) -> OpenAiChat:
    preset = PRESETS["ollama"]
    endpoint = Endpoint.from_environment({"OLLAMA_BASE_URL": server.base_url}, preset.server)
    return OpenAiChat("m", endpoint, preset, max_retries=0)

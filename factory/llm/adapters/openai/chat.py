"""The adapter of Chat Completions, for OpenAI and the servers that speak it: one request and one answer.

Servers differ in what they know: a preset says what is known of one beforehand, an option that a server
refuses is left out, and missing usage is estimated. A schema that the server can't enforce goes into the
prompt.
"""

from typing import TYPE_CHECKING, Final, Literal, cast

from pydantic import BaseModel

from factory.contract.documents import schema_problems
from factory.contract.strict_json import JsonValue
from factory.contract.text import encodable
from factory.llm.adapters.endpoint import Endpoint
from factory.llm.adapters.openai.client import (
    MAX_RETRIES,
    TIMEOUT_SECONDS,
    Connection,
    RawReply,
    cache_key,
    is_whole,
)
from factory.llm.adapters.openai.errors import explain
from factory.llm.adapters.openai.presets import OPENAI_CHAT, Preset
from factory.llm.port import (
    Answer,
    FinishReason,
    Heard,
    Message,
    Request,
    Usage,
    estimate_tokens,
    unheard,
)
from factory.llm.schema_text import messages_with_schema, prompt_text

if TYPE_CHECKING:
    from openai import OpenAI, Stream
    from openai._legacy_response import LegacyAPIResponse
    from openai.types import ReasoningEffort
    from openai.types.chat import (
        ChatCompletion,
        ChatCompletionChunk,
        ChatCompletionContentPartTextParam,
        ChatCompletionMessageParam,
    )
    from openai.types.chat.completion_create_params import ResponseFormat

_OPTIONS: Final = (
    "max_completion_tokens",
    "prompt_cache_key",
    "reasoning_effort",
    "response_format",
    "stream_options",
    "temperature",
)
_FINISH_REASONS: Final = {
    # Some compatible servers leave it out.
    None: FinishReason.STOP,
    "stop": FinishReason.STOP,
    "eos": FinishReason.STOP,
    "length": FinishReason.LENGTH,
    "model_length": FinishReason.CONTEXT_WINDOW,
    "content_filter": FinishReason.CONTENT_FILTER,
}


class OpenAiChat:
    """A model behind Chat Completions.

    Args:
        name: the model's name.
        endpoint: the server and the key.
        preset: what is known of the server.
        timeout_seconds: how long the server may be silent.
        max_retries: how often a request is sent again.
        heard: told of what comes of an answer, if the server streams it.
    """

    def __init__(
        self,
        name: str,
        endpoint: Endpoint,
        preset: Preset = OPENAI_CHAT,
        *,
        timeout_seconds: float = TIMEOUT_SECONDS,
        max_retries: int = MAX_RETRIES,
        heard: Heard = unheard,
    ) -> None:
        self._preset = preset
        self._heard = heard
        self._connection = Connection(
            endpoint, name, timeout_seconds=timeout_seconds, max_retries=max_retries
        )
        known = set(_OPTIONS) - preset.refuses
        if preset.limit == "max_tokens":
            known.remove("max_completion_tokens")
        # Another server of the user's may refuse it without naming it.
        if preset.caches != "key" or not endpoint.is_own:
            known.remove("prompt_cache_key")
        if not (preset.streams and preset.usage_option):
            known.remove("stream_options")
        self._options = frozenset(known)

    @property
    def adapter(self) -> str:
        return self._preset.adapter

    @property
    def name(self) -> str:
        return self._connection.model

    def complete(self, request: Request) -> Answer:
        with self._connection.open() as client:
            response = self._connection.send(
                lambda options: _create(client, self.name, request, options, self._preset), self._options
            )
            if self._preset.streams and _is_stream(response):
                # The type does not say that a streamed reply is read as a stream.
                reply = self._gathered(cast("Stream[ChatCompletionChunk]", response.parse()))
            else:
                reply = self._connection.read(_Reply, response)
        return self._answer(reply, request, response.headers.get("x-request-id"))

    def _gathered(self, stream: "Stream[ChatCompletionChunk]") -> "_Reply":
        """The reply that a stream's chunks make together.

        Raises:
            ProviderError: the stream is none, or ended before the answer did, which may be paid all the same.
        """
        from openai import OpenAIError

        reply, texts, refusals = _Reply(), [""], [""]
        try:
            for chunk in stream:
                # Not parsed by the SDK, which is lenient.
                value = chunk.to_dict(warnings=False)
                problems = schema_problems(_Chunk, cast("JsonValue", value))
                if problems:
                    first = f"{problems[0].pointer or '/'} {problems[0].message}"
                    raise self._connection.error(
                        f"the server's stream is not as the API describes it: {first}", may_be_paid=True
                    )
                part = _Chunk.model_validate(value)
                reply.id, reply.model = part.id or reply.id, part.model or reply.model
                reply.usage = part.usage or reply.usage
                for choice in part.choices or ():
                    texts.append(choice.delta.content or "" if choice.delta else "")
                    refusals.append(choice.delta.refusal or "" if choice.delta else "")
                    self._heard(len(texts[-1]))
                    if choice.finish_reason is not None:
                        reply.choices = [_Choice(finish_reason=choice.finish_reason, message=_Message())]
        except ValueError as error:
            raise self._connection.error(
                f"the server's stream can't be read: {error}", may_be_paid=True
            ) from error
        except OpenAIError as error:
            raise self._connection.error(
                *explain(error, self._connection.endpoint), may_be_paid=True
            ) from error
        if not reply.choices:
            raise self._connection.error("the server's stream ended before the answer did", may_be_paid=True)
        text, refusal = "".join(texts), "".join(refusals)
        if not encodable(text + refusal):
            raise self._connection.error("the answer holds half of a surrogate pair", may_be_paid=True)
        reply.choices[0].message = _Message(content=text, refusal=refusal or None)
        return reply

    def _answer(self, reply: "_Reply", request: Request, request_id: str | None) -> Answer:
        if not reply.choices:
            said = f": {reply.error.message}" if reply.error else ""
            raise self._connection.error(f"the server's reply holds no answer{said}")
        choice = reply.choices[0]
        if choice.finish_reason not in _FINISH_REASONS:
            raise self._connection.error(f"the model ended its answer with `{choice.finish_reason}`")
        refusal = choice.message.refusal
        text = refusal or choice.message.content or ""
        return Answer(
            text=text,
            finish_reason=FinishReason.REFUSAL if refusal else _FINISH_REASONS[choice.finish_reason],
            usage=_usage(reply.usage, request, text),
            model=reply.model or self.name,
            request_id=request_id or reply.id,
        )


def _is_stream(reply: RawReply) -> bool:
    """Whether events came: some servers don't stream, and errors and pages come whole."""
    return not is_whole(reply.headers) or reply.content.lstrip().startswith((b"data:", b"event:", b":"))


def _create(
    client: "OpenAI", model: str, request: Request, options: frozenset[str], preset: Preset
) -> "LegacyAPIResponse[ChatCompletion]":
    from openai import omit

    parameters = request.parameters
    answer_format = _answer_format(request, preset) if "response_format" in options else None
    enforced = answer_format is not None and preset.schema == "schema"
    new_name = "max_completion_tokens" in options
    return client.chat.completions.with_raw_response.create(
        model=model,
        messages=_messages(request, schema_in_text=not enforced, marked=preset.caches == "marks"),
        max_completion_tokens=parameters.max_output_tokens if new_name else omit,
        max_tokens=omit if new_name else parameters.max_output_tokens,
        prompt_cache_key=cache_key(request) if "prompt_cache_key" in options else omit,
        response_format=omit if answer_format is None else answer_format,
        temperature=parameters.temperature
        if parameters.temperature is not None and "temperature" in options
        else omit,
        # A value that the API doesn't know is the API's to refuse.
        reasoning_effort=cast("ReasoningEffort", parameters.reasoning_effort)
        if parameters.reasoning_effort is not None and "reasoning_effort" in options
        else omit,
        # Whether it streams is known by its value alone; `complete` reads what comes accordingly.
        stream=cast("Literal[False]", True) if preset.streams else omit,
        stream_options={"include_usage": True} if "stream_options" in options else omit,
    )


def _answer_format(request: Request, preset: Preset) -> "ResponseFormat | None":
    if request.answer_schema is None:
        return None
    if preset.schema == "object":
        return {"type": "json_object"}
    schema = dict[str, object](request.answer_schema)
    return {
        "type": "json_schema",
        "json_schema": {"name": request.schema_name, "strict": True, "schema": schema},
    }


def _messages(request: Request, *, schema_in_text: bool, marked: bool) -> "list[ChatCompletionMessageParam]":
    messages: list[ChatCompletionMessageParam] = []
    for message in messages_with_schema(request) if schema_in_text else request.messages:
        if message.role == "system":
            messages.append({"role": "system", "content": message.content})
        elif marked and message.stable:
            messages.append({"role": "user", "content": _marked(message)})
        else:
            messages.append({"role": "user", "content": message.content})
    return messages


def _marked(message: Message) -> "list[ChatCompletionContentPartTextParam]":
    """The sections of a message, all but the last marked for a gateway's cache; the SDK knows no mark."""
    sections = message.sections
    return [
        cast(
            "ChatCompletionContentPartTextParam",
            {"type": "text", "text": text}
            | ({"cache_control": {"type": "ephemeral"}} if number < len(sections) else {}),
        )
        for number, text in enumerate(sections, start=1)
    ]


def _usage(usage: "_Usage | None", request: Request, text: str) -> Usage:
    if usage is None or usage.prompt_tokens is None or usage.completion_tokens is None:
        return Usage(
            input_tokens=estimate_tokens(prompt_text(request)),
            output_tokens=estimate_tokens(text),
            estimated=True,
        )
    prompt, completion = usage.prompt_tokens_details, usage.completion_tokens_details
    cached = (prompt.cached_tokens if prompt else None) or usage.prompt_cache_hit_tokens
    return Usage(
        input_tokens=usage.prompt_tokens,
        cached_tokens=cached or 0,
        cache_write_tokens=(prompt.cache_write_tokens if prompt else None) or 0,
        output_tokens=usage.completion_tokens,
        reasoning_tokens=(completion.reasoning_tokens if completion else None) or 0,
    )


class _PromptDetails(BaseModel):
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None


class _CompletionDetails(BaseModel):
    reasoning_tokens: int | None = None


class _Usage(BaseModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    # DeepSeek's name for cached tokens.
    prompt_cache_hit_tokens: int | None = None
    prompt_tokens_details: _PromptDetails | None = None
    completion_tokens_details: _CompletionDetails | None = None


class _Message(BaseModel):
    content: str | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    finish_reason: str | None = None
    message: _Message


class _Delta(BaseModel):
    content: str | None = None
    refusal: str | None = None


class _ChunkChoice(BaseModel):
    finish_reason: str | None = None
    delta: _Delta | None = None


class _Chunk(BaseModel):
    """The part of a chunk of a stream that is used."""

    id: str | None = None
    model: str | None = None
    choices: list[_ChunkChoice] | None = None
    usage: _Usage | None = None


class _Error(BaseModel):
    message: str = ""


class _Reply(BaseModel):
    """The part of a chat completion that is used; servers may add what they like."""

    id: str | None = None
    model: str | None = None
    choices: list[_Choice] = []
    usage: _Usage | None = None
    # Gateways report a failed model with status 200.
    error: _Error | None = None

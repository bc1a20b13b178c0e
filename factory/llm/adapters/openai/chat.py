"""The factory's OpenAI adapter: Chat Completions, one request and one reply.

Compatible servers differ in what they know: an option that a server refuses is left out, and missing usage
is estimated. A schema that the server can't enforce goes into the prompt.
"""

from typing import TYPE_CHECKING, Final, cast

from pydantic import BaseModel

from factory.llm.adapters.openai.client import MAX_RETRIES, TIMEOUT_SECONDS, Connection, RawReply
from factory.llm.adapters.openai.endpoint import Endpoint
from factory.llm.port import Answer, FinishReason, Request, Usage, estimate_tokens
from factory.llm.schema_text import messages_with_schema, prompt_text

if TYPE_CHECKING:
    from openai import OpenAI
    from openai.types import ReasoningEffort
    from openai.types.chat import ChatCompletionMessageParam

_OPTIONS: Final = ("reasoning_effort", "response_format", "temperature")
_FINISH_REASONS: Final = {
    # Some compatible servers leave it out.
    None: FinishReason.STOP,
    "stop": FinishReason.STOP,
    "length": FinishReason.LENGTH,
    "content_filter": FinishReason.CONTENT_FILTER,
}


class OpenAiChat:
    """A model behind Chat Completions.

    Args:
        name: the model's name.
        endpoint: the server and the key.
        timeout_seconds: how long the server may be silent.
        max_retries: how often a request is sent again.
    """

    def __init__(
        self,
        name: str,
        endpoint: Endpoint,
        *,
        timeout_seconds: float = TIMEOUT_SECONDS,
        max_retries: int = MAX_RETRIES,
    ) -> None:
        self._connection = Connection(
            endpoint, name, timeout_seconds=timeout_seconds, max_retries=max_retries
        )

    @property
    def adapter(self) -> str:
        return "openai_chat"

    @property
    def name(self) -> str:
        return self._connection.model

    def complete(self, request: Request) -> Answer:
        with self._connection.open() as client:
            response = self._connection.send(
                lambda options: _create(client, self.name, request, options), _OPTIONS
            )
        reply = self._connection.read(_Reply, response)
        return self._answer(reply, request, response.headers.get("x-request-id"))

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


def _create(client: "OpenAI", model: str, request: Request, options: frozenset[str]) -> RawReply:
    from openai import omit

    parameters = request.parameters
    schema = request.answer_schema
    enforced = schema is not None and "response_format" in options
    return client.chat.completions.with_raw_response.create(
        model=model,
        messages=_messages(request, schema_in_text=not enforced),
        max_completion_tokens=parameters.max_output_tokens,
        response_format={
            "type": "json_schema",
            "json_schema": {
                "name": request.schema_name,
                "strict": True,
                "schema": dict[str, object](schema or {}),
            },
        }
        if enforced
        else omit,
        temperature=parameters.temperature
        if parameters.temperature is not None and "temperature" in options
        else omit,
        # A value that the API doesn't know is the API's to refuse.
        reasoning_effort=cast("ReasoningEffort", parameters.reasoning_effort)
        if parameters.reasoning_effort is not None and "reasoning_effort" in options
        else omit,
    )


def _messages(request: Request, *, schema_in_text: bool) -> "list[ChatCompletionMessageParam]":
    messages: list[ChatCompletionMessageParam] = []
    for message in messages_with_schema(request) if schema_in_text else request.messages:
        if message.role == "system":
            messages.append({"role": "system", "content": message.content})
        else:
            messages.append({"role": "user", "content": message.content})
    return messages


def _usage(usage: "_Usage | None", request: Request, text: str) -> Usage:
    if usage is None or usage.prompt_tokens is None or usage.completion_tokens is None:
        return Usage(
            input_tokens=estimate_tokens(prompt_text(request)),
            output_tokens=estimate_tokens(text),
            estimated=True,
        )
    prompt, completion = usage.prompt_tokens_details, usage.completion_tokens_details
    return Usage(
        input_tokens=usage.prompt_tokens,
        cached_tokens=(prompt.cached_tokens if prompt else None) or 0,
        output_tokens=usage.completion_tokens,
        reasoning_tokens=(completion.reasoning_tokens if completion else None) or 0,
    )


class _PromptDetails(BaseModel):
    cached_tokens: int | None = None


class _CompletionDetails(BaseModel):
    reasoning_tokens: int | None = None


class _Usage(BaseModel):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _PromptDetails | None = None
    completion_tokens_details: _CompletionDetails | None = None


class _Message(BaseModel):
    content: str | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    finish_reason: str | None = None
    message: _Message


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

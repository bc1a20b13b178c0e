"""The planner's OpenAI adapter: the Responses API in the background, because a plan may take many minutes.

The response's id is saved before the first poll; a planner that is started again waits on for the same
response instead of paying for another.
"""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, cast

from factory.llm.adapters.endpoint import Endpoint
from factory.llm.adapters.openai.client import MAX_RETRIES, TIMEOUT_SECONDS, Connection, RawReply, cache_key
from factory.llm.adapters.openai.reply import ResponseReply
from factory.llm.ledger.pending import PendingCalls
from factory.llm.ledger.store import call_key
from factory.llm.port import Answer, FinishReason, ProviderError, Request
from factory.llm.schema_text import messages_with_schema
from factory.system.clock import Clock, SystemClock

if TYPE_CHECKING:
    from openai import OpenAI
    from openai.types import ReasoningEffort
    from openai.types.responses import EasyInputMessageParam

DEADLINE_SECONDS: Final = 7_200.0
"""How long one run waits for a response in the background."""

_OPTIONS: Final = ("background", "prompt_cache_key", "reasoning", "temperature", "text.format")
_FIRST_DELAY: Final = 1.0
_DELAY_GROWTH: Final = 1.5
_LONGEST_DELAY: Final = 15.0


class OpenAiResponses:
    """A model behind the Responses API.

    Args:
        name: the model's name.
        endpoint: the server and the key.
        pending: where the ids of running responses are kept.
        sleep: waits some seconds.
        clock: measures the deadline.
        deadline_seconds: how long to wait for a response.
        timeout_seconds: how long the server may be silent.
        max_retries: how often a request is sent again.
    """

    def __init__(
        self,
        name: str,
        endpoint: Endpoint,
        pending: PendingCalls,
        *,
        sleep: Callable[[float], None] = time.sleep,
        clock: Clock | None = None,
        deadline_seconds: float = DEADLINE_SECONDS,
        timeout_seconds: float = TIMEOUT_SECONDS,
        max_retries: int = MAX_RETRIES,
    ) -> None:
        self._connection = Connection(
            endpoint, name, timeout_seconds=timeout_seconds, max_retries=max_retries
        )
        # Another server of the user's may refuse it without naming it.
        unknown = () if endpoint.is_own else ("prompt_cache_key",)
        self._options = frozenset(_OPTIONS) - frozenset(unknown)
        self._pending = pending
        self._sleep = sleep
        self._clock = clock or SystemClock()
        self._deadline_seconds = deadline_seconds

    @property
    def adapter(self) -> str:
        return "openai_responses"

    @property
    def name(self) -> str:
        return self._connection.model

    def complete(self, request: Request) -> Answer:
        key = call_key(self.adapter, self.name, request)
        with self._connection.open() as client:
            reply = self._resume(client, key) or self._create(client, key, request)
            reply = self._wait(client, key, reply)
        try:
            return self._answer(reply, request)
        except ProviderError:
            # The response has ended without an answer: the next run has to ask anew.
            self._pending.remove(key)
            raise

    def _resume(self, client: "OpenAI", key: str) -> ResponseReply | None:
        """The response that an earlier run was waiting for, if the server still has it."""
        response_id = self._pending.get(key)
        if response_id is None:
            return None
        reply = self._retrieve(client, response_id)
        if reply is None:
            self._pending.break_off(key)
        return reply

    def _create(self, client: "OpenAI", key: str, request: Request) -> ResponseReply:
        response = self._connection.send(
            lambda options: _create(client, self.name, request, options), self._options
        )
        reply = self._connection.read(ResponseReply, response)
        if not reply.ended:
            self._pending.put(key, self._id(reply))
        return reply

    def _wait(self, client: "OpenAI", key: str, reply: ResponseReply) -> ResponseReply:
        deadline = self._clock.monotonic() + self._deadline_seconds
        delay = _FIRST_DELAY
        while not reply.ended:
            response_id = self._id(reply)
            if self._clock.monotonic() >= deadline:
                raise self._connection.error(
                    f"the response {response_id} did not end within {self._deadline_seconds:g} seconds",
                    "run the same command again to wait on for the same response",
                )
            self._sleep(delay)
            delay = min(delay * _DELAY_GROWTH, _LONGEST_DELAY)
            polled = self._retrieve(client, response_id)
            if polled is None:
                self._pending.break_off(key)
                raise self._connection.error(
                    f"the server no longer has the response {response_id}",
                    "run the same command again to ask anew",
                )
            reply = polled
        return reply

    def _retrieve(self, client: "OpenAI", response_id: str) -> ResponseReply | None:
        from openai import NotFoundError

        try:
            response = client.responses.with_raw_response.retrieve(response_id)
        except NotFoundError:
            return None
        return self._connection.read(ResponseReply, response)

    def _id(self, reply: ResponseReply) -> str:
        if not reply.id:
            raise self._connection.error(f"the server answered `{reply.status}` without the response's id")
        return reply.id

    def _answer(self, reply: ResponseReply, request: Request) -> Answer:
        text, refusal = reply.text, reply.refusal
        match reply.status, reply.incomplete_reason:
            case "completed", _:
                refused = refusal is not None and not text
                reason = FinishReason.REFUSAL if refused else FinishReason.STOP
                text = refusal if refused and refusal is not None else text
            case "incomplete", "max_output_tokens":
                reason = FinishReason.LENGTH
            case "incomplete", "content_filter":
                reason = FinishReason.CONTENT_FILTER
            case status, details:
                said = reply.failure or details or "the server gives no reason"
                raise self._connection.error(
                    f"the response {reply.id or 'without id'} ended as {status}: {said}",
                    "run the same command again to ask anew",
                )
        return Answer(
            text=text,
            finish_reason=reason,
            usage=reply.used(request, text),
            model=reply.model or self.name,
            request_id=reply.id,
        )


def _create(client: "OpenAI", model: str, request: Request, options: frozenset[str]) -> RawReply:
    from openai import omit

    parameters = request.parameters
    schema = request.answer_schema
    enforced = schema is not None and "text.format" in options
    messages = request.messages if enforced else messages_with_schema(request)
    background = "background" in options
    users: list[EasyInputMessageParam] = [
        {"role": "user", "content": message.content} for message in messages if message.role == "user"
    ]
    return client.responses.with_raw_response.create(
        model=model,
        instructions="\n\n".join(message.content for message in messages if message.role == "system") or omit,
        input=list(users),
        background=background or omit,
        # A background response can be retrieved only if the server stores it.
        store=background,
        max_output_tokens=parameters.max_output_tokens,
        prompt_cache_key=cache_key(request) if "prompt_cache_key" in options else omit,
        text={
            "format": {
                "type": "json_schema",
                "name": request.schema_name,
                "strict": True,
                "schema": dict[str, object](schema or {}),
            }
        }
        if enforced
        else omit,
        temperature=parameters.temperature
        if parameters.temperature is not None and "temperature" in options
        else omit,
        # A value that the API doesn't know is the API's to refuse.
        reasoning={"effort": cast("ReasoningEffort", parameters.reasoning_effort)}
        if parameters.reasoning_effort is not None and "reasoning" in options
        else omit,
    )

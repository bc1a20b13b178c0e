"""Anthropic's adapter: the Messages API, streamed, because long answers are refused otherwise.

The only file that knows the SDK, which is an extra and imported when a client is opened. The SDK retries on
its own (408, 409, 429, 5xx with 529, broken connections) and honours Retry-After, if that is not too long;
a stream that breaks is not begun again, because it may be paid. The API takes no temperature any more.
"""

from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, cast

from factory.contract.errors import Fault, WorkorderError
from factory.contract.strict_json import JsonObject, JsonValue
from factory.contract.text import encodable
from factory.llm.adapters.endpoint import Endpoint, Server
from factory.llm.port import Answer, FinishReason, Heard, Message, Request, Usage, unheard
from factory.llm.schema_text import messages_with_schema

if TYPE_CHECKING:
    from anthropic import Anthropic as Client
    from anthropic import AnthropicError, APIStatusError, Stream
    from anthropic.types import MessageParam, OutputConfigParam, RawMessageStreamEvent, TextBlockParam

ANTHROPIC: Final = Server("Anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL")

_TIMEOUT_SECONDS: Final = 600.0
_MAX_RETRIES: Final = 3
_LONGEST_WAIT_SECONDS: Final = 120.0
_MOST_MARKS: Final = 3
"""How many breakpoints a request may have beside that of the system text."""

# In the order in which they are looked for in the message of a refusal.
_OPTIONS: Final = ("output_config.effort", "output_config.format")
_OPTION_WORDS: Final = {
    "output_config.effort": ("effort",),
    "output_config.format": ("output_config.format", "output_format", "structured output", "schema"),
}
_FINISH_REASONS: Final = {
    "end_turn": FinishReason.STOP,
    "stop_sequence": FinishReason.STOP,
    "max_tokens": FinishReason.LENGTH,
    "refusal": FinishReason.REFUSAL,
    "model_context_window_exceeded": FinishReason.CONTEXT_WINDOW,
}
# What an error in a stream would have had as its status.
_STATUS: Final = {
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}


class Anthropic:
    """A model of Anthropic's.

    Args:
        name: the model's name.
        endpoint: the server and the key.
        max_retries: how often a request is sent again.
        heard: told of what comes of an answer, thoughts included.

    Raises:
        WorkorderError: the SDK is not installed.
    """

    def __init__(
        self, name: str, endpoint: Endpoint, *, max_retries: int = _MAX_RETRIES, heard: Heard = unheard
    ) -> None:
        if find_spec("anthropic") is None:
            raise _MissingExtra(
                "Anthropic's SDK is not installed",
                where=f"anthropic:{name}",
                hint='install the extra: pip install "workorder[anthropic]"',
            )
        self._name = name
        self._endpoint = endpoint
        self._max_retries = max_retries
        self._heard = heard
        # What the server has not refused so far.
        self._options = set(_OPTIONS)

    @property
    def adapter(self) -> str:
        return "anthropic"

    @property
    def name(self) -> str:
        return self._name

    def complete(self, request: Request) -> Answer:
        with self._open() as client, self._begun(client, request) as stream:
            gathered = _Gathered()
            for event in stream:
                gathered.add(event)
                self._heard(_length(event))
            request_id = stream.response.headers.get("request-id")
            return self._answer(gathered, request_id)

    @contextmanager
    def _open(self) -> "Iterator[Client]":
        """A client, closed afterwards; what the SDK raises meanwhile becomes a ProviderError."""
        from anthropic import Anthropic as Client
        from anthropic import AnthropicError, DefaultHttpxClient

        streaming = False

        def note(reply: _HttpReply) -> None:
            nonlocal streaming
            streaming = reply.status_code == 200
            if _seconds(reply.headers.get("retry-after")) > _LONGEST_WAIT_SECONDS:
                reply.headers["x-should-retry"] = "false"

        try:
            with Client(
                api_key=self._endpoint.key,
                base_url=self._endpoint.base_url,
                timeout=_TIMEOUT_SECONDS,
                max_retries=self._max_retries,
                http_client=DefaultHttpxClient(event_hooks={"response": [note]}),
                # Prompts are told to nobody else, whatever the environment says.
                open_telemetry=False,
            ) as client:
                yield client
        except AnthropicError as error:
            message, hint = _explain(error, self._endpoint)
            raise self._endpoint.error(
                self._name, message, hint, may_be_paid=streaming or _is_late(error)
            ) from error
        except ValueError as error:
            raise self._endpoint.error(
                self._name, f"the server's stream can't be read: {error}", may_be_paid=streaming
            ) from error

    def _begun(self, client: "Client", request: Request) -> "Stream[RawMessageStreamEvent]":
        """The answer's stream, asked for without the options that the model says it does not know."""
        from anthropic import APIStatusError

        while True:
            try:
                return _create(client, self._name, request, frozenset(self._options))
            except APIStatusError as error:
                refused = _refused_option(error, self._options)
                if refused is None:
                    raise
                self._options.remove(refused)

    def _answer(self, gathered: "_Gathered", request_id: str | None) -> Answer:
        if not gathered.ended:
            raise self._endpoint.error(self._name, "the stream ended before the answer did", may_be_paid=True)
        reason = _FINISH_REASONS.get(gathered.stop_reason)
        if reason is None:
            raise self._endpoint.error(
                self._name, f"the model ended its answer with `{gathered.stop_reason}`", may_be_paid=True
            )
        text = gathered.text
        if reason is FinishReason.REFUSAL:
            text = gathered.explanation or text
        if not encodable(text):
            raise self._endpoint.error(
                self._name, "the answer holds half of a surrogate pair", may_be_paid=True
            )
        return Answer(
            text=text,
            finish_reason=reason,
            usage=gathered.usage,
            model=gathered.model or self._name,
            request_id=request_id,
        )


class _MissingExtra(WorkorderError):
    fault = Fault.ENVIRONMENT


class _HttpReply(Protocol):
    """A reply before the SDK has looked at it."""

    status_code: int

    @property
    def headers(self) -> MutableMapping[str, str]: ...


class _Gathered:
    """What the events of a stream make together.

    Attributes:
        model: who answers.
        stop_reason: why the answer ended, in the API's words.
        explanation: why it was refused.
        ended: whether the last event came.
    """

    def __init__(self) -> None:
        self.model = ""
        self.stop_reason = ""
        self.explanation = ""
        self.ended = False
        self._texts: list[str] = []
        self._counts: dict[str, int] = {}
        self._thinking = 0

    def add(self, event: "RawMessageStreamEvent") -> None:
        """Take the next event; kinds that are not known say nothing."""
        match event.type:
            case "message_start":
                self.model = event.message.model
                self._count(event.message.usage)
            case "content_block_start" if event.content_block.type == "text":
                self._texts.append(event.content_block.text)
            case "content_block_delta" if event.delta.type == "text_delta":
                self._texts.append(event.delta.text)
            case "message_delta":
                self.stop_reason = event.delta.stop_reason or self.stop_reason
                details = event.delta.stop_details
                self.explanation = (details.explanation if details else None) or self.explanation
                # The counts are totals, and what is missing stays as it was.
                self._count(event.usage)
            case "message_stop":
                self.ended = True
            case _:
                pass

    @property
    def text(self) -> str:
        """The answer, without what the model thought."""
        return "".join(self._texts)

    @property
    def usage(self) -> Usage:
        """The tokens; the API counts cached ones beside those of the prompt, the port among them."""
        read, written = self._of("cache_read_input_tokens"), self._of("cache_creation_input_tokens")
        return Usage(
            input_tokens=self._of("input_tokens") + read + written,
            cached_tokens=read,
            cache_write_tokens=written,
            output_tokens=self._of("output_tokens"),
            reasoning_tokens=self._thinking,
        )

    def _of(self, name: str) -> int:
        return self._counts.get(name, 0)

    def _count(self, usage: "_Counts") -> None:
        for name in (
            "input_tokens",
            "cache_read_input_tokens",
            "cache_creation_input_tokens",
            "output_tokens",
        ):
            count = getattr(usage, name, None)
            if count is not None:
                self._counts[name] = count
        details = usage.output_tokens_details
        if details is not None:
            self._thinking = details.thinking_tokens


def _length(event: "RawMessageStreamEvent") -> int:
    """How many characters of the answer, or of the thoughts before it, an event brings."""
    if event.type != "content_block_delta":
        return 0
    match event.delta.type:
        case "text_delta":
            return len(event.delta.text)
        case "thinking_delta":
            return len(event.delta.thinking)
        case _:
            return 0


class _Thoughts(Protocol):
    @property
    def thinking_tokens(self) -> int: ...


class _Counts(Protocol):
    """The tokens of an event."""

    @property
    def output_tokens_details(self) -> _Thoughts | None: ...


def _create(
    client: "Client", model: str, request: Request, options: frozenset[str]
) -> "Stream[RawMessageStreamEvent]":
    from anthropic import omit, transform_schema

    parameters = request.parameters
    schema = request.answer_schema
    enforced = schema is not None and "output_config.format" in options
    output: OutputConfigParam = {}
    if schema is not None and enforced:
        # What the API does not know of JSON Schema it refuses; the SDK makes descriptions of it.
        output["format"] = {"type": "json_schema", "schema": transform_schema(_with_alternatives(schema))}
    if parameters.reasoning_effort is not None and "output_config.effort" in options:
        # A value that the API doesn't know is the API's to refuse.
        output["effort"] = cast(
            "Literal['low', 'medium', 'high', 'xhigh', 'max']", parameters.reasoning_effort
        )
    messages = request.messages if enforced else messages_with_schema(request)
    system = [_block(message.content, marked=True) for message in messages if message.role == "system"]
    users: list[MessageParam] = [
        {"role": "user", "content": _blocks(message)} for message in messages if message.role == "user"
    ]
    return client.messages.create(
        model=model,
        max_tokens=parameters.max_output_tokens,
        system=system or omit,
        messages=users,
        output_config=output or omit,
        stream=True,
    )


def _with_alternatives(schema: JsonObject) -> dict[str, Any]:
    """The schema with `anyOf` for each list of types, which the SDK does not know."""
    known: JsonObject = {}
    for name, value in schema.items():
        match value:
            case dict() if name in ("properties", "$defs"):
                known[name] = {
                    key: _with_alternatives(part) for key, part in value.items() if isinstance(part, dict)
                }
            case dict():
                known[name] = _with_alternatives(value)
            case list() if name == "anyOf":
                known[name] = [_with_alternatives(part) for part in value if isinstance(part, dict)]
            case _:
                known[name] = value
    types = known.get("type")
    if not isinstance(types, list):
        return known
    outer: JsonObject = {"description": known.pop("description")} if "description" in known else {}
    parts: list[JsonValue] = [
        {"type": "null"} if kind == "null" else {**known, "type": kind} for kind in types
    ]
    return {**outer, "anyOf": parts}


def _blocks(message: Message) -> "list[TextBlockParam]":
    """The sections of a message; what other requests begin with is marked for the cache."""
    sections = message.sections
    last = len(sections) - 1
    return [_block(text, marked=last - _MOST_MARKS <= number < last) for number, text in enumerate(sections)]


def _block(text: str, *, marked: bool) -> "TextBlockParam":
    if marked:
        return {"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}
    return {"type": "text", "text": text}


def _refused_option(error: "APIStatusError", options: set[str]) -> str | None:
    """The option that made the server refuse the request because the model does not know it, or None."""
    if error.status_code not in (400, 422):
        return None
    said = _server_text(error).lower()
    for option in _OPTIONS:
        if option in options and any(word in said for word in _OPTION_WORDS[option]):
            return option
    return None


def _explain(error: "AnthropicError", endpoint: Endpoint) -> tuple[str, str]:
    import anthropic

    match error:
        case anthropic.APIStatusError():
            kind = error.type or ""
            status = error.status_code if error.status_code >= 400 else _STATUS.get(kind, 500)
            wait = error.response.headers.get("retry-after")
            return endpoint.explain_status(status, [kind], _server_text(error), wait)
        case anthropic.APITimeoutError():
            return endpoint.explain_silence()
        case anthropic.APIConnectionError():
            return endpoint.explain_connection(
                str(error.__cause__ or error) or type(error.__cause__).__name__
            )
        case _:
            return f"the request failed: {error}", ""


def _is_late(error: "AnthropicError") -> bool:
    import anthropic

    return isinstance(error, anthropic.APITimeoutError)


def _server_text(error: "APIStatusError") -> str:
    """What the server says in its own words."""
    text = error.api_message
    if text is None and isinstance(error.body, str):
        text = error.body
    return (text or "").strip()


def _seconds(retry_after: str | None) -> float:
    try:
        return float(retry_after or 0)
    except ValueError:
        return 0

"""What both OpenAI adapters share: the client, sending, and the reading of replies.

The SDK is imported when a client is opened, not before, so that commands which ask no model start fast. It
retries on its own (408, 409, 429, 5xx, broken connections) and honours Retry-After; an account without
credit is no reason to ask again.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from pydantic import BaseModel

from factory.contract.canonical import sha256_hex
from factory.contract.documents import schema_problems
from factory.contract.strict_json import BadJson, read_json
from factory.llm.adapters.endpoint import Endpoint
from factory.llm.adapters.openai.errors import explain, lacks_credit, refused_option
from factory.llm.port import ProviderError, Request

if TYPE_CHECKING:
    from openai import OpenAI

MAX_RETRIES: Final = 3
TIMEOUT_SECONDS: Final = 600.0

ReplyT = TypeVar("ReplyT", bound=BaseModel)
RawT = TypeVar("RawT", bound="RawReply")


class RawReply(Protocol):
    """A reply as it came over the wire, which the SDK would otherwise parse leniently."""

    @property
    def content(self) -> bytes: ...

    @property
    def headers(self) -> Mapping[str, str]: ...


class HttpReply(Protocol):
    """A reply before the SDK has looked at it."""

    status_code: int

    @property
    def headers(self) -> MutableMapping[str, str]: ...

    def read(self) -> bytes: ...


class Connection:
    """One model on one server.

    Args:
        endpoint: the server and the key.
        model: the model's name on that server.
        timeout_seconds: how long the server may be silent.
        max_retries: how often a request is sent again.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        model: str,
        *,
        timeout_seconds: float = TIMEOUT_SECONDS,
        max_retries: int = MAX_RETRIES,
    ) -> None:
        self.model = model
        self.endpoint = endpoint
        self._timeout_seconds = timeout_seconds
        self._max_retries = max_retries
        # Remembered, so that a server is not made to refuse the same option with every call.
        self._refused: set[str] = set()

    @contextmanager
    def open(self) -> "Iterator[OpenAI]":
        """A client, closed afterwards; what the SDK raises meanwhile becomes a ProviderError."""
        from openai import APITimeoutError, DefaultHttpxClient, OpenAI, OpenAIError

        try:
            with OpenAI(
                api_key=self.endpoint.key,
                base_url=self.endpoint.base_url,
                timeout=self._timeout_seconds,
                max_retries=self._max_retries,
                http_client=DefaultHttpxClient(event_hooks={"response": [_look_at]}),
            ) as client:
                yield client
        except OpenAIError as error:
            late = isinstance(error, APITimeoutError)
            raise self.error(*explain(error, self.endpoint), may_be_paid=late) from error

    def send(
        self,
        send: Callable[[frozenset[str]], RawT],
        optional: Iterable[str],
    ) -> RawT:
        """Send a request, without the options that this server says it does not know.

        Args:
            send: sends the request with the options it is given.
            optional: the names, as the API spells them, of the options that the request can do without.
        """
        from openai import APIStatusError

        while True:
            options = frozenset(optional) - self._refused
            try:
                return send(options)
            except APIStatusError as error:
                refused = refused_option(error, options)
                if refused is None:
                    raise
                self._refused.add(refused)

    def read(self, kind: type[ReplyT], reply: RawReply) -> ReplyT:
        """The body of a reply, read strictly.

        Raises:
            ProviderError: the body is not JSON, or not what the API promises.
        """
        variable = self.endpoint.server.url_variable
        hint = f"check that {variable} names an OpenAI-compatible API, usually ending in /v1"
        try:
            value = read_json(reply.content, "reply")
        except BadJson as error:
            raise self.error(f"the server's reply can't be read: {error.message}", hint) from error
        problems = schema_problems(kind, value)
        if problems:
            first = problems[0]
            raise self.error(
                f"the server's reply is not as the API describes it: {first.pointer or '/'} {first.message}",
                hint,
            )
        return kind.model_validate(value)

    def error(self, message: str, hint: str = "", *, may_be_paid: bool = False) -> ProviderError:
        """A failure of this model on this server, with the key taken out of every part."""
        return self.endpoint.error(self.model, message, hint, may_be_paid=may_be_paid)


def cache_key(request: Request) -> str:
    """The same for requests that begin alike, so that they come to the same cache."""
    texts = [
        message.content if message.role == "system" else message.content[: (*message.stable, 0)[0]]
        for message in request.messages
    ]
    return sha256_hex("\0".join(texts).encode("utf-8", "backslashreplace"))[:32]


def is_whole(headers: Mapping[str, str]) -> bool:
    """Whether a reply is one document, also where a stream was asked for."""
    return headers.get("content-type", "").lower().startswith(("application/json", "text/html"))


def _look_at(reply: HttpReply) -> None:
    if is_whole(reply.headers):
        # Within the request, where a connection that breaks is told as such.
        reply.read()
    # The header by which OpenAI's own servers tell the SDK.
    if reply.status_code == 429 and lacks_credit(reply.read()):
        reply.headers["x-should-retry"] = "false"

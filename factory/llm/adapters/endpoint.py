"""Where a provider's server is, with which key it is asked, and how its failures are told. Knows no SDK."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from factory.llm.port import ProviderError
from factory.llm.secrets import redact
from factory.system.terminal.console import visible

# The SDKs insist on a key; a local server that needs none ignores it.
_NO_KEY: Final = "unused"
_MESSAGE_CHARS: Final = 400
_AGAIN: Final = "run the same command again later; answers that were already paid are kept"
_NO_CREDIT: Final = frozenset({"insufficient_quota", "billing_not_active", "billing_error"})
_TOO_LONG: Final = frozenset({"context_length_exceeded", "request_too_large"})


@dataclass(frozen=True)
class Server:
    """A provider's server as it is known before any environment is looked at.

    Attributes:
        label: what people call it.
        url: the URL below which the API's paths are.
        key_variable: the environment variable with its key.
        url_variable: the one that names another server of its kind.
        needs_key: whether it answers nobody without a key.
    """

    label: str
    url: str
    key_variable: str
    url_variable: str
    needs_key: bool = True


OPENAI: Final = Server("OpenAI", "https://api.openai.com/v1", "OPENAI_API_KEY", "OPENAI_BASE_URL")


@dataclass(frozen=True)
class Endpoint:
    """A server and its key.

    Attributes:
        server: what is known of it.
        base_url: the URL below which the API's paths are.
        key: the key sent to it.
        secrets: what must not appear in any message.
    """

    server: Server
    base_url: str
    key: str = field(repr=False)
    secrets: tuple[str, ...] = field(repr=False)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str], server: Server = OPENAI) -> "Endpoint":
        """The server that the environment's variables name.

        Args:
            environment: the variables.
            server: which variables, and where it is if none says so.

        Raises:
            ProviderError: the key is missing or can't be one, or the URL is not one.
        """
        key = environment.get(server.key_variable, "").strip()
        url = environment.get(server.url_variable, "").strip()
        if url and not _is_http_url(url):
            raise ProviderError(
                f"{server.url_variable} is not an http or https URL",
                hint="write it as for http://localhost:8000/v1",
            )
        if server.needs_key and not key and not url:
            raise ProviderError(
                f"{server.key_variable} is not set, so {server.label} can't be asked",
                hint=f"export {server.key_variable}=…, or {server.url_variable}=… for a compatible server;"
                " without either, --llm replay:DIR uses a recording and --llm 'command:PROGRAM ARGS' a local"
                " program",
            )
        if not (key.isascii() and key.isprintable()):
            raise ProviderError(
                f"{server.key_variable} holds a character that no key has",
                hint="copy the key again, without line breaks",
            )
        return cls(server, base_url=url or server.url, key=key or _NO_KEY, secrets=(key,) if key else ())

    @property
    def host(self) -> str:
        """The server's host and port, without what else a URL may hold, such as a password."""
        return urlsplit(self.base_url).netloc.rpartition("@")[2]

    @property
    def is_own(self) -> bool:
        """Whether it is the provider's own server, not another one of its kind."""
        return self.base_url == self.server.url

    def error(self, model: str, message: str, hint: str = "", *, may_be_paid: bool = False) -> ProviderError:
        """A failure of a model on this server, with the key taken out of every part."""
        return ProviderError(
            # Redacted first: a shortened key would not be found.
            _shortened(redact(message, self.secrets)),
            where=redact(f"{model} at {self.host}", self.secrets),
            hint=redact(hint, self.secrets),
            may_be_paid=may_be_paid,
        )

    def explain_status(
        self, status: int, codes: Collection[str], said: str, retry_after: str | None
    ) -> tuple[str, str]:
        """The message and the hint for a status that says failure.

        Args:
            status: the HTTP status, or the one that an error in a stream stands for.
            codes: the provider's own names of the error.
            said: what the server says in its own words; may be empty.
            retry_after: how long the server asks to wait.
        """
        wait = f" (the server asks to wait: {retry_after})" if retry_after else ""
        what, hint = self._explained(status, codes, said, wait)
        return f"{what} ({status}){': ' if said else ''}{said}", hint

    def _explained(self, status: int, codes: Collection[str], said: str, wait: str) -> tuple[str, str]:
        key, url = self.server.key_variable, self.server.url_variable
        if status == 402 or not _NO_CREDIT.isdisjoint(codes) or "credit balance is too low" in said:
            return (
                "the account has no credit left",
                "see to its billing: add credit or raise its limit, then run the same command again",
            )
        if status == 413 or not _TOO_LONG.isdisjoint(codes) or "prompt is too long" in said:
            return (
                "the prompt is too long for this model",
                "shorten the input, or use a model with a larger context",
            )
        match status:
            case 401:
                return "the server refused the API key", f"check {key}"
            case 403:
                return "the server denies access", f"check what {key} may use, and from where"
            case 404:
                chat = "; some servers need openai-chat:NAME" if self.server is OPENAI else ""
                return (
                    "the server knows no such model, or no such API",
                    f"check the model's name and {url}{chat}",
                )
            case 408:
                return "the server did not get the request in time", _AGAIN
            case 429:
                return "the rate limit is reached", _AGAIN + wait
            case 529:
                return "the server is overloaded", _AGAIN + wait
            case _ if status >= 500:
                return "the server failed", _AGAIN + wait
            case _:
                return "the server refused the request", "check the model's name and the options given for it"

    def explain_connection(self, cause: str) -> tuple[str, str]:
        """The message and the hint for a connection that failed."""
        return (
            f"the connection failed: {cause}",
            f"check the network and {self.server.url_variable}, then run the same command again",
        )

    def explain_silence(self) -> tuple[str, str]:
        """The message and the hint for a server that did not answer in time."""
        return "the server did not answer in time", _AGAIN


def lacks_credit(codes: Collection[object]) -> bool:
    """Whether a provider's names of an error say that the account can't pay, which waiting does not mend."""
    return any(code in _NO_CREDIT for code in codes)


def _shortened(text: str) -> str:
    line = visible(" ".join(text.split())).rstrip(".")
    return line if len(line) <= _MESSAGE_CHARS else line[: _MESSAGE_CHARS - 1] + "…"


def _is_http_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and (parts.port is None or parts.port > 0)
        )
    except ValueError:
        return False

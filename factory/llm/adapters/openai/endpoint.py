"""Where an OpenAI-compatible server is and with which key it is asked. Knows no SDK."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from factory.llm.port import ProviderError

KEY_VARIABLE: Final = "OPENAI_API_KEY"
URL_VARIABLE: Final = "OPENAI_BASE_URL"

_DEFAULT_URL: Final = "https://api.openai.com/v1"
# The SDK insists on a key; a local server that needs none ignores it.
_NO_KEY: Final = "unused"


@dataclass(frozen=True)
class Endpoint:
    """A server and its key.

    Attributes:
        base_url: the URL below which the API's paths are.
        key: the key sent to it.
        secrets: what must not appear in any message.
    """

    base_url: str
    key: str = field(repr=False)
    secrets: tuple[str, ...] = field(repr=False)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str]) -> "Endpoint":
        """The server that `OPENAI_BASE_URL` and `OPENAI_API_KEY` name.

        Raises:
            ProviderError: the key is missing or can't be one, or the URL is not one.
        """
        key = environment.get(KEY_VARIABLE, "").strip()
        url = environment.get(URL_VARIABLE, "").strip()
        if url and not _is_http_url(url):
            raise ProviderError(
                f"{URL_VARIABLE} is not an http or https URL",
                hint="write it as for http://localhost:8000/v1",
            )
        if not key and not url:
            raise ProviderError(
                f"{KEY_VARIABLE} is not set, so OpenAI can't be asked",
                hint=f"export {KEY_VARIABLE}=…, or {URL_VARIABLE}=… for a compatible server; without either, "
                "--llm replay:DIR uses a recording and --llm 'command:PROGRAM ARGS' a local program",
            )
        if not (key.isascii() and key.isprintable()):
            raise ProviderError(
                f"{KEY_VARIABLE} holds a character that no key has",
                hint="copy the key again, without line breaks",
            )
        return cls(base_url=url or _DEFAULT_URL, key=key or _NO_KEY, secrets=(key,) if key else ())

    @property
    def host(self) -> str:
        """The server's host and port, without what else a URL may hold, such as a password."""
        return urlsplit(self.base_url).netloc.rpartition("@")[2]


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

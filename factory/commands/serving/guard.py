"""Who may ask the server: whoever has the token that was printed, from a page of its own. Pure.

Another page that the same browser shows must learn nothing and do nothing here: the name that is asked for
must be a loopback one (or a name server could lead here), the cookie is not sent along with requests of other
sites, and what changes something comes from our own origin with a second token, which only our forms hold.
"""

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

_BYTES = 24


@dataclass(frozen=True)
class Guard:
    """Who may ask.

    Attributes:
        port: the server's port.
        token: what the address holds that was printed, and later the cookie.
        form_token: what forms bring along.
    """

    port: int
    token: str = field(default_factory=lambda: secrets.token_urlsafe(_BYTES))
    form_token: str = field(default_factory=lambda: secrets.token_urlsafe(_BYTES))

    @property
    def origin(self) -> str:
        """Where our pages are."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def address(self) -> str:
        """What a person opens."""
        return f"{self.origin}/?token={self.token}"

    @property
    def cookie(self) -> str:
        """The header that keeps the token; its name has the port, because cookies of all ports are shared."""
        return f"{self._cookie_name}={self.token}; HttpOnly; SameSite=Strict; Path=/"

    def knows_host(self, headers: Mapping[str, str]) -> bool:
        """Whether a request asked for us by a name that no other machine can give away."""
        return headers.get("host", "") in (f"127.0.0.1:{self.port}", f"localhost:{self.port}")

    def is_named(self, query: str) -> bool:
        """Whether an address holds the token."""
        return _same(parse_qs(query).get("token", [""])[0], self.token)

    def is_known(self, headers: Mapping[str, str]) -> bool:
        """Whether a request brings the cookie along."""
        try:
            cookies = SimpleCookie(headers.get("cookie", ""))
        except CookieError:
            return False
        return self._cookie_name in cookies and _same(cookies[self._cookie_name].value, self.token)

    def may_act(self, headers: Mapping[str, str], form_token: str) -> bool:
        """Whether a request that changes something comes from a form of ours."""
        ours = (f"http://{headers.get('host', '')}",)
        return headers.get("origin", "") in ours and _same(form_token, self.form_token)

    @property
    def _cookie_name(self) -> str:
        return f"workorder-{self.port}"


def _same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())

"""Which texts name another machine."""

import re
from typing import Final

LOCAL: Final = frozenset({"localhost", "127.0.0.1", "[::1]", "0.0.0.0"})  # noqa: S104
"""Names of this machine."""

_HOST: Final = re.compile(r"(?:[\w-]+\.)+[\w-]+")
_URL: Final = re.compile(r"(?:https?|ftp|git|ssh)://(?P<host>[^/:\s]+)|git@(?P<other>[\w.-]+):")


def is_machine(text: str) -> bool:
    """Whether a text is the name of another machine."""
    return _HOST.fullmatch(text) is not None and text not in LOCAL


def is_far(text: str) -> bool:
    """Whether a text is the address of something on another machine."""
    url = _URL.search(text)
    host = (url["host"] or url["other"]) if url is not None else ""
    # A name without a dot, such as a test client's, is no machine of the internet.
    return "." in host and host not in LOCAL

"""Fetches a file from where an index says that it is; whether it is the right one its hash decides."""

import base64
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from factory.contract.errors import MachineProblem
from factory.environments.tools.workshop import redacted
from factory.system.files.tree import FileProblem, read_bounded

_SECONDS: Final = 60.0
_MOST_BYTES: Final = 500_000_000
_INDEXES: Final = ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_INDEX", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS")


def fetch(place: str, environment: Mapping[str, str]) -> bytes:
    """The bytes of a file.

    Args:
        place: its URL, of http or https, or its path.
        environment: what uv sees: an index's credentials there are used for files on the same server.

    Raises:
        MachineProblem: it can't be had.
    """
    parts = urllib.parse.urlsplit(place)
    shown = redacted(place, environment)
    if parts.scheme in ("", "file"):
        try:
            return read_bounded(Path(urllib.parse.unquote(parts.path)), max_bytes=_MOST_BYTES)
        except FileProblem as error:
            raise MachineProblem(error.message, where=shown) from error
    if parts.scheme not in ("http", "https") or parts.hostname is None:
        raise MachineProblem("is no place that files are fetched from", where=shown)
    host = parts.hostname + (f":{parts.port}" if parts.port else "")
    # Its scheme is looked at above, and redirections lead to no other.
    request = urllib.request.Request(  # noqa: S310
        urllib.parse.urlunsplit(parts._replace(netloc=host, fragment=""))
    )
    credentials = _credentials(parts, environment)
    if credentials:
        # Not sent on to another server that this one names.
        request.add_unredirected_header("Authorization", f"Basic {credentials}")
    try:
        with urllib.request.urlopen(request, timeout=_SECONDS) as answer:  # noqa: S310
            data: bytes = answer.read(_MOST_BYTES + 1)
    except (OSError, urllib.error.URLError, ValueError) as error:
        raise MachineProblem(
            f"can't be fetched: {redacted(str(error), environment)[:300]}",
            where=shown,
            hint="connect to the network once; credentials are taken from the URL of the index",
        ) from error
    if len(data) > _MOST_BYTES:
        raise MachineProblem(f"is larger than {_MOST_BYTES:,} bytes", where=shown)
    return data


def _credentials(wanted: urllib.parse.SplitResult, environment: Mapping[str, str]) -> str:
    """The user name and password for a server, as a header has them; empty for none."""
    indexes = " ".join(environment.get(name, "") for name in _INDEXES).split()
    for url in (urllib.parse.urlunsplit(wanted), *(index.rpartition("=")[2] for index in indexes)):
        try:
            parts = urllib.parse.urlsplit(url)
            same = (parts.scheme, parts.hostname, parts.port) == (
                wanted.scheme,
                wanted.hostname,
                wanted.port,
            )
        except ValueError:
            continue
        if same and parts.username:
            both = f"{urllib.parse.unquote(parts.username)}:{urllib.parse.unquote(parts.password or '')}"
            return base64.b64encode(both.encode()).decode("ascii")
    return ""

"""What `--engine` and `--engine-remote` name. Pure."""

import ipaddress
from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import urlsplit

from factory.contract.errors import MachineProblem, WorkorderError

LOCAL: Final = "local"
REMOTE_SCHEMES: Final = ("https", "ssh", "file")
_DASK: Final = "dask:"
_MOST_PROCESSES: Final = 1_000

HINT: Final = (
    "local, dask:tls://HOST:PORT, dask:tcp://HOST:PORT, dask:FILE (a scheduler file) or dask:local:N"
)


class EngineProblem(MachineProblem):
    """The engine can't be used: it is not reached, has no worker that fits, or answers what nobody asked."""


@dataclass(frozen=True)
class EngineName:
    """An engine as the user names it.

    Attributes:
        kind: `local` for this process; `processes` for workers that the build starts on this machine;
            `address` or `file` for a scheduler that is there.
        place: the scheduler's address, or the file that names it.
        processes: how many workers are started.
    """

    kind: Literal["local", "processes", "address", "file"]
    place: str = ""
    processes: int = 0


def parse_engine(text: str) -> EngineName:
    """The engine that a user names.

    Args:
        text: what stands after `--engine`.

    Raises:
        WorkorderError: it names none.
    """
    if text == LOCAL:
        return EngineName("local")
    kind, _, rest = text.partition(":")
    if f"{kind}:" != _DASK or not rest:
        raise WorkorderError("names no engine", where=f"--engine {text}", hint=HINT)
    if rest.startswith("local:"):
        number = rest.removeprefix("local:")
        if not number.isdecimal() or not 0 < int(number) <= _MOST_PROCESSES:
            raise WorkorderError(
                f"{number!r} is not a number of workers from 1 to {_MOST_PROCESSES}",
                where=f"--engine {text}",
                hint="such as dask:local:4",
            )
        return EngineName("processes", processes=int(number))
    if "://" in rest:
        if not is_address(rest):
            raise WorkorderError("is no address of a scheduler", where=f"--engine {text}", hint=HINT)
        return EngineName("address", rest)
    return EngineName("file", rest)


def parse_remote(text: str) -> str:
    """A repository that workers fetch from, as a user names it.

    Args:
        text: what stands after `--engine-remote`.

    Raises:
        WorkorderError: it names none, or holds what would be a secret; the message does not repeat it.
    """
    try:
        parts = urlsplit(text)
        secret = parts.password is not None or (parts.username is not None and parts.scheme == "https")
        host = parts.hostname or ""
    except ValueError:
        parts, secret, host = urlsplit(""), False, ""
    if secret:
        raise WorkorderError(
            "holds what gives access, which would go to every worker",
            where="--engine-remote",
            hint="leave it out: each worker fetches with the access of its own user",
        )
    is_one = text.isprintable() and " " not in text and parts.scheme in REMOTE_SCHEMES
    # A name that begins with a dash would be an option of what is started.
    if not is_one or host.startswith("-") or bool(host) == (parts.scheme == "file"):
        raise WorkorderError(
            "names no repository that workers could reach",
            where="--engine-remote",
            hint="such as https://HOST/REPOSITORY.git, ssh://git@HOST/REPOSITORY.git or file:///REPOSITORY.git",
        )
    return text


def is_address(text: str) -> bool:
    """Whether a scheduler could be reached there, such as `tls://10.0.0.5:8786`."""
    return text.partition("://")[0] in ("tcp", "tls") and bool(host_of(text)) and text.isprintable()


def host_of(address: str) -> str:
    """The host of an address such as `tcp://127.0.0.1:8786`; empty if there is none, or no port."""
    try:
        parts = urlsplit(address)
        return parts.hostname or "" if parts.port else ""
    except ValueError:
        return ""


def require_private(address: str, *, insecure: bool) -> None:
    """Refuse what others could read and write along.

    Args:
        address: the scheduler's.
        insecure: whether the user has said that it may be.

    Raises:
        EngineProblem: it is not encrypted, leads to another machine, and nobody has said that this may be.
    """
    if address.startswith("tls://") or insecure or _is_loopback(host_of(address)):
        return
    raise EngineProblem(
        "whoever reaches the scheduler there runs programs on its workers, and nothing is encrypted",
        where=address,
        hint="use tls:// (docs/engine.md tells how), or say --engine-insecure where nobody else is",
    )


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False

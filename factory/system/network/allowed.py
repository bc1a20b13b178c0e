"""The hosts that a command may reach: `--net allow:HOST[:PORT],…` as values. Pure."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Final

from factory.contract.errors import WorkorderError

PREFIX: Final = "allow:"
"""What the value of `--net` begins with, where hosts follow."""

_DEFAULT_PORT: Final = 443
_ENTRY: Final = re.compile(
    r"(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<name>[A-Za-z0-9_.-]+))(?::(?P<port>[0-9]{1,5}))?"
)
_LABELS: Final = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)(?:\.(?!-)[a-z0-9_-]{1,63}(?<!-))*")
_LOCAL: Final = "localhost"
# Addresses that stand for one of IPv4, see RFC 6052.
_TRANSLATED: Final = IPv6Network("64:ff9b::/96")


@dataclass(frozen=True)
class Allowed:
    """A host that may be reached.

    Attributes:
        host: its name in small letters, or its address as the standard library writes it.
        port: the port.
    """

    host: str
    port: int


def parse_allowed(text: str) -> tuple[Allowed, ...]:
    """Read `allow:HOST[:PORT],…`; without a port it is 443.

    Raises:
        WorkorderError: a part is no host, or there is none.
    """
    parts = [part.strip() for part in text.removeprefix(PREFIX).split(",")]
    return tuple(dict.fromkeys(_entry(part) for part in parts))


def _entry(part: str) -> Allowed:
    match = _ENTRY.fullmatch(part)
    host = canonical_host(match["six"] or match["name"]) if match else None
    port = int(match["port"] or _DEFAULT_PORT) if match else 0
    if host is None or not 0 < port < 65_536:
        raise WorkorderError(
            f"{part!r} names no host" if part else "names no host",
            where="--net allow",
            hint="such as allow:api.example.com,127.0.0.1:8080; patterns are not understood",
        )
    return Allowed(host, port)


def canonical_host(text: str) -> str | None:
    """A name or an address in the one form that is compared; None if it is neither."""
    try:
        return str(ip_address(text))
    except ValueError:
        name = text.lower().removesuffix(".")
        # All digits would be an address to some resolvers, such as 2130706433.
        is_name = len(name) <= 253 and _LABELS.fullmatch(name) and not name.replace(".", "").isdecimal()
        return name if is_name and not name.startswith("0x") else None


def may_connect(address: str, hosts: Collection[Allowed]) -> bool:
    """Whether a connection to an address may be made that an allowed name led to.

    One that is not public, such as 169.254.169.254, must be named itself: names lead wherever their owners
    want.
    """
    ip = _underlying(ip_address(address.partition("%")[0]))
    if ip.is_global and not ip.is_multicast:
        return True
    named = {host.host for host in hosts}
    return str(ip) in named or address in named or (ip.is_loopback and _LOCAL in named)


def _underlying(ip: IPv4Address | IPv6Address) -> IPv4Address | IPv6Address:
    """The address of IPv4 that one of IPv6 stands for, if it does."""
    if isinstance(ip, IPv4Address):
        return ip
    if ip in _TRANSLATED:
        return IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.ipv4_mapped or ip.sixtofour or ip

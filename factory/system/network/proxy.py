"""A proxy for one confined command: it reaches the allowed hosts, by names that are resolved here.

It listens on a socket that was opened inside the sandbox, on its loopback, and handed out; so there is no
way around it, and nobody else on the machine can use it. CONNECT for TLS, and absolute URLs for plain HTTP to
hosts that are allowed with that port. Everything else is refused and recorded.
"""

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, Collection
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TypeAlias
from urllib.parse import urlsplit

from factory.system.network.allowed import Allowed, canonical_host, may_connect

START: Final = Path(__file__).with_name("start.py")
"""What hands the listening socket out of the sandbox."""

_HEAD_BYTES: Final = 16_384
_HEAD_SECONDS: Final = 30.0
_CONNECT_SECONDS: Final = 30.0
_CHUNK: Final = 65_536
_MOST_CONNECTIONS: Final = 100
_MOST_RECORDED: Final = 200
_SHOWN_CHARS: Final = 120
_ESTABLISHED: Final = b"HTTP/1.1 200 Connection established\r\n\r\n"


@dataclass
class Contact:
    """What came of asking for one target.

    Attributes:
        target: the host and port, as they were asked for.
        refused: why it was refused or not reached; empty if it was reached.
        times: how often.
        sent: bytes that went there.
        received: bytes that came from there.
    """

    target: str
    refused: str = ""
    times: int = 0
    sent: int = 0
    received: int = 0


@dataclass
class Contacts:
    """The contacts so far, one for each target and reason; past a number of them the rest is one."""

    seen: dict[tuple[str, str], Contact] = field(default_factory=dict)

    def of(self, target: str, refused: str = "") -> Contact:
        """The contact to count in, counted once more."""
        target = "".join(character if character.isprintable() else "?" for character in target)[:_SHOWN_CHARS]
        if (target, refused) not in self.seen and len(self.seen) >= _MOST_RECORDED:
            target, refused = "others", "too many to tell apart"
        contact = self.seen.setdefault((target, refused), Contact(target, refused))
        contact.times += 1
        return contact


class _Refused(Exception):
    """A request that is not carried out; the status and the reason are for the command and the record."""

    def __init__(self, status: str, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


Resolve: TypeAlias = Callable[[str, int], Awaitable[list[str]]]


class Proxy:
    """A proxy in a thread of its own; a block, at whose end its connections are closed.

    Args:
        hosts: what may be reached.
        resolve: the addresses of a name and a port; raises OSError if there are none.

    Attributes:
        contacts: what was asked for, complete at the end of the block.
        inherited: the descriptor by which the command hands out its listening socket, see `start`.
    """

    def __init__(self, hosts: Collection[Allowed], resolve: Resolve | None = None) -> None:
        self.contacts = Contacts()
        self._hosts = frozenset(hosts)
        self._resolve = resolve or _resolved
        self._open: set[asyncio.Task[None] | None] = set()

    def __enter__(self) -> Self:
        self._ours, self._theirs = socket.socketpair()
        self._ours.setblocking(False)
        self.inherited = self._theirs.fileno()
        self._loop = asyncio.new_event_loop()
        self._end = asyncio.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="proxy")
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join()
        self._loop.close()
        self._ours.close()
        self._theirs.close()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())

    async def _serve(self) -> None:
        handed = asyncio.create_task(self._handed_out())
        ending = asyncio.create_task(self._end.wait())
        await asyncio.wait({handed, ending}, return_when=asyncio.FIRST_COMPLETED)
        listening = handed.result() if handed.done() else None
        handed.cancel()
        if listening is not None:
            listening.setblocking(False)
            server = await asyncio.start_server(self._handle, sock=listening, limit=_HEAD_BYTES)
            await ending
            server.close()
        await ending
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _handed_out(self) -> socket.socket | None:
        """The listening socket, once the command has opened it; None if it never will."""
        readable = asyncio.Event()
        self._loop.add_reader(self._ours, readable.set)
        try:
            await readable.wait()
        finally:
            self._loop.remove_reader(self._ours)
        _, descriptors, _, _ = socket.recv_fds(self._ours, 1, 1)
        return socket.socket(fileno=descriptors[0]) if descriptors else None

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Held here: once the command has sent its end, its connection alone refers to the task, and nothing
        # to it.
        task = asyncio.current_task()
        self._open.add(task)
        try:
            with closing(writer), suppress(OSError):
                await self._answer(reader, writer)
        finally:
            self._open.discard(task)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        target = "?"
        try:
            if len(self._open) > _MOST_CONNECTIONS:
                raise _Refused("503 Service Unavailable", "too many connections at a time")
            head = await self._head(reader)
            method, target, first = _request(head)
            host = self._allowed(target)
            to_host, from_host = await self._connect(host)
        except _Refused as refused:
            self.contacts.of(target, refused.reason)
            writer.write(f"HTTP/1.1 {refused.status}\r\nConnection: close\r\n\r\n{refused.reason}\n".encode())
            await writer.drain()
            return
        contact = self.contacts.of(target)
        with closing(from_host):
            if method == "CONNECT":
                writer.write(_ESTABLISHED)
            else:
                from_host.write(first)
                contact.sent += len(first)

            def sent(count: int) -> None:
                contact.sent += count

            def received(count: int) -> None:
                contact.received += count

            await asyncio.gather(_copy(reader, from_host, sent), _copy(to_host, writer, received))

    async def _head(self, reader: asyncio.StreamReader) -> bytes:
        try:
            return await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), _HEAD_SECONDS)
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, TimeoutError) as error:
            raise _Refused("400 Bad Request", "no request that a proxy understands") from error

    def _allowed(self, target: str) -> Allowed:
        name, _, port = target.rpartition(":")
        host = canonical_host(name.removeprefix("[").removesuffix("]"))
        if host is None or not port.isdecimal() or Allowed(host, int(port)) not in self._hosts:
            raise _Refused("403 Forbidden", "not among the allowed hosts")
        return Allowed(host, int(port))

    async def _connect(self, host: Allowed) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        try:
            addresses = await asyncio.wait_for(self._resolve(host.host, host.port), _CONNECT_SECONDS)
        except (OSError, UnicodeError, TimeoutError) as error:
            raise _Refused("502 Bad Gateway", "its name can't be resolved") from error
        open_to = [address for address in dict.fromkeys(addresses) if may_connect(address, self._hosts)]
        if not open_to:
            raise _Refused("403 Forbidden", "it leads to an address that is not public and not named itself")
        for address in open_to:
            with suppress(OSError, TimeoutError):
                return await asyncio.wait_for(
                    asyncio.open_connection(address, host.port, limit=_CHUNK), _CONNECT_SECONDS
                )
        raise _Refused("502 Bad Gateway", "it can't be reached")


async def _resolved(host: str, port: int) -> list[str]:
    places = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(place[4][0]) for place in places]


def _request(head: bytes) -> tuple[str, str, bytes]:
    """The method, the target as HOST:PORT, and of plain HTTP what is sent on."""
    line, _, rest = head.partition(b"\r\n")
    words = line.decode("latin-1").split(" ")
    if len(words) != 3:
        raise _Refused("400 Bad Request", "no request that a proxy understands")
    method, target, version = words
    if method == "CONNECT":
        return method, target, b""
    try:
        url = urlsplit(target)
        port = url.port or 80
    except ValueError as error:
        raise _Refused("400 Bad Request", "no request that a proxy understands") from error
    if url.scheme != "http" or not url.hostname:
        raise _Refused("405 Method Not Allowed", "only CONNECT, and http:// to a host that is allowed")
    path = (url.path or "/") + (f"?{url.query}" if url.query else "")
    # One request for each connection: the next one may have another target.
    kept = [
        header
        for header in rest.split(b"\r\n")
        if header and not header.lower().startswith((b"connection:", b"proxy-", b"keep-alive:"))
    ]
    lines = [f"{method} {path} {version}".encode("latin-1"), *kept, b"Connection: close", b"", b""]
    host = f"[{url.hostname}]" if ":" in url.hostname else url.hostname
    return method, f"{host}:{port}", b"\r\n".join(lines)


async def _copy(
    source: asyncio.StreamReader, sink: asyncio.StreamWriter, count: Callable[[int], None]
) -> None:
    """Copy to the end; the other direction may go on."""
    with suppress(OSError):
        while chunk := await source.read(_CHUNK):
            sink.write(chunk)
            count(len(chunk))
            await sink.drain()
    with suppress(OSError, RuntimeError):
        sink.write_eof()

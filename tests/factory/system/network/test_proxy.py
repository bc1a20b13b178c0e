"""The proxy of one command: what it reaches, what it refuses, and what it records."""

import gc
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from factory.system.network.allowed import Allowed, parse_allowed
from factory.system.network.proxy import Proxy, Resolve


class _Echo(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(f"{self.path} {sorted(key.lower() for key in self.headers)}".encode())

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""


@pytest.fixture(scope="module")
def server() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Echo) as serving:
        thread = threading.Thread(target=serving.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield serving.server_address[1]
        serving.shutdown()
        thread.join()


@contextmanager
def proxying(*hosts: Allowed, resolve: Resolve | None = None) -> Iterator[tuple[Proxy, int]]:
    """A proxy and its port; its socket is handed over as a sandboxed program would."""
    with Proxy(hosts, resolve) as proxy, socket.create_server(("127.0.0.1", 0)) as listening:
        with socket.socket(fileno=socket.dup(proxy.inherited)) as door:
            socket.send_fds(door, [b"."], [listening.fileno()])
        yield proxy, listening.getsockname()[1]


async def _here(_host: str, _port: int) -> list[str]:
    return ["127.0.0.1"]


def said(port: int, request: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(65_536), b""))


def test_a_tunnel_and_a_plain_request_reach_an_allowed_host(server: int) -> None:
    with proxying(Allowed("127.0.0.1", server)) as (proxy, port):
        tunnelled = said(
            port, f"CONNECT 127.0.0.1:{server} HTTP/1.1\r\n\r\nGET /a HTTP/1.0\r\nKept: 1\r\n\r\n".encode()
        )
        plain = said(
            port, f"GET http://127.0.0.1:{server}/b?c HTTP/1.1\r\nHost: x\r\nProxy-Key: k\r\n\r\n".encode()
        )

    assert tunnelled.startswith(b"HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.0 200 ")
    assert tunnelled.endswith(b"/a ['kept']")
    assert plain.endswith(b"/b?c ['connection', 'host']")
    (contact,) = proxy.contacts.seen.values()
    assert (contact.target, contact.refused, contact.times) == (f"127.0.0.1:{server}", "", 2)
    assert contact.sent > 0
    assert contact.received > 0


def test_a_tunnel_stays_when_the_collector_runs_after_the_command_sent_its_end() -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as host,
        proxying(Allowed("127.0.0.1", host.getsockname()[1])) as (_, port),
        socket.create_connection(("127.0.0.1", port), timeout=20) as connection,
    ):
        connection.sendall(f"CONNECT 127.0.0.1:{host.getsockname()[1]} HTTP/1.1\r\n\r\n".encode())
        reached, _ = host.accept()
        with reached:
            connection.shutdown(socket.SHUT_WR)
            assert reached.recv(1) == b""
            for _ in range(5):  # the proxy's thread may be about to wait, and hold what it runs
                time.sleep(0.01)
                gc.collect()
            reached.sendall(b"late")
        said_back = b"".join(iter(lambda: connection.recv(65_536), b""))

    assert said_back.endswith(b"\r\n\r\nlate")


@pytest.mark.parametrize(
    ("request_line", "status", "reason"),
    [
        ("CONNECT other.example:443 HTTP/1.1", b"403", "not among the allowed hosts"),
        ("CONNECT 127.0.0.1:SERVER HTTP/1.1", b"403", "not among the allowed hosts"),
        ("CONNECT private.example:1 HTTP/1.1", b"403", "an address that is not public"),
        ("GET http://127.0.0.1:SERVER/ HTTP/1.1", b"403", "not among the allowed hosts"),
        ("GET file:///etc/passwd HTTP/1.1", b"405", "only CONNECT"),
        ("GET http://[/ HTTP/1.1", b"400", "no request"),
        ("nonsense", b"400", "no request"),
        ("GET " + "x" * 40_000, b"400", "no request"),
    ],
)
def test_everything_else_is_refused_and_recorded(
    server: int, request_line: str, status: bytes, reason: str
) -> None:
    # A name that is allowed and leads where nothing public is.
    hosts = parse_allowed("allow:api.example.com,private.example:1")
    with proxying(*hosts, resolve=_here) as (proxy, port):
        answer = said(port, request_line.replace("SERVER", str(server)).encode() + b"\r\n\r\n")

    assert answer.split(b" ")[1] == status
    (contact,) = proxy.contacts.seen.values()
    assert reason in contact.refused


def test_it_ends_although_the_command_never_opened_its_socket_or_left_connections_open(server: int) -> None:
    with Proxy([Allowed("127.0.0.1", server)]) as unused:
        pass
    with proxying(Allowed("127.0.0.1", server)) as (_, port):
        left = socket.create_connection(("127.0.0.1", port))
        left.sendall(f"CONNECT 127.0.0.1:{server} HTTP/1.1\r\n\r\n".encode())
        left.recv(100)
    left.close()

    assert not unused.contacts.seen


def test_what_is_recorded_is_bounded() -> None:
    with Proxy([]) as proxy:
        for number in range(1_000):
            proxy.contacts.of(f"\x1b{number}.example:443" + "x" * 1_000, "no")

    assert len(proxy.contacts.seen) <= 202
    assert all(len(name) < 200 and "\x1b" not in name for name, _ in proxy.contacts.seen)

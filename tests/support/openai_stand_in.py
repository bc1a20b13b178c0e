"""A stand-in for an OpenAI-compatible server on loopback: what a test scripts, in the order it scripts it.

It knows both APIs, background responses with polling included, and remembers every request.
"""

import json
import socket
import threading
from collections import deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType

from factory.contract.strict_json import JsonObject, JsonValue


@dataclass(frozen=True)
class Seen:
    """One request that reached the server."""

    method: str
    path: str
    headers: dict[str, str]
    body: JsonObject


@dataclass(frozen=True)
class Fault:
    """A reply that is none: a status with a body, or a connection that drops."""

    status: int = 500
    body: "JsonValue | bytes" = None
    headers: dict[str, str] = field(default_factory=dict)
    drop: bool = False


def error_body(message: str, *, code: str | None = None, param: str | None = None) -> JsonObject:
    """The body in which OpenAI reports an error."""
    return {"error": {"message": message, "type": "invalid_request_error", "code": code, "param": param}}


def message_item(text: str, *, phase: str | None = None) -> JsonObject:
    """An output message of the Responses API."""
    return {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "phase": phase,
        "content": [{"type": "output_text", "text": text, "annotations": []}],
    }


def ended_response(
    text: str = "", *, status: str = "completed", output: list[JsonValue] | None = None, **fields: JsonValue
) -> JsonObject:
    """A response of the Responses API that has ended; the server adds the id."""
    items: list[JsonValue] = output if output is not None else [message_item(text)]
    return {
        "object": "response",
        "model": "gpt-test-2026-01-01",
        "status": status,
        "output": items,
        "error": None,
        "incomplete_details": None,
        "usage": {
            "input_tokens": 50,
            "input_tokens_details": {"cached_tokens": 20, "cache_write_tokens": 0},
            "output_tokens": 30,
            "output_tokens_details": {"reasoning_tokens": 10},
            "total_tokens": 80,
        },
        **fields,
    }


def chat_completion(
    text: str | None = "", *, finish_reason: str | None = "stop", **fields: JsonValue
) -> JsonObject:
    """A completion of Chat Completions."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-test-2026-01-01",
        "choices": [
            {"index": 0, "finish_reason": finish_reason, "message": {"role": "assistant", "content": text}}
        ],
        "usage": {
            "prompt_tokens": 50,
            "prompt_tokens_details": {"cached_tokens": 20},
            "completion_tokens": 30,
            "completion_tokens_details": {"reasoning_tokens": 10},
            "total_tokens": 80,
        },
        **fields,
    }


def chat_stream(
    text: str,
    *,
    finish_reason: str | None = "stop",
    usage: JsonValue = None,
    pieces: int = 3,
    done: bool = True,
) -> bytes:
    """The events of a completion in pieces; its usage in a chunk of its own, without choices."""
    size = max(1, -(-len(text) // pieces))
    deltas: list[JsonValue] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": text[start : start + size]} for start in range(0, len(text), size)]
    head: JsonObject = {"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "m-1"}
    chunks: list[JsonObject] = [
        {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas
    ]
    if finish_reason is not None:
        end: JsonValue = {"index": 0, "delta": {}, "finish_reason": finish_reason}
        chunks.append({**head, "choices": [end]})
    if usage is not None:
        chunks.append({**head, "choices": [], "usage": usage})
    return b"".join(b"data: %s\n\n" % json.dumps(chunk).encode() for chunk in chunks) + (
        b"data: [DONE]\n\n" if done else b""
    )


class OpenAiStandIn:
    """The server; a context manager.

    Attributes:
        replies: what creating requests get, in order; the last one is repeated.
        faults: what the next requests of any kind get instead, in order; None lets one request through.
        polls: how many polls a background response takes to end.
        knows_background: whether `background` is understood, or answered at once.
        seen: every request, in order.
        stored: the responses that can be retrieved.
    """

    def __init__(self, *replies: "JsonValue | bytes", polls: int = 2) -> None:
        self.replies = deque(replies)
        self.faults: deque[Fault | None] = deque()
        self.polls = polls
        self.knows_background = True
        self.seen: list[Seen] = []
        self.stored: dict[str, JsonObject] = {}
        self.polled: dict[str, int] = {}
        self._server = _Server(("127.0.0.1", 0), _Handler, self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    @property
    def url(self) -> str:
        """Without the path below which APIs are."""
        return self.base_url.removesuffix("/v1")

    def environment(self, **more: str) -> dict[str, str]:
        """The variables that send an adapter here."""
        return {"OPENAI_API_KEY": "sk-test-0123456789abcdef", "OPENAI_BASE_URL": self.base_url} | more

    def count(self, method: str) -> int:
        """How many requests of that method came."""
        return sum(seen.method == method for seen in self.seen)

    def __enter__(self) -> "OpenAiStandIn":
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def reply_to(self, seen: Seen) -> Fault:
        """The status, body and headers of the reply to a request."""
        self.seen.append(seen)
        fault = self.faults.popleft() if self.faults else None
        if fault is not None:
            return fault
        if seen.method == "GET":
            return self._poll(seen.path.rpartition("/")[2])
        reply = self.replies.popleft() if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, dict) and seen.path.endswith("/responses"):
            return Fault(200, self._create(reply, background=seen.body.get("background") is True))
        return Fault(200, reply, {"x-request-id": "req_1"})

    def _create(self, reply: JsonObject, *, background: bool) -> JsonObject:
        name = f"resp_{len(self.stored) + 1}"
        self.stored[name] = {"id": name, **reply}
        self.polled[name] = 0
        if background and self.knows_background:
            return {"id": name, "object": "response", "status": "queued", "output": []}
        return self.stored[name]

    def _poll(self, name: str) -> Fault:
        if name not in self.stored:
            return Fault(404, error_body(f"Response with id '{name}' not found."))
        self.polled[name] += 1
        if self.polled[name] < self.polls:
            return Fault(200, {"id": name, "object": "response", "status": "in_progress", "output": []})
        return Fault(200, self.stored[name])


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(
        self, address: tuple[str, int], handler: type[BaseHTTPRequestHandler], stand_in: OpenAiStandIn
    ) -> None:
        super().__init__(address, handler)
        self.stand_in = stand_in


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self._reply({})

    def do_POST(self) -> None:
        self._reply(json.loads(self.rfile.read(int(self.headers["content-length"]))))

    def _reply(self, body: JsonObject) -> None:
        assert isinstance(self.server, _Server)
        headers = {name.lower(): value for name, value in self.headers.items()}
        reply = self.server.stand_in.reply_to(Seen(self.command, self.path, headers, body))
        if reply.drop:
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        data = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        self.send_response(reply.status)
        kind = "text/event-stream" if data.startswith((b"data:", b"event:")) else "application/json"
        for name, value in {"content-type": kind, **reply.headers}.items():
            self.send_header(name, value)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""

"""The server as an application: what stands at which address. The one module that knows Starlette."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, quote

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from factory.commands.serving.acts import Act, do
from factory.commands.serving.files import read_entry
from factory.commands.serving.guard import Guard
from factory.commands.serving.pages import failure_page, list_page, report_page
from factory.commands.serving.places import builds_in, mark
from factory.contract.errors import WorkorderError

_SECONDS: Final = 0.5
"""How often it is looked whether something has changed."""
_SILENCE: Final = 15.0
"""After so many seconds something is sent, so that a client that has gone is noticed."""
_SAID_SECONDS: Final = 30.0
"""How long what became of an act is shown."""
_MOST_FORM_BYTES: Final = 65_536
_HEADERS: Final = {
    "Content-Security-Policy": "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_FILE_POLICY: Final = {"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox"}


@dataclass
class Server:
    """What is shown, and to whom.

    Attributes:
        root: the directory of a build, or one that holds several.
        guard: who may ask.
        naming: names commands as who started it has called them.
        said: what became of the last act on a build, and when, by the build's name.
    """

    root: Path
    guard: Guard
    naming: Callable[[str], str] = str
    said: dict[str, tuple[str, bool, float]] = field(default_factory=dict)

    def app(self) -> ASGIApp:
        """The application."""
        routes = [
            Route("/", self._list),
            Route("/b/{name}", self._with_slash),
            Route("/b/{name}/", self._page),
            Route("/b/{name}/events", self._events),
            Route("/b/{name}/act", self._act, methods=["POST"]),
            Route("/b/{name}/{path:path}", self._file),
        ]
        handlers: dict[Any, Any] = {WorkorderError: _told, OSError: _told}
        return _Guarded(Starlette(routes=routes, exception_handlers=handlers), self.guard)

    def _list(self, _request: Request) -> Response:
        return HTMLResponse(list_page(self.root, builds_in(self.root)))

    def _with_slash(self, request: Request) -> Response:
        return RedirectResponse(f"/b/{quote(request.path_params['name'], safe='')}/")

    def _page(self, request: Request) -> Response:
        name = request.path_params["name"]
        text, went_well, when = self.said.get(name, ("", True, 0.0))
        is_recent = time.monotonic() - when < _SAID_SECONDS
        out = self._out(name)
        return HTMLResponse(report_page(out, self.guard.form_token, text if is_recent else "", went_well))

    def _file(self, request: Request) -> Response:
        out = self._out(request.path_params["name"])
        path = request.path_params["path"]
        entry = read_entry(out, path)
        if entry is None:
            return PlainTextResponse("there is no such file", 404)
        if isinstance(entry, bytes):
            return Response(entry, media_type="text/plain; charset=utf-8", headers=_FILE_POLICY)
        if not path.endswith("/"):
            return RedirectResponse(f"{quote(path.rpartition('/')[2])}/")
        return HTMLResponse(list_page(out / path, {name: out / path / name for name in entry}))

    async def _act(self, request: Request) -> Response:
        name = request.path_params["name"]
        form = parse_qs((await _body(request)).decode("utf-8", "replace"), keep_blank_values=True)
        value = {key: values[0] for key, values in form.items()}
        if not self.guard.may_act(request.headers, value.get("token", "")):
            return PlainTextResponse("this did not come from a page of this server: open it again", 403)
        out = self._out(name)
        act = Act(out, value.get("order", ""), value.get("text", ""), value.get("plan", ""))
        try:
            said, went_well = await asyncio.to_thread(do, value.get("act", ""), act), True
        except (WorkorderError, OSError) as error:
            said, went_well = self.naming(str(error)), False
        self.said[name] = (said, went_well, time.monotonic())
        return RedirectResponse("./", 303)

    async def _events(self, request: Request) -> Response:
        out = self._out(request.path_params["name"])
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        return StreamingResponse(_changes(out), media_type="text/event-stream", headers=headers)

    def _out(self, name: str) -> Path:
        """The directory of a build.

        Raises:
            WorkorderError: there is no such build.
        """
        out = builds_in(self.root).get(name)
        if out is None:
            raise WorkorderError(f"holds no build {name!r}", where=str(self.root))
        return out


async def _changes(out: Path) -> AsyncIterator[str]:
    """A line for each time that something has changed; the reader asks for the page then."""
    known = await asyncio.to_thread(mark, out)
    silent = 0.0
    yield ": hello\n\n"
    while True:
        await asyncio.sleep(_SECONDS)
        silent += _SECONDS
        seen = await asyncio.to_thread(mark, out)
        if seen != known:
            known, silent = seen, 0.0
            yield "event: changed\ndata: records\n\n"
        elif silent >= _SILENCE:
            silent = 0.0
            yield ": still here\n\n"


async def _body(request: Request) -> bytes:
    """What was sent, up to the most that a form of ours has."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _MOST_FORM_BYTES:
            raise WorkorderError(f"has more than {_MOST_FORM_BYTES:,} bytes", where="the form")
    return body


def _told(_request: Request, error: Exception) -> Response:
    return HTMLResponse(failure_page(str(error)), 404)


class _Guarded:
    """Lets nobody through whom the guard does not know, and gives every answer its headers."""

    def __init__(self, app: ASGIApp, guard: Guard) -> None:
        self._app = app
        self._guard = guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        refused = self._refusal(Headers(scope=scope), scope)
        answer: Callable[[Scope, Receive, Send], Awaitable[None]] = refused or self._app

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await answer(scope, receive, with_headers)

    def _refusal(self, headers: Headers, scope: Scope) -> Response | None:
        """The answer to whom nothing is shown; None for who may go on."""
        if not self._guard.knows_host(headers):
            return PlainTextResponse("this server answers to its own name alone\n", 421)
        if scope["method"] == "GET" and scope["path"] == "/":
            query = scope["query_string"].decode("latin-1")
            if self._guard.is_named(query):
                # The address with the token is in no history that a page could lead to.
                return RedirectResponse("/", 303, headers={"Set-Cookie": self._guard.cookie})
        if self._guard.is_known(headers):
            return None
        return PlainTextResponse("open the address that was printed at the start\n", 403)

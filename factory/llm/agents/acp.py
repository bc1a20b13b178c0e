"""An agent that speaks the Agent Client Protocol. The only file that knows its SDK, an extra.

The agent works in its checkout by itself: we offer it neither files nor terminals, which would be ours,
outside of the sandbox. We answer what it asks permission for, and keep what it tells.
"""

import asyncio
import json
import logging
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, cast

from acp import PROTOCOL_VERSION, text_block
from acp.client.connection import ClientSideConnection
from acp.interfaces import Client
from acp.schema import (
    AllowedOutcome,
    ClientCapabilities,
    DeniedOutcome,
    FileSystemCapabilities,
    Implementation,
    PermissionOption,
    PromptResponse,
    RequestPermissionResponse,
    ToolCallUpdate,
)

from factory.llm.agents.permission import chosen, reason_to_refuse
from factory.llm.agents.session import Said, Session, printed
from factory.llm.port import FinishReason, Usage
from factory.system.process.command import Outcome
from factory.system.process.launch import run
from factory.system.process.stop import Stop, Stopped

_LONGEST_LINE: Final = 16_000_000
_MOST_UPDATES: Final = 100_000
_MOST_CHARS: Final = 1_000_000
_LAST_WORDS: Final = 1_000
_LOOK_SECONDS: Final = 0.1
_END_SECONDS: Final = 5.0
_ENDS: Final = {
    "end_turn": FinishReason.STOP,
    "max_tokens": FinishReason.LENGTH,
    "max_turn_requests": FinishReason.LENGTH,
    "refusal": FinishReason.REFUSAL,
}
_EXITED: Final = Outcome(
    exit_code=0, signal=None, timed_out=False, not_started=None, output_bytes=0, leftovers=0, seconds=0.0
)
"""How an agent ended that had answered: it waits for more, and is ended by us."""


@dataclass
class _Client:
    """Our side: answers permission requests and writes down what the agent tells.

    Attributes:
        session: the session.
        lines: what was told and asked, for people.
        words: what the agent said since its last tool call.
        cost: its price so far in US dollars, if it tells that.
    """

    session: Session
    lines: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    cost: float | None = None
    updates: int = 0
    chars: int = 0

    async def request_permission(
        self, session_id: str, tool_call: ToolCallUpdate, options: list[PermissionOption], **_: Any
    ) -> RequestPermissionResponse:
        place = self.session.place
        refused = reason_to_refuse(tool_call.kind, _places(tool_call), str(place.root), place.may_write)
        name = chosen([(option.option_id, option.kind) for option in options], allow=not refused)
        answer = f"no: {refused}" if refused else "yes"
        self.tell(f"[permission] {tool_call.kind or 'other'} {tool_call.title or ''}: {answer}\n")
        if name is None:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=name))

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        self.updates += 1
        kind = str(getattr(update, "session_update", ""))
        content = getattr(update, "content", None)
        if kind == "agent_message_chunk":
            text = str(getattr(content, "text", "") or "")
            self.words.append(text)
            self.tell(text)
        elif kind == "agent_thought_chunk":
            self.tell(str(getattr(content, "text", "") or ""))
        elif kind == "usage_update":
            cost = getattr(update, "cost", None)
            if cost is not None and cost.currency == "USD" and 0 <= cost.amount < 10**6:
                self.cost = round(float(cost.amount), 6)
        else:
            if kind == "tool_call":
                self.words.clear()
            document = update.model_dump(mode="json", by_alias=True, exclude_none=True)
            self.tell(f"\n[{kind}] {json.dumps(document, ensure_ascii=False, sort_keys=True)[:2_000]}\n")

    def tell(self, text: str) -> None:
        if self.chars < _MOST_CHARS:
            self.lines.append(text[:_MOST_CHARS])
        self.chars += len(text)

    def on_connect(self, conn: Any) -> None:
        """Nothing is asked before the agent is."""


def talk(session: Session, prompt: str, folder: Path) -> tuple[Outcome, Said]:
    """Start it, prompt it once, and end it; see `Talk`."""
    errors = folder / "errors"
    to_agent, from_agent = os.pipe(), os.pipe()
    pipes = (to_agent[0], from_agent[1])
    client = _Client(session)
    ended: list[Outcome | BaseException] = []
    with Stop() as stop, _without_log():

        def work() -> None:
            try:
                ended.append(run(session.command(errors, None, pipes=pipes, stop=stop)))
            except BaseException as error:
                ended.append(error)
            finally:
                # Or its end would never be heard of.
                for descriptor in pipes:
                    os.close(descriptor)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        try:
            answer, complaint = asyncio.run(_converse(client, session, prompt, from_agent[0], to_agent[1]))
            if answer is None:
                # It may be about to end by itself, and then that is what there is to tell.
                thread.join(_END_SECONDS)
        finally:
            stop.ask()
            thread.join()
    end = ended[0]
    if isinstance(end, BaseException) and not isinstance(end, Stopped):
        raise end
    outcome = end if isinstance(end, Outcome) and answer is None else _EXITED
    return outcome, _said(client, answer, complaint, printed(errors))


async def _converse(
    client: _Client, session: Session, prompt: str, reading: int, writing: int
) -> tuple[PromptResponse | None, str]:
    """Ask, and wait for the end of the turn; the answer, or why there is none."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=_LONGEST_LINE)
    incoming, _ = await loop.connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(reading, "rb", 0)
    )
    outgoing, protocol = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()), os.fdopen(writing, "wb", 0)
    )
    writer = asyncio.StreamWriter(outgoing, protocol, None, loop)
    connection = ClientSideConnection(cast(Client, client), writer, reader)
    asked = asyncio.create_task(_ask(connection, session, prompt))
    try:
        while not asked.done():
            await asyncio.wait({asked}, timeout=_LOOK_SECONDS)
            if session.stop is not None:
                session.stop.heed()
            if client.updates > _MOST_UPDATES:
                return None, "it tells more than anybody can read"
        error = asked.exception()
        return (asked.result(), "") if error is None else (None, f"{type(error).__name__}: {error}")
    finally:
        asked.cancel()
        # Whatever it said last, its end is known.
        with suppress(Exception):
            await connection.close()
        incoming.close()
        outgoing.close()


async def _ask(connection: ClientSideConnection, session: Session, prompt: str) -> PromptResponse:
    await connection.initialize(
        protocol_version=PROTOCOL_VERSION,
        client_capabilities=ClientCapabilities(
            fs=FileSystemCapabilities(read_text_file=False, write_text_file=False), terminal=False
        ),
        client_info=Implementation(name="workorder", version=version("workorder")),
    )
    opened = await connection.new_session(cwd=str(session.place.root), mcp_servers=[])
    return await connection.prompt(session_id=opened.session_id, prompt=[text_block(prompt)])


def _said(client: _Client, answer: PromptResponse | None, complaint: str, errors: str) -> Said:
    transcript = "".join(client.lines)
    transcript += f"\n[standard error]\n{errors}" if errors.strip() else ""
    words = "".join(client.words).strip()[-_LAST_WORDS:]
    reason = answer.stop_reason if answer is not None else ""
    if answer is None or reason not in _ENDS:
        transcript += f"\n[end] {complaint or reason}\n"
        return Said(transcript, words, None, failed=True)
    return Said(transcript, words, _usage(answer, client.cost), _ENDS[reason])


def _usage(answer: PromptResponse, cost: float | None) -> Usage | None:
    told = answer.usage
    if told is None:
        return None
    read, written = told.cached_read_tokens or 0, told.cached_write_tokens or 0
    thoughts = told.thought_tokens or 0
    # The total tells whether cached tokens stand beside the input tokens or are among them.
    beside = told.total_tokens >= told.input_tokens + told.output_tokens + read + written
    return Usage(
        input_tokens=told.input_tokens + (read + written if beside else 0),
        cached_tokens=read,
        output_tokens=told.output_tokens,
        reasoning_tokens=min(thoughts, told.output_tokens),
        cost_usd=cost,
    )


def _places(call: ToolCallUpdate) -> list[str]:
    """The files that a tool call names."""
    contents = [str(path) for part in call.content or () if (path := getattr(part, "path", None))]
    return [*(location.path for location in call.locations or ()), *contents]


@contextmanager
def _without_log() -> Iterator[None]:
    """Keep the SDK from printing what an agent sent that makes no sense, with tracebacks."""
    nowhere = logging.NullHandler()
    logging.getLogger().addHandler(nowhere)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(nowhere)

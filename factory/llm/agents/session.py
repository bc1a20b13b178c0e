"""One session of an agent: given its files, started, and what it changed taken as its answer.

How it is talked to is the part of `program` and `acp`.
"""

import re
import shlex
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, Protocol

from factory.contract.errors import MachineProblem
from factory.llm.agents.answer import AgentAnswer, Reached
from factory.llm.agents.changes import changes, look
from factory.llm.agents.workplace import Engineer, Kind, Workplace
from factory.llm.port import Answer, FinishReason, ProviderError, Request, Usage, estimate_tokens
from factory.llm.schema_text import prompt_text
from factory.llm.secrets import redact
from factory.system.files.tree import read_bounded
from factory.system.network.proxy import START, Proxy
from factory.system.process.command import Command, Outcome
from factory.system.process.stop import Stop
from factory.system.sandbox.levels.orders import interpreter
from factory.system.terminal.console import visible

PROMPT_VARIABLE: Final = "WORKORDER_PROMPT"
"""Names the file that holds the prompt."""

_TRANSCRIPT_CHARS: Final = 200_000
_TAIL_LINES: Final = 8
_TAIL_CHARS: Final = 1_000
_SUMMARY_CHARS: Final = 4_000
_FILE_BYTES: Final = 10_000_000
_ESCAPE: Final = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")


@dataclass(frozen=True)
class Said:
    """What came of talking to an agent.

    Attributes:
        transcript: what was said, for people.
        words: its own last words.
        usage: its tokens; None if it did not tell.
        finish_reason: why it ended.
        failed: whether it says that it failed.
    """

    transcript: str
    words: str
    usage: Usage | None
    finish_reason: FinishReason = FinishReason.STOP
    failed: bool = False


class Talk(Protocol):
    """Starts an agent and talks to it until it ends."""

    def __call__(self, session: "Session", prompt: str, folder: Path) -> tuple[Outcome, Said]:
        """Talk.

        Args:
            session: what starts it.
            prompt: what it is asked.
            folder: an empty directory of ours, for what it prints.

        Raises:
            Stopped, OSError: see `launch.run`.
        """
        ...


@dataclass(frozen=True)
class Session:
    """How the agent is started.

    Attributes:
        engineer: the agent.
        place: where it works.
        variables: its environment variables, all of them.
        proxy: its way to the network; None if it has none of ours.
        stop: ends it when another thread asks for that; None if none will.
    """

    engineer: Engineer
    place: Workplace
    variables: Mapping[str, str]
    proxy: Proxy | None
    stop: Stop | None

    def command(
        self,
        stdout: Path,
        stderr: Path | None,
        *,
        stdin: bytes = b"",
        pipes: tuple[int, int] = (-1, -1),
        stop: Stop | None = None,
    ) -> Command:
        """The command that starts it.

        Args:
            stdout: gets its standard output.
            stderr: gets its standard error; None for the same file.
            stdin: what it reads, unless there are pipes.
            pipes: descriptors that become its standard input and output.
            stop: ends it in the place of the session's own.
        """
        door = self.proxy.inherited if self.proxy is not None else -1
        inherited = tuple(descriptor for descriptor in (door, *pipes) if descriptor >= 0)
        argv = (str(self.engineer.program), *self.engineer.words[1:])
        if inherited:
            descriptors = ",".join(map(str, (door, *pipes)))
            text = START.read_text("utf-8")
            argv = (str(interpreter()), "-I", "-S", "-c", text, descriptors, "--", *argv)
        return Command(
            argv=argv,
            cwd=self.place.root,
            env=self.variables,
            timeout_seconds=self.engineer.timeout_seconds,
            stdout=stdout,
            stderr=stderr,
            stdin=stdin,
            stop=stop or self.stop,
            confined=self.place.confined(
                (*self.engineer.visible, *(file for file in self.engineer.files if not _is_of_home(file)))
            ),
            inherited=inherited,
        )


class Agent:
    """A model whose answer is what an agent changed in its checkout.

    Args:
        engineer: the agent.
        place: where it works.
        talk: how it is talked to.
        stop: ends it when another thread asks for that; None if none will.
    """

    def __init__(self, engineer: Engineer, place: Workplace, talk: Talk, stop: Stop | None) -> None:
        self._engineer = engineer
        self._place = place
        self._talk = talk
        self._stop = stop

    @property
    def adapter(self) -> Kind:
        return self._engineer.kind

    @property
    def name(self) -> str:
        return shlex.join(self._engineer.words)

    def complete(self, request: Request) -> Answer:
        prompt = prompt_text(request)
        place, engineer = self._place, self._engineer
        try:
            before = look(place.root)
            with ExitStack() as opened:
                proxy = opened.enter_context(Proxy(engineer.hosts)) if engineer.hosts else None
                folder = Path(opened.enter_context(TemporaryDirectory(prefix="workorder-agent-")))
                session = Session(engineer, place, self._prepared(prompt), proxy, self._stop)
                outcome, said = self._talk(session, prompt, folder)
            self._require_end(outcome, said)
            changed = changes(place, before, look(place.root, before), self._is_secret)
        except OSError as error:
            raise MachineProblem(
                f"the agent can't be given its checkout: {error}", where=self._where, hint="see the message"
            ) from error
        finally:
            place.restore()
        answer = AgentAnswer(
            summary=self._clean(said.words)[:_SUMMARY_CHARS],
            writes=changed.writes,
            refused=tuple(
                refused.model_copy(update={"path": self._clean(refused.path)}) for refused in changed.refused
            ),
            diff=self._clean(changed.diff),
            transcript=_shortened(self._clean(said.transcript)),
            network=_reached(proxy),
        )
        estimate = Usage(
            input_tokens=estimate_tokens(prompt),
            output_tokens=estimate_tokens(said.transcript),
            estimated=True,
        )
        usage = said.usage or estimate
        return Answer(text=answer.text(), finish_reason=said.finish_reason, usage=usage, model=self.name)

    def _prepared(self, prompt: str) -> Mapping[str, str]:
        """Put the prompt and the user's files where the agent finds them; its environment variables."""
        place, engineer = self._place, self._engineer
        path = place.temporary / "workorder-prompt.md"
        path.write_bytes(prompt.encode("utf-8", "backslashreplace"))
        for file in filter(_is_of_home, engineer.files):
            copy = place.home / file.relative_to(Path.home())
            copy.parent.mkdir(parents=True, exist_ok=True)
            # A copy, because many agents refuse a home that they can't write to.
            copy.write_bytes(read_bounded(file, max_bytes=_FILE_BYTES))
            copy.chmod(0o400)
        own = {**place.variables, **engineer.variables, PROMPT_VARIABLE: str(path)}
        if engineer.hosts:
            local = {"localhost", "127.0.0.1", "::1"} - {host.host for host in engineer.hosts}
            own |= dict.fromkeys(("NO_PROXY", "no_proxy"), ",".join(sorted(local)))
        return own

    def _require_end(self, outcome: Outcome, said: Said) -> None:
        """Go on if the agent ended by itself, and well.

        Raises:
            ProviderError, MachineProblem: it did not.
        """
        if outcome.sandbox_failed is not None:
            raise MachineProblem(
                f"the sandbox could not be entered: {visible(outcome.sandbox_failed)}",
                where=self._where,
                hint="`factory doctor` tells what works here",
            )
        if outcome.not_started is not None:
            raise self._problem(
                f"could not be started: {outcome.not_started}",
                paid=False,
                hint="put its program where the sandbox's user can reach it: not below a closed home",
            )
        if outcome.timed_out:
            limit = self._engineer.timeout_seconds
            raise self._problem(
                f"did not end within {limit:g} seconds", said, hint="give it more: --engineer-timeout"
            )
        if outcome.killed is not None:
            raise self._problem(f"reached a limit: {outcome.killed}", said, hint="--limit raises it")
        if outcome.signal is not None or outcome.supervisor_killed or outcome.killed_outside:
            raise self._problem(
                f"was ended by {f'signal {outcome.signal}' if outcome.signal else 'a kill'}", said
            )
        if outcome.exit_code != 0:
            raise self._problem(f"ended with exit code {outcome.exit_code}", said)
        if said.failed:
            raise self._problem("says that it failed", said)

    def _problem(
        self, what: str, said: Said | None = None, *, paid: bool = True, hint: str = ""
    ) -> ProviderError:
        lines = self._clean(said.transcript).strip().splitlines()[-_TAIL_LINES:] if said is not None else []
        tail = "\n".join(lines)[-_TAIL_CHARS:]
        shown = "".join(f"\n  | {line}" for line in tail.splitlines())
        return ProviderError(
            f"the agent {what}{shown}",
            where=self._where,
            hint=hint
            or "see that it works by hand, and that --engineer-file and --engineer-env name what it needs of "
            "yours; then run again: stored answers are used",
            may_be_paid=paid,
        )

    @property
    def _where(self) -> str:
        return f"{self.adapter}:{self.name}"

    def _is_secret(self, text: str) -> bool:
        return any(secret in text for secret in self._engineer.secrets)

    def _clean(self, text: str) -> str:
        return visible(_ESCAPE.sub("", redact(text, self._engineer.secrets)).replace("\r", ""))


def _is_of_home(file: Path) -> bool:
    return file.is_file() and file.is_relative_to(Path.home())


def printed(path: Path, max_bytes: int = 10_000_000) -> str:
    """What a command printed into a file, as text."""
    return read_bounded(path, max_bytes=max_bytes).decode("utf-8", "backslashreplace")


def _shortened(text: str) -> str:
    if len(text) <= _TRANSCRIPT_CHARS:
        return text
    half = _TRANSCRIPT_CHARS // 2
    return f"{text[:half]}\n[... {len(text) - 2 * half} characters left out ...]\n{text[-half:]}"


def _reached(proxy: Proxy | None) -> tuple[Reached, ...]:
    if proxy is None:
        return ()
    contacts = sorted(proxy.contacts.seen.values(), key=lambda contact: (contact.target, contact.refused))
    return tuple(
        Reached(
            target=visible(contact.target),
            refused=contact.refused,
            times=contact.times,
            sent=contact.sent,
            received=contact.received,
        )
        for contact in contacts
    )


def secrets_in(text: str) -> frozenset[str]:
    """The values of a settings file whose names say that they are secret."""
    return frozenset(match["value"] for match in _SECRET.finditer(text))


_SECRET: Final = re.compile(
    r"""["']?[\w-]*(?:key|token|secret|passw|credential)[\w-]*["']?\s*[:=]\s*["']?(?P<value>[^\s"',}]{8,})""",
    re.IGNORECASE,
)


def environment_secrets(values: Mapping[str, str]) -> frozenset[str]:
    """The values of the variables that the user names for the agent, but for short words."""
    return frozenset(value for value in map(str.strip, values.values()) if len(value) >= 8)

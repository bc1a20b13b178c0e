"""Runs a tool to its end, keeps what it printed without the user's credentials, and says how it ended."""

import re
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from factory.contract.errors import MachineProblem
from factory.system.files.tree import read_bounded, write_atomic
from factory.system.process.command import Command
from factory.system.process.environment import searched_places
from factory.system.process.launch import run
from factory.system.process.stop import Stop
from factory.system.sandbox.port import Confinement
from factory.system.terminal.console import listed, visible

TOOL_SECONDS: Final = 900.0
"""How long one tool may take: a slow index, and packages of some hundred megabytes."""

FOLDER: Final = "environment"
"""Where, in the directory of a run or a build, it is kept what the tools printed."""

_NOISE: Final = re.compile(r"^npm (?:warn.*|error (?:A complete log.*)?|error$)|^(?:error|cause): ")
_USERINFO: Final = re.compile(r"(?<=://)[^/\s@\"']+@")
_TOKEN: Final = re.compile(r"(?i)((?:_auth(?:token)?|_password|authorization)\s*[=:]\s*)\S+(?: \S+)?")
_SECRET_NAME: Final = re.compile(r"KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH(?!OR)", re.IGNORECASE)
_SHORTEST_SECRET: Final = 6
_UNREACHABLE: Final = re.compile(
    r"(?i)error sending request|dns error|failed to lookup|couldn.t resolve|no such host|ENOTFOUND|EAI_AGAIN"
    r"|connection re(?:fused|set)|ECONNREFUSED|timed? ?out|ETIMEDOUT|network is unreachable|no route to host"
    r"|certificate|spurious network error|HTTP status server error|proxyconnect"
)
_REFUSED: Final = re.compile(
    r"(?:(?P<url>https?://[^\s()]+)\)?:? [^\n]{0,120})?"
    r"(?:\b40[13] (?:Unauthorized|Forbidden)|\bE40[13]\b|\bERR_PNPM_FETCH_40[13]\b|got 40[13]\b"
    r"|no token found for|token rejected for|require a credential-provider|refusing to pass credentials)"
)


@dataclass(frozen=True)
class Printed:
    """How a tool ended.

    Attributes:
        is_done: whether it did what it was asked for.
        text: what it printed, without credentials.
        timed_out: whether its time limit ended it.
    """

    is_done: bool
    text: str
    timed_out: bool = False

    @property
    def is_unreachable(self) -> bool:
        """Whether it says that a registry does not answer."""
        return self.timed_out or _UNREACHABLE.search(self.text) is not None

    def refusal(self, registry: str, names: Iterable[str], hint: str) -> MachineProblem | None:
        """What to tell where it says that a registry does not accept who asks; None if it does not.

        Args:
            registry: what it is called.
            names: the packages that are asked for.
            hint: where the user's credentials are configured.
        """
        refused = _REFUSED.search(self.text)
        if refused is None:
            return None
        place = f" {visible(refused['url'][:200])}" if refused["url"] else ""
        return MachineProblem(
            f"{registry}{place} does not accept your credentials, or asks for some, and these are not in the"
            f" cache: {listed(list(names))}",
            hint=hint,
        )

    def brief(self, lines: int = 8) -> str:
        """The first lines that say something, in one."""
        told = [_NOISE.sub("", " ".join(line.split())) for line in self.text.splitlines()]
        return visible("; ".join([line for line in told if line.strip(" {}")][:lines]))[:1_200]


@dataclass(frozen=True)
class Workshop:
    """Where tools run.

    Attributes:
        own: the factory's own environment variables.
        artifacts: the directory that gets what tools print; None to keep nothing.
        progress: tells the user what happens now.
        stop: ends a tool when another thread asks for that; None if none will.
        seconds: how long one tool may take.
    """

    own: Mapping[str, str]
    artifacts: Path | None = None
    progress: Callable[[str], None] = field(default=lambda _line: None)
    stop: Stop | None = None
    seconds: float = TOOL_SECONDS

    def has(self, name: str) -> bool:
        """Whether a tool is on the user's PATH."""
        return shutil.which(name, path=":".join(searched_places(self.own))) is not None

    def program(self, name: str, hint: str) -> Path:
        """Where a tool is: beside the tool's own interpreter, else on the user's PATH.

        Args:
            name: its name.
            hint: how to install it.

        Raises:
            MachineProblem: it is not installed.
        """
        beside = Path(sys.executable).parent / name
        path = ":".join(searched_places(self.own))
        place = str(beside) if beside.is_file() else shutil.which(name, path=path)
        if place is None:
            raise MachineProblem(f"{name} is not installed, or not on PATH", hint=hint)
        return Path(place)

    def run(
        self,
        name: str,
        argv: Sequence[str | Path],
        *,
        cwd: Path,
        environment: Mapping[str, str],
        output: Path | None = None,
        confined: Confinement | None = None,
    ) -> Printed:
        """Run a tool to its end; whatever it started is gone then.

        Args:
            name: what the file with its output is called.
            argv: the tool and its arguments, which hold no credentials.
            cwd: where it runs: a directory of ours.
            environment: its whole environment.
            output: the file that gets its output meanwhile; None for one in `cwd`.
            confined: the sandbox that it runs in; None for the user's own programs.

        Raises:
            Stopped: somebody asked for that.
            MachineProblem: it can't be started.
            OSError: its output can't be kept.
        """
        output = output or cwd / f".{name}.output"
        outcome = run(
            Command(
                argv=tuple(map(str, argv)),
                cwd=cwd,
                env=environment,
                timeout_seconds=self.seconds,
                stdout=output,
                stop=self.stop,
                confined=confined,
            )
        )
        text = redacted(read_bounded(output).decode("utf-8", "replace"), environment)
        output.unlink()
        if self.artifacts is not None:
            self.artifacts.mkdir(parents=True, exist_ok=True)
            write_atomic(self.artifacts / f"{name}.txt", text.encode())
        if outcome.sandbox_failed is not None:
            raise MachineProblem(
                f"the sandbox can't be entered: {outcome.sandbox_failed}", where=str(argv[0])
            )
        if outcome.not_started is not None:
            raise MachineProblem(f"can't be started: {outcome.not_started}", where=str(argv[0]))
        if outcome.killed is not None:
            text += f"\nit was killed: {outcome.killed}"
        if outcome.timed_out:
            text += f"\nit did not end within {self.seconds:.0f} seconds"
        return Printed(outcome.ok, text, outcome.timed_out)


def redacted(text: str, environment: Mapping[str, str]) -> str:
    """A text without the credentials that URLs, configuration and variables may hold."""
    for name, value in environment.items():
        if _SECRET_NAME.search(name) and len(value) >= _SHORTEST_SECRET:
            text = text.replace(value, "***")
    return _TOKEN.sub(r"\1***", _USERINFO.sub("***@", text))

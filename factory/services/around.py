"""Runs a command with services around it, and says how both ended."""

import os
import secrets
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from factory.services.report import AroundReport, Log, parse_around
from factory.services.resolved import Services
from factory.system.process.channel import Channel
from factory.system.process.command import Command, Outcome
from factory.system.process.launch import run
from factory.system.sandbox.levels.orders import interpreter

_PROGRAM: Final = Path(__file__).parent / "programs" / "serve.py"
_START: Final = (
    "exec(compile(__import__('posix').read({text},1<<24),'<services>','exec'),{{'__name__':'<services>'}})"
)
_WORD_BYTES: Final = 32


@dataclass(frozen=True)
class Ended:
    """What came of one service.

    Attributes:
        name: its name.
        log: what it printed.
        died: how it ended before the command did; empty if it did not.
    """

    name: str
    log: Log
    died: str


@dataclass(frozen=True)
class Unready:
    """Why the command never ran: a service did not get ready.

    Attributes:
        name: the service.
        why: what kept it, a clause about it.
        log: what it printed.
    """

    name: str
    why: str
    log: bytes


class Around:
    """Starts one command with services around it; see `launch.run`.

    Args:
        services: the services.
        data: the directory that theirs are in.

    Attributes:
        ended: what came of each service, known afterwards.
        unready: why the command never ran; None if it did, or if something else kept it.
        ready_seconds: how long it took until all were ready.
    """

    def __init__(self, services: Services, data: Path) -> None:
        self._services = services
        self._data = data
        self.ended: tuple[Ended, ...] = ()
        self.unready: Unready | None = None
        self.ready_seconds = 0.0

    def __call__(self, command: Command) -> Outcome:
        """Run the command to its end; its outcome is that of the command alone.

        Raises:
            Stopped, OSError: see `launch.run`.
        """
        word = secrets.token_hex(_WORD_BYTES).encode()
        with Channel(word, _PROGRAM.read_bytes()) as channel:
            start = _START.format(text=channel.inherited[2])
            descriptors = ",".join(map(str, channel.inherited))
            orders = self._services.orders(self._data)
            argv = (str(interpreter()), "-I", "-S", "-c", start, descriptors, orders, "--", *command.argv)
            outcome = run(replace(command, argv=argv, channels=(channel, *command.channels)))
            report = parse_around(channel.received, word)
        self.ended = tuple(
            Ended(name, log, report.died.get(name, "")) for name, log in sorted(_logs(report).items())
        )
        if report.ready_milliseconds is None:
            return self._never_ran(outcome, report)
        self.ready_seconds = report.ready_milliseconds / 1000
        return _of_command(outcome, report)

    def _never_ran(self, outcome: Outcome, report: AroundReport) -> Outcome:
        """The outcome of a command that was not started, and who is to blame."""
        if outcome.sandbox_failed is not None or outcome.killed_outside:
            return outcome
        name, why = report.unready
        if outcome.killed is not None:
            why = f"it reached a limit: {outcome.killed}"
        elif outcome.timed_out:
            why = "it was not ready within the time limit of the command"
        elif outcome.not_started is not None:
            why = f"the program that starts it can't be started: {outcome.not_started}"
        name = name or report.starting or self._services.all[0].ordered.name
        log = report.logs.get(name, Log())
        self.unready = Unready(name, why or "the program that starts it was killed", log.text)
        return replace(
            outcome,
            exit_code=None,
            signal=None,
            timed_out=False,
            not_started=None,
            killed=None,
            supervisor_killed=False,
        )


def _logs(report: AroundReport) -> dict[str, Log]:
    return {**{name: Log() for name in report.died}, **report.logs}


def _of_command(outcome: Outcome, report: AroundReport) -> Outcome:
    if report.error is not None:
        reason = os.strerror(report.error).lower()
        return replace(outcome, exit_code=None, signal=None, not_started=reason)
    ended_otherwise = outcome.timed_out or outcome.killed is not None or outcome.killed_outside
    if ended_otherwise or outcome.sandbox_failed is not None:
        return outcome
    passes = outcome.exit_code == 0
    if report.end is None or passes != (report.end == 0):
        # What is around the command was ended before it could say how that ended.
        return replace(outcome, exit_code=None, signal=None, supervisor_killed=True)
    return outcome

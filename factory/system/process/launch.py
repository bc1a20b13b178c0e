"""Runs commands that a plan names and code that a model wrote, and says how they ended.

Output is streamed, there is a time limit, and nothing is left behind (see `reaper`). A sandbox wraps the
command here, and a watch holds it to its limits. Nothing goes through a shell.
"""

import os
import time
from dataclasses import replace

from factory.system.process.command import Command, Outcome
from factory.system.process.output import Sinks
from factory.system.process.supervised import REPORT, Supervised
from factory.system.sandbox.port import begun


def run(command: Command) -> Outcome:
    """Run one command to its end or its time limit; afterwards nothing that it started is alive.

    An exception raised meanwhile, such as an interruption, ends the command before it goes on. A command
    that finds and kills both processes of its supervisor can leave a process in another session behind:
    only a sandbox prevents that.

    Raises:
        Stopped: `command.stop` asked for it.
        OSError: the output can't be stored, the sandbox's places can't be prepared, or no process can be
            started.
    """
    started = time.monotonic()
    if command.stop is not None:
        command.stop.heed()
    with Sinks(command.stdout, command.stderr, command.channels) as sinks:
        if command.cwd is not None and not command.cwd.is_dir():
            return _never_started("the directory to run it in is gone", started)
        with Supervised.start(command) as supervised:
            timed_out = supervised.wait(sinks, started + command.timeout_seconds, command.stop)
    outcome = _outcome(supervised.report, timed_out, sinks.total_bytes, started)
    return outcome if supervised.prepared is None else _confined_outcome(outcome, supervised, command)


def _outcome(said: bytes, timed_out: bool, output_bytes: int, started: float) -> Outcome:
    report = REPORT.fullmatch(said)
    facts = report.groupdict() if report else {}
    exit_code, ended_by, error, leftovers = (
        int(facts[name]) if facts.get(name) else None
        for name in ("exit_code", "signal", "error", "leftovers")
    )
    return Outcome(
        exit_code=exit_code,
        signal=ended_by,
        timed_out=timed_out,
        not_started=os.strerror(error).lower() if error is not None else None,
        output_bytes=output_bytes,
        leftovers=leftovers or 0,
        seconds=time.monotonic() - started,
        supervisor_killed=exit_code is None and ended_by is None and error is None,
    )


def _confined_outcome(outcome: Outcome, supervised: Supervised, command: Command) -> Outcome:
    """What the end of the program that confines says about the command."""
    if supervised.prepared is not None and supervised.prepared.own_processes:
        # A limit and a time limit kill the program that confines, too.
        ended_by_us = outcome.timed_out or supervised.killed is not None
        was_killed = outcome.supervisor_killed or outcome.signal is not None
        outcome = replace(outcome, leftovers=0, killed_outside=was_killed and not ended_by_us)
    error = begun(supervised.beginning)
    if error is None:
        reason = _first_lines(command) or outcome.not_started or "it gave no reason"
        failed = "it was not ready in time" if outcome.timed_out else reason
        return replace(outcome, sandbox_failed=failed, killed=None)
    if error:
        return replace(outcome, exit_code=None, signal=None, not_started=os.strerror(error).lower())
    if supervised.killed is not None:
        # Whether the command or its killer was faster is chance, and no result may tell of that.
        outcome = replace(outcome, exit_code=None, signal=None)
    return replace(outcome, killed=supervised.killed)


def _first_lines(command: Command) -> str:
    """What the confining program complained about: the command itself has printed nothing."""
    with (command.stderr or command.stdout).open("rb") as file:
        return file.read(1_000).decode("utf-8", "backslashreplace").strip()


def _never_started(reason: str, started: float) -> Outcome:
    return Outcome(
        exit_code=None,
        signal=None,
        timed_out=False,
        not_started=reason,
        output_bytes=0,
        leftovers=0,
        seconds=time.monotonic() - started,
    )

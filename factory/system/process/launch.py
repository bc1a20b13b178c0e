"""Starts processes: nothing else in the project does, and none of them goes through a shell.

`run` is for commands that a plan names and for code that a model wrote: streamed output, a time limit, and
nothing left behind (see `reaper`). A sandbox wraps the command here, and a watch holds it to its limits.
`capture` is for trusted tools that answer at once, such as git.
"""

import os
import re
import select
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Final

from factory.system.process.environment import leading_nowhere_else
from factory.system.process.stop import Stop
from factory.system.sandbox.kernel.group import Group
from factory.system.sandbox.port import Confinement, Prepared, begun
from factory.system.sandbox.watch.urgency import urgent
from factory.system.sandbox.watch.watcher import Watch

HEAD_BYTES: Final = 8_000_000
"""How much of a command's output is stored from its beginning."""

TAIL_BYTES: Final = 1_000_000
"""How much of a longer output is stored from its end."""

_REAPER: Final = Path(__file__).with_name("reaper.py")
_REPORT: Final = re.compile(
    rb"(?:exit_code=(?P<exit_code>\d+)|signal=(?P<signal>\d+)|error=(?P<error>\d+)|supervisor_killed)"
    rb"(?: leftovers=(?P<leftovers>\d+) peak=(?P<peak>\d+) written=(?P<written>\d+) cpu=(?P<cpu>\d+))?\n"
)
_CHUNK: Final = 65_536
_DRAIN_SECONDS: Final = 1.0
_BEGINNING_SECONDS: Final = 0.01
# Longer than the reaper's two processes take to give up one after the other.
_GRACE_SECONDS: Final = 20.0


@dataclass(frozen=True)
class Command:
    """One program to run.

    Attributes:
        argv: the program and its arguments; a name without a slash is looked up on the PATH of `env`.
        cwd: where it runs; None for the current directory.
        env: its whole environment.
        timeout_seconds: after this it and everything it started are killed.
        stdout: the file that gets its output; longer output than `HEAD_BYTES + TAIL_BYTES` loses its middle.
        stderr: the file that gets its standard error; None sends it to `stdout`, in the order of writing.
        stdin: what it reads.
        stop: ends it, and everything it started, when another thread asks for that; None if none will.
        confined: the sandbox that it runs in, and what it may use there; None for the user's own programs.
    """

    argv: tuple[str, ...]
    cwd: Path | None
    env: Mapping[str, str]
    timeout_seconds: float
    stdout: Path
    stderr: Path | None = None
    stdin: bytes = b""
    stop: Stop | None = None
    confined: Confinement | None = None


@dataclass(frozen=True)
class Outcome:
    """How a command ended.

    Attributes:
        exit_code: what it returned; None if a signal ended it, it reached a limit or never started.
        signal: the signal that ended it, if one did and it reached no limit.
        timed_out: whether the time limit ended it.
        not_started: why the program could not be started, if it could not.
        output_bytes: how much it wrote, stored or not.
        leftovers: how many processes it left behind, which were killed; where a sandbox ends them
            by itself, 0.
        seconds: elapsed time.
        supervisor_killed: whether it, or something else, killed the process that watches over it.
        killed_outside: whether something that is not its own killed that process, or the sandbox around it.
        killed: the limit that it reached, for which it was killed if it had not ended by itself before, see
            `Resources.description`; the time limit is `timed_out`.
        sandbox_failed: why the sandbox could not be entered, if it could not; then the command never ran.
    """

    exit_code: int | None
    signal: int | None
    timed_out: bool
    not_started: str | None
    output_bytes: int
    leftovers: int
    seconds: float
    supervisor_killed: bool = False
    killed_outside: bool = False
    killed: str | None = None
    sandbox_failed: str | None = None

    @property
    def ok(self) -> bool:
        """Whether it ran to its end, within every limit, and returned 0."""
        failed = self.timed_out or self.killed is not None or self.sandbox_failed is not None
        return self.exit_code == 0 and not failed


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
    with _Sinks(command) as sinks:
        if command.cwd is not None and not command.cwd.is_dir():
            return _never_started("the directory to run it in is gone", started)
        with _Supervised.start(command) as supervised:
            timed_out = supervised.wait(sinks, started + command.timeout_seconds, command.stop)
    outcome = _outcome(supervised.report, timed_out, sinks.total_bytes, started)
    return outcome if supervised.prepared is None else _confined_outcome(outcome, supervised, command)


@dataclass(frozen=True)
class Captured:
    """What a trusted tool answered."""

    exit_code: int
    stdout: bytes
    stderr: bytes

    @property
    def ok(self) -> bool:
        return self.exit_code == 0


def capture(
    argv: Sequence[str],
    *,
    cwd: Path | None,
    env: Mapping[str, str],
    stdin: bytes = b"",
    held: Sequence[int] = (),
) -> Captured:
    """Run a trusted tool and keep its output in memory.

    It is never looked for relative to `cwd`, which may be a checkout. It runs in a session of its own, so
    that Ctrl-C at the terminal reaches the factory and not the tool. It ends by itself even if the factory is
    killed; the locks with the descriptors `held` are held until then.

    Raises:
        FileNotFoundError: the tool is not installed.
    """
    done = subprocess.run(
        list(argv),
        cwd=cwd,
        env=leading_nowhere_else(env),
        input=stdin,
        capture_output=True,
        start_new_session=True,
        pass_fds=held,
        check=False,
    )
    return Captured(done.returncode, done.stdout, done.stderr)


class _Supervised:
    """The supervisor of a command, and the two pipes to it; a block, at whose end all of it is gone.

    Attributes:
        report: what the supervisor said about the command's end.
        beginning: what the sandbox said about its beginning.
        killed: the limit that the command reached, if it did.
        prepared: the wrapped command, if there is a sandbox.
    """

    def __init__(
        self,
        process: "subprocess.Popen[bytes]",
        lifeline: int,
        report_pipe: int,
        prepared: Prepared | None,
        watch: Watch | None,
        group: Group | None,
    ) -> None:
        self.report = b""
        self.beginning = b""
        self._began = False
        self.killed: str | None = None
        self.prepared = prepared
        self._watch = watch
        self._group = group
        self._process = process
        self._lifeline = lifeline
        self._report_pipe = report_pipe

    @classmethod
    def start(cls, command: Command) -> "_Supervised":
        with ExitStack() as ours, ExitStack() as theirs:
            lifeline_read, lifeline_write = os.pipe()
            theirs.callback(os.close, lifeline_read)
            ours.callback(os.close, lifeline_write)
            report_read, report_write = os.pipe()
            theirs.callback(os.close, report_write)
            ours.callback(os.close, report_read)
            stdin = theirs.enter_context(tempfile.TemporaryFile())
            stdin.write(command.stdin)
            stdin.seek(0)
            confined, prepared, watch, group = command.confined, None, None, None
            entrances: tuple[int, ...] = ()
            if confined is not None:
                prepared = confined.sandbox.wrap(command, confined.policy)
                theirs.callback(prepared.close_inherited)
                ours.callback(os.close, prepared.report_fd)
                if confined.groups is not None:
                    group = confined.groups.made(confined.policy.resources)
                    ours.callback(group.remove)
                    entrances = group.entrances()
                    for entrance in entrances:
                        theirs.callback(os.close, entrance)
                watch = Watch(confined.policy, group)
            process = subprocess.Popen(
                (
                    *(sys.executable, "-I", "-S", str(_REAPER)),
                    *(str(lifeline_read), str(report_write), ",".join(map(str, entrances)), "--"),
                    *(command.argv if prepared is None else prepared.argv),
                ),
                cwd=command.cwd,
                env=dict(command.env),
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT if command.stderr is None else subprocess.PIPE,
                pass_fds=(
                    *(lifeline_read, report_write, *entrances),
                    *(prepared.inherited if prepared else ()),
                ),
                start_new_session=True,
            )
            ours.pop_all()
            if watch is not None:
                watch.follow(process.pid)
            return cls(process, lifeline_write, report_read, prepared, watch, group)

    def __enter__(self) -> "_Supervised":
        self._closing = ExitStack()
        if self._watch is not None:
            self._closing.enter_context(urgent())
        if self._group is not None:
            self._closing.callback(self._group.remove)
        return self

    def __exit__(self, *_: object) -> None:
        with self._closing:
            self._end()

    def _end(self) -> None:
        self._cut_lifeline()
        self._read_report(time.monotonic() + _GRACE_SECONDS)
        self._kill_group()
        self._process.wait()
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()
        os.close(self._report_pipe)
        if self._watch is not None and self.killed is None:
            report = _REPORT.fullmatch(self.report)
            used = [int(report[name] or 0) if report else 0 for name in ("peak", "written", "cpu")]
            self.killed = self._watch.last_look(*used)
        if self.prepared is not None:
            with suppress(BlockingIOError):
                self.beginning = os.read(self.prepared.report_fd, _CHUNK)
            os.close(self.prepared.report_fd)

    def wait(self, sinks: "_Sinks", deadline: float, stop: Stop | None) -> bool:
        """Store output until the supervisor has ended; whether the deadline passed first."""
        timed_out = False
        with selectors.DefaultSelector() as selector:
            for source, sink in sinks.sources(self._process):
                selector.register(source, selectors.EVENT_READ, sink)
            selector.register(self._report_pipe, selectors.EVENT_READ, None)
            if stop is not None:
                selector.register(stop, selectors.EVENT_READ, stop)
            ended = False
            while len(selector.get_map()) > (stop is not None):
                remaining = deadline - time.monotonic()
                if remaining <= 0 and (timed_out or ended or self.killed):
                    break
                if remaining <= 0:
                    timed_out = True
                    self._cut_lifeline()
                    deadline = time.monotonic() + _GRACE_SECONDS
                    continue
                if self._watch is not None and not (ended or timed_out or self.killed):
                    has_begun = self._has_begun()
                    self.killed = self._watch.look(sinks.total_bytes) if has_begun else None
                    if self.killed:
                        if self._group is not None:
                            self._group.kill()
                        self._cut_lifeline()
                        deadline = time.monotonic() + _GRACE_SECONDS
                        continue
                    remaining = min(remaining, self._watch.pause() if has_begun else _BEGINNING_SECONDS)
                # Once all is dead, only what is in the pipes follows. A process that is no descendant may
                # have been handed one of them: it does not make us wait.
                ready = selector.select(0 if ended else remaining)
                if ended and not ready:
                    break
                for key, _ in ready:
                    if stop is not None and key.data is stop:
                        stop.heed()
                    chunk = os.read(key.fd, _CHUNK)
                    if not chunk:
                        selector.unregister(key.fileobj)
                    elif key.data is not None:
                        key.data.write(chunk)
                    if key.data is None and not ended:
                        ended = True
                        self.report += chunk
                        deadline = min(deadline, time.monotonic() + _DRAIN_SECONDS)
                        if not chunk:
                            self._kill_group()
        return timed_out

    def _has_begun(self) -> bool:
        """Whether the command runs: what is there before that is ours, and may be closed to us."""
        if not self._began and self.prepared is not None:
            self._began = bool(select.select([self.prepared.report_fd], [], [], 0)[0])
        return self._began

    def _read_report(self, deadline: float) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._report_pipe, selectors.EVENT_READ)
            while selector.select(max(0.0, deadline - time.monotonic())):
                chunk = os.read(self._report_pipe, _CHUNK)
                if not chunk:
                    return
                self.report += chunk

    def _kill_group(self) -> None:
        """Kill what the supervisor has not killed, if it could not do its work.

        Until the supervisor is waited for, the number of the group stays ours, so that nobody else is hit.
        """
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def _cut_lifeline(self) -> None:
        if self._lifeline >= 0:
            os.close(self._lifeline)
            self._lifeline = -1


class _Sinks:
    """The files that get a command's output."""

    def __init__(self, command: Command) -> None:
        self._paths = [command.stdout] + ([command.stderr] if command.stderr is not None else [])
        self._sinks: list[_Sink] = []

    def __enter__(self) -> "_Sinks":
        for path in self._paths:
            self._sinks.append(_Sink(path.open("wb")))
        return self

    def __exit__(self, *_: object) -> None:
        with ExitStack() as closing:
            for sink in self._sinks:
                closing.callback(sink.close)

    def sources(self, process: "subprocess.Popen[bytes]") -> "list[tuple[IO[bytes], _Sink]]":
        streams = [stream for stream in (process.stdout, process.stderr) if stream is not None]
        return list(zip(streams, self._sinks, strict=True))

    @property
    def total_bytes(self) -> int:
        return sum(sink.total for sink in self._sinks)


class _Sink:
    """A file with the beginning of a stream and, if that is long, its end."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._tail: deque[bytes] = deque()
        self._tail_bytes = 0
        self.total = 0

    def write(self, chunk: bytes) -> None:
        room = max(0, HEAD_BYTES - self.total)
        self.total += len(chunk)
        self._file.write(chunk[:room])
        rest = chunk[room:]
        if rest:
            self._tail.append(rest)
            self._tail_bytes += len(rest)
        while self._tail and self._tail_bytes - len(self._tail[0]) >= TAIL_BYTES:
            self._tail_bytes -= len(self._tail.popleft())

    def close(self) -> None:
        with self._file:
            tail = b"".join(self._tail)[-TAIL_BYTES:]
            left_out = self.total - HEAD_BYTES - len(tail)
            if left_out > 0:
                self._file.write(b"\n[... %d bytes left out ...]\n" % left_out)
            self._file.write(tail)


def _outcome(said: bytes, timed_out: bool, output_bytes: int, started: float) -> Outcome:
    report = _REPORT.fullmatch(said)
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


def _confined_outcome(outcome: Outcome, supervised: _Supervised, command: Command) -> Outcome:
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

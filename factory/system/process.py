"""Starts processes: nothing else in the project does, and none of them goes through a shell.

`run` is for commands that a plan names and for code that a model wrote: streamed output, a time limit, and
nothing left behind (see `reaper`). A sandbox is added here, by wrapping the command. `capture` is for
trusted tools that answer at once, such as git.
"""

import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

HEAD_BYTES: Final = 8_000_000
"""How much of a command's output is stored from its beginning."""

TAIL_BYTES: Final = 1_000_000
"""How much of a longer output is stored from its end."""

_REAPER: Final = Path(__file__).with_name("reaper.py")
_CHUNK: Final = 65_536
_GRACE_SECONDS: Final = 15.0


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
    """

    argv: tuple[str, ...]
    cwd: Path | None
    env: Mapping[str, str]
    timeout_seconds: float
    stdout: Path
    stderr: Path | None = None
    stdin: bytes = b""


@dataclass(frozen=True)
class Outcome:
    """How a command ended.

    Attributes:
        exit_code: what it returned; None if a signal ended it or it never started.
        signal: the signal that ended it, if one did.
        timed_out: whether the time limit ended it.
        not_started: why the program could not be started, if it could not.
        output_bytes: how much it wrote, stored or not.
        leftovers: how many processes it left behind, which were killed.
        seconds: elapsed time.
    """

    exit_code: int | None
    signal: int | None
    timed_out: bool
    not_started: str | None
    output_bytes: int
    leftovers: int
    seconds: float

    @property
    def ok(self) -> bool:
        """Whether it ran to its end and returned 0."""
        return self.exit_code == 0 and not self.timed_out


def run(command: Command) -> Outcome:
    """Run one command to its end or its time limit; afterwards nothing that it started is alive.

    An exception raised meanwhile, such as an interruption, ends the command before it goes on.
    """
    started = time.monotonic()
    lifeline_read, lifeline_write = os.pipe()
    report_read, report_write = os.pipe()
    argv = (
        sys.executable,
        "-I",
        "-S",
        str(_REAPER),
        str(lifeline_read),
        str(report_write),
        "--",
        *command.argv,
    )
    with tempfile.TemporaryFile() as stdin:
        stdin.write(command.stdin)
        stdin.seek(0)
        try:
            process = subprocess.Popen(
                argv,
                cwd=command.cwd,
                env=dict(command.env),
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT if command.stderr is None else subprocess.PIPE,
                pass_fds=(lifeline_read, report_write),
                start_new_session=True,
            )
        except BaseException:
            os.close(lifeline_write)
            os.close(report_read)
            raise
        finally:
            os.close(lifeline_read)
            os.close(report_write)
    supervised = _Supervised(process, lifeline_write, report_read)
    try:
        with _Sinks(command) as sinks:
            timed_out = supervised.wait(sinks, started + command.timeout_seconds)
    finally:
        supervised.end()
    return _outcome(supervised.report, timed_out, sinks.total_bytes, time.monotonic() - started)


@dataclass(frozen=True)
class Captured:
    """What a trusted tool answered."""

    exit_code: int
    stdout: bytes
    stderr: bytes

    @property
    def ok(self) -> bool:
        return self.exit_code == 0


def capture(argv: Sequence[str], *, cwd: Path | None, env: Mapping[str, str], stdin: bytes = b"") -> Captured:
    """Run a trusted tool and keep its output in memory.

    It runs in a session of its own, so that Ctrl-C at the terminal reaches the factory and not the tool.

    Raises:
        FileNotFoundError: the tool is not installed.
    """
    done = subprocess.run(
        list(argv),
        cwd=cwd,
        env=dict(env),
        input=stdin,
        capture_output=True,
        start_new_session=True,
        check=False,
    )
    return Captured(done.returncode, done.stdout, done.stderr)


@dataclass
class _Supervised:
    """The supervisor process and the two pipes to it."""

    process: "subprocess.Popen[bytes]"
    lifeline: int
    report_pipe: int
    report: dict[str, int | None] = field(default_factory=dict)
    _raw_report: bytes = b""

    def wait(self, sinks: "_Sinks", deadline: float) -> bool:
        """Store output until the supervisor has ended; whether the deadline passed first."""
        timed_out = False
        with selectors.DefaultSelector() as selector:
            for source, sink in sinks.sources(self.process):
                selector.register(source, selectors.EVENT_READ, sink)
            selector.register(self.report_pipe, selectors.EVENT_READ, None)
            while selector.get_map():
                remaining = deadline - time.monotonic()
                if remaining <= 0 and not timed_out:
                    timed_out = True
                    self._cut_lifeline()
                    deadline = time.monotonic() + _GRACE_SECONDS
                elif remaining <= 0:
                    break
                for key, _ in selector.select(max(0.0, min(remaining, 1.0))):
                    chunk = os.read(key.fd, _CHUNK)
                    if not chunk:
                        selector.unregister(key.fileobj)
                    elif key.data is None:
                        self._raw_report += chunk
                    else:
                        key.data.write(chunk)
        return timed_out

    def end(self) -> None:
        """Make sure that the supervisor and what it supervised are gone, and close every pipe."""
        self._cut_lifeline()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(_GRACE_SECONDS)
        with suppress(ProcessLookupError, PermissionError):
            # Needed only if the supervisor was killed: its group holds everything that did not leave it.
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        for stream in (self.process.stdout, self.process.stderr):
            if stream is not None:
                stream.close()
        os.close(self.report_pipe)
        self.report = json.loads(self._raw_report) if self._raw_report else {}

    def _cut_lifeline(self) -> None:
        if self.lifeline >= 0:
            os.close(self.lifeline)
            self.lifeline = -1


class _Sinks:
    """The files that get a command's output."""

    def __init__(self, command: Command) -> None:
        self._paths = [command.stdout] + ([command.stderr] if command.stderr is not None else [])
        self._sinks: list[_Sink] = []

    def __enter__(self) -> "_Sinks":
        self._sinks = [_Sink(path.open("wb")) for path in self._paths]
        return self

    def __exit__(self, *_: object) -> None:
        for sink in self._sinks:
            sink.close()

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
        while self._tail_bytes - len(self._tail[0] if self._tail else b"") >= TAIL_BYTES:
            self._tail_bytes -= len(self._tail.popleft())

    def close(self) -> None:
        left_out = self.total - HEAD_BYTES - self._tail_bytes
        if left_out > 0:
            self._file.write(b"\n[... %d bytes left out ...]\n" % left_out)
        for chunk in self._tail:
            self._file.write(chunk)
        self._file.close()


def _outcome(report: Mapping[str, int | None], timed_out: bool, output_bytes: int, seconds: float) -> Outcome:
    reason: str | None = None
    error = report.get("error")
    if error is not None:
        reason = os.strerror(error).lower()
    elif not report and not timed_out:
        reason = "its supervisor was killed"
    return Outcome(
        exit_code=report.get("exit_code"),
        signal=report.get("signal"),
        timed_out=timed_out,
        not_started=reason,
        output_bytes=output_bytes,
        leftovers=report.get("leftovers") or 0,
        seconds=seconds,
    )

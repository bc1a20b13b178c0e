"""The supervisor of one command: started in its sandbox and its group, watched, and ended with all of it."""

import os
import re
import select
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from factory.system.compiled import compiled
from factory.system.process import reaper
from factory.system.process.command import Command
from factory.system.process.output import Sinks
from factory.system.process.stop import Stop
from factory.system.sandbox.kernel.group import Group
from factory.system.sandbox.port import Prepared
from factory.system.sandbox.watch.urgency import urgent
from factory.system.sandbox.watch.watcher import Watch

_REAPER: Final = Path(reaper.__file__)
REPORT: Final = re.compile(
    rb"(?:exit_code=(?P<exit_code>\d+)|signal=(?P<signal>\d+)|error=(?P<error>\d+)|supervisor_killed)"
    rb"(?: leftovers=(?P<leftovers>\d+) peak=(?P<peak>\d+) written=(?P<written>\d+) cpu=(?P<cpu>\d+))?\n"
)
"""What the supervisor says when the command has ended."""

_CHUNK: Final = 65_536
_DRAIN_SECONDS: Final = 1.0
_BEGINNING_SECONDS: Final = 0.01
# Longer than the reaper's two processes take to give up one after the other.
_GRACE_SECONDS: Final = 20.0


class Supervised:
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
    def start(cls, command: Command) -> "Supervised":
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
            for channel in command.channels:
                theirs.callback(channel.close_inherited)
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
                    *(sys.executable, "-I", "-S", str(compiled(_REAPER))),
                    *(str(lifeline_read), str(report_write), ",".join(map(str, entrances)), "--"),
                    *(command.argv if prepared is None else prepared.argv),
                ),
                cwd=command.cwd,
                env=dict(command.env),
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT if command.stderr is None else subprocess.PIPE,
                pass_fds=(
                    *(lifeline_read, report_write, *entrances, *command.inherited),
                    *(prepared.inherited if prepared else ()),
                    *(descriptor for channel in command.channels for descriptor in channel.inherited),
                ),
                start_new_session=True,
            )
            ours.pop_all()
            if watch is not None:
                watch.follow(process.pid)
            return cls(process, lifeline_write, report_read, prepared, watch, group)

    def __enter__(self) -> "Supervised":
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
            report = REPORT.fullmatch(self.report)
            used = [int(report[name] or 0) if report else 0 for name in ("peak", "written", "cpu")]
            self.killed = self._watch.last_look(*used)
        if self.prepared is not None:
            with suppress(BlockingIOError):
                self.beginning = os.read(self.prepared.report_fd, _CHUNK)
            os.close(self.prepared.report_fd)
            self.prepared.clear()

    def wait(self, sinks: Sinks, deadline: float, stop: Stop | None) -> bool:
        """Store output until the supervisor has ended; whether the deadline passed first."""
        course = _Course(deadline)
        with selectors.DefaultSelector() as selector:
            for source, sink in sinks.sources(self._process):
                selector.register(source, selectors.EVENT_READ, sink)
            selector.register(self._report_pipe, selectors.EVENT_READ, None)
            if stop is not None:
                selector.register(stop, selectors.EVENT_READ, stop)
            while len(selector.get_map()) > (stop is not None):
                remaining = course.deadline - time.monotonic()
                if remaining <= 0 and course.is_ending:
                    break
                if remaining <= 0:
                    course.timed_out = True
                    self._demand_end(course)
                elif not course.is_ending and self._reaches_limit(sinks.total_bytes):
                    self._demand_end(course)
                elif not self._receive(selector, course, remaining):
                    break
        return course.timed_out

    def _receive(self, selector: selectors.BaseSelector, course: "_Course", remaining: float) -> bool:
        """Store what comes before the watch must look again; whether more may come."""
        if course.ended:
            # All is dead, so only what is in the pipes follows. A process that is no descendant may have
            # been handed one of them: it does not make us wait.
            remaining = 0
        elif not course.is_ending and self._watch is not None:
            remaining = min(remaining, self._watch.pause() if self._began else _BEGINNING_SECONDS)
        ready = selector.select(remaining)
        for key, _ in ready:
            if isinstance(key.data, Stop):
                key.data.heed()
            chunk = os.read(key.fd, _CHUNK)
            if not chunk:
                selector.unregister(key.fileobj)
            elif key.data is not None:
                key.data.write(chunk)
            if key.data is None and not course.ended:
                self.report += chunk
                course.conclude()
                if not chunk:
                    self._kill_group()
        return bool(ready) or not course.ended

    def _reaches_limit(self, output_bytes: int) -> bool:
        """Look whether the command has reached a limit, which is then in `killed`."""
        if self._watch is not None and self._has_begun():
            self.killed = self._watch.look(output_bytes)
        return self.killed is not None

    def _demand_end(self, course: "_Course") -> None:
        if self.killed is not None and self._group is not None:
            self._group.kill()
        self._cut_lifeline()
        course.grant_grace()

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


@dataclass
class _Course:
    """How far the waiting for a command has come.

    Attributes:
        deadline: when it is cut off: the time limit, and once the end has begun what is granted for that.
        timed_out: whether the time limit has passed.
        is_ending: whether the end was demanded, or came by itself.
        ended: whether the supervisor has said how it ended, or is gone.
    """

    deadline: float
    timed_out: bool = False
    is_ending: bool = False
    ended: bool = False

    def grant_grace(self) -> None:
        """The end was demanded."""
        self.is_ending = True
        self.deadline = time.monotonic() + _GRACE_SECONDS

    def conclude(self) -> None:
        """The supervisor has ended."""
        self.is_ending = self.ended = True
        self.deadline = min(self.deadline, time.monotonic() + _DRAIN_SECONDS)

"""A command as a value, and how it ended."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from factory.system.process.channel import Channel
from factory.system.process.stop import Stop
from factory.system.sandbox.port import Confinement


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
        channels: by which it, and a program of ours around it, report.
        inherited: further descriptors that it inherits; whoever opened them closes them.
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
    channels: tuple[Channel, ...] = ()
    inherited: tuple[int, ...] = ()


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

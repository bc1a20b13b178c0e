"""Starts `python -m factory …` and `python -m planner …` without paying for their imports each time.

The process is a child of one that has imported them (see `preloaded`): it has its own number, environment,
directory, streams and end, and runs the module's own `__main__`. What concerns starting itself (which modules
are imported, variables that Python reads, the search path of the first imports, what /proc shows as its
command line) is for a real start: `subprocess` in tests of that, and at least once in those of each command.
"""

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from typing import IO, Any

_ROOT = Path(__file__).resolve().parents[2]
_HARMLESS = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PYTHONHASHSEED")
"""The variables of Python that count after its start as well, or for no result."""


class Started:
    """A running command.

    Attributes:
        pid: its number.
        returncode: how it ended, as `subprocess` has it; None while it has not been waited for.
        stdout: what it prints, if that is a pipe.
        stderr: what it complains, likewise.
    """

    def __init__(self, connection: socket.socket, stdout: IO[bytes] | None, stderr: IO[bytes] | None) -> None:
        self.returncode: int | None = None
        self.stdout, self.stderr = stdout, stderr
        self._connection = connection
        self._lines = connection.makefile("rb")
        self.pid = int(self._lines.readline())

    def poll(self) -> int | None:
        """How it ended; None if it has not."""
        return self._ended(0)

    def wait(self, timeout: float | None = None) -> int:
        """How it ended.

        Raises:
            subprocess.TimeoutExpired: it has not, after that many seconds.
        """
        code = self._ended(timeout)
        if code is None:
            assert timeout is not None
            raise subprocess.TimeoutExpired(f"process {self.pid}", timeout)
        return code

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill it, unless it has ended."""
        self.send_signal(signal.SIGKILL)

    def communicate(self, timeout: float) -> tuple[str, str]:
        """All that it prints on both pipes, as text; it has ended then, and is killed at the time limit."""
        end = time.monotonic() + timeout
        data: dict[IO[bytes], bytes] = {}
        with DefaultSelector() as selector:
            for pipe in (self.stdout, self.stderr):
                assert pipe is not None
                data[pipe] = b""
                selector.register(pipe, EVENT_READ, pipe)
            while selector.get_map():
                ready = selector.select(end - time.monotonic())
                if not ready:
                    self.kill()
                    raise subprocess.TimeoutExpired(f"process {self.pid}", timeout)
                for key, _ in ready:
                    read = os.read(key.fd, 65_536)
                    data[key.data] += read
                    if not read:
                        selector.unregister(key.fileobj)
        for pipe in data:
            pipe.close()
        self.wait(max(0.1, end - time.monotonic()))
        out, err = (text.decode().replace("\r\n", "\n") for text in data.values())
        return out, err

    def _ended(self, timeout: float | None) -> int | None:
        if self.returncode is None:
            self._connection.settimeout(None)
            with DefaultSelector() as selector:
                selector.register(self._connection, EVENT_READ)
                if not selector.select(timeout):
                    return None
            status = self._lines.readline()
            self._lines.close()
            self._connection.close()
            assert status, "its keeper is gone"
            self.returncode = os.waitstatus_to_exitcode(int(status))
        return self.returncode


def start(
    argv: Sequence[str | Path],
    *,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    stdout: int = subprocess.PIPE,
    stderr: int = subprocess.PIPE,
) -> Started:
    """Start a command; its standard input is empty.

    Args:
        argv: `sys.executable`, `-m`, `factory` or `planner`, and the arguments.
        cwd: the directory that it starts in.
        env: its environment; None for this process's.
        stdout: a descriptor, `subprocess.PIPE` or `subprocess.DEVNULL`.
        stderr: likewise.
    """
    interpreter, option, module, *arguments = map(str, argv)
    variables = dict(os.environ if env is None else env)
    assert (interpreter, option) == (sys.executable, "-m")
    assert module in ("factory", "planner")
    asked_for = variables.keys() - os.environ.keys() - set(_HARMLESS)
    real = [name for name in asked_for if name.startswith("PYTHON")]
    assert real == [], f"{real} count when Python starts: start it really"
    order = {"module": module, "arguments": arguments, "cwd": str(cwd), "env": variables}
    ours, theirs = socket.socketpair()
    with ExitStack() as closing:
        closing.callback(theirs.close)
        nothing = os.open(os.devnull, os.O_RDWR)
        closing.callback(os.close, nothing)
        handed: list[int] = []
        pipes: list[IO[bytes] | None] = []
        for wanted in (stdout, stderr):
            pipe = None
            descriptor = nothing if wanted == subprocess.DEVNULL else wanted
            if wanted == subprocess.PIPE:
                reading, descriptor = os.pipe()
                closing.callback(os.close, descriptor)
                pipe = os.fdopen(reading, "rb", buffering=0)
            handed.append(descriptor)
            pipes.append(pipe)
        message = json.dumps(order).encode()
        socket.send_fds(_server(), [message], [theirs.fileno(), nothing, *handed])
    return Started(ours, pipes[0], pipes[1])


def run(
    argv: Sequence[str | Path], *, cwd: Path, env: Mapping[str, str] | None = None, timeout: float = 60
) -> "subprocess.CompletedProcess[str]":
    """Run a command to its end.

    Args:
        argv: see `start`.
        cwd: the directory that it starts in.
        env: its environment; None for this process's.
        timeout: the seconds after which it is killed, and the test fails.
    """
    started = start(argv, cwd=cwd, env=env)
    out, err = started.communicate(timeout)
    return subprocess.CompletedProcess(list(map(str, argv)), started.wait(), out, err)


def forking_interpreter(path: Path) -> int:
    """Write an interpreter for scripts: it starts both commands as `start` does, and all else really.

    Args:
        path: where it is written.

    Returns:
        The descriptor that whoever starts the script has to hand on (`pass_fds`).
    """
    control = _server().fileno()
    path.write_text(_INTERPRETER.format(python=sys.executable, path=str(path), control=control))
    path.chmod(0o755)
    return control


_INTERPRETER = """#!{python} -IS
import os, sys
words = sys.argv[1:]
if words[0] == "-c" and words[1].endswith("print(sys.executable)"):
    print({path!r})
    sys.exit()
if words[:1] != ["-P"] or words[1:2] != ["-m"] or words[2] not in ("factory", "planner"):
    os.execv({python!r}, [{python!r}, *words])
import json, socket
ours, theirs = socket.socketpair()
order = {{"module": words[2], "arguments": words[3:], "cwd": os.getcwd(), "env": dict(os.environ)}}
socket.send_fds(socket.socket(fileno={control}), [json.dumps(order).encode()], [theirs.fileno(), 0, 1, 2])
theirs.close()
lines = ours.makefile("rb")
lines.readline()
code = os.waitstatus_to_exitcode(int(lines.readline()))
os._exit(code if code >= 0 else 128 - code)
"""
_SERVERS: list[tuple[int, socket.socket]] = []


def _server() -> socket.socket:
    """The control socket of this process's own server, which ends with it."""
    if not _SERVERS or _SERVERS[0][0] != os.getpid():
        # A message stays whole, with its descriptors.
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        kept = ("PATH", "LD_LIBRARY_PATH", "VIRTUAL_ENV")
        environment: dict[str, Any] = {name: os.environ[name] for name in kept if name in os.environ}
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.preloaded", str(theirs.fileno())],
            cwd=_ROOT,
            env=environment | {"LC_ALL": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
        )
        theirs.close()
        atexit.register(_end, os.getpid(), process, ours)
        _SERVERS[:] = [(os.getpid(), ours)]
    return _SERVERS[0][1]


def _end(owner: int, process: "subprocess.Popen[bytes]", control: socket.socket) -> None:
    if os.getpid() == owner:
        control.close()
        process.wait(10)

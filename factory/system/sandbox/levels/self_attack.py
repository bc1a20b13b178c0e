"""A short attack on a sandbox from inside, whose every attempt must fail: proof that it holds here."""

import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from factory.system.sandbox.levels.choose import in_probe_checkout
from factory.system.sandbox.levels.orders import interpreter
from factory.system.sandbox.port import Sandbox

_BROKE_OUT: Final = "broke out: "

# What each attempt is called, and what it does; an attempt that raises has failed, as it must.
_ATTEMPTS: Final = """
import ctypes, os, socket, sys
canary, port, starter = sys.argv[1], int(sys.argv[2]), sys.argv[3]
def read(): open(canary).read()
def write(): open(canary, "a")
def connect(): socket.create_connection(("127.0.0.1", port), 2)
def signal(): os.kill(int(starter), 0)
def environment(): open(f"/proc/{starter}/environ", "rb").read()
def memory(): os.open("/proc/self/mem", os.O_WRONLY)
def system(): open("/usr/workorder-self-attack", "w")
def kernel(): os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY)
def namespace():
    if ctypes.CDLL(None).unshare(0x10000000) != 0: raise OSError
attempts = {
    "read a file outside": read, "write to a file outside": write,
    "connect to the machine": connect, "signal another process": signal,
    "read another process's environment": environment, "write into the memory of processes": memory,
    "write to the system": system,
    "set the kernel's parameters": kernel, "make a user namespace": namespace,
}
for name, attempt in attempts.items():
    try:
        attempt()
    except (OSError, ValueError):
        continue
    print("broke out: " + name)
print("attempted " + str(len(attempts)))
"""


def broken_out(sandbox: Sandbox) -> tuple[str, ...] | None:
    """Attack a sandbox from inside.

    Returns:
        The attempts that succeeded, each what it did; none is how it must be. None if the attack could not
        be carried out.
    """
    with _targets() as (canary, port):
        program = (str(interpreter()), "-I", "-S", "-c", _ATTEMPTS, str(canary), str(port), str(os.getpid()))
        _, printed = in_probe_checkout(sandbox, lambda _policy: program)
    lines = printed.splitlines()
    if not lines or not lines[-1].startswith("attempted "):
        return None
    return tuple(line.removeprefix(_BROKE_OUT) for line in lines if line.startswith(_BROKE_OUT))


@contextmanager
def _targets() -> Iterator[tuple[Path, int]]:
    """A file and a port of this machine that nobody inside may reach."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="workorder-canary-"))).resolve()
        folder.chmod(0o755)
        canary = folder / "canary"
        canary.write_text("canary")
        canary.chmod(0o666)
        server = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        yield canary, server.getsockname()[1]

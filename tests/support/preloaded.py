"""A process that has imported both commands, and forks a child for each that a test starts (see `starts`).

Started as `python -m tests.support.preloaded CONTROL_FD`. Each message on the control socket is the socket
of one start and the child's standard streams as descriptors, and JSON: the module and its arguments, the
directory and the environment. A keeper between this process and the child waits for it: the socket carries
the child's number, and the wait status after its end. The child goes on as `python -m MODULE ARGUMENT…`
would: it leaves this file by way of `runpy`, outside of every block, and the interpreter ends it. One
thread, so that forking is safe; it ends when the control socket is closed, which is when its test process
ends.

Not imported before: `factory.runs.graph`, which sets variables of the environment.
"""

import atexit
import gc
import importlib
import io
import json
import os
import runpy
import signal
import socket
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

MODULES = (
    "factory.builds.build",
    "factory.builds.state.reset",
    "factory.cli",
    "factory.commands.composition",
    "factory.report.build",
    "factory.report.endings",
    "factory.report.reset",
    "factory.report.show",
    "factory.report.status",
    "factory.runs.run",
    "langgraph.graph",
    "planner.check.explain",
    "planner.check.on_disk",
    "planner.cli",
    "planner.commands.ask",
    "planner.commands.inputs",
    "planner.commands.job",
    "planner.commands.reasons.comparison",
    "planner.commands.reasons.revision",
    "planner.compile.sync",
    "planner.plan.trace",
    "planner.report.diagram",
    "planner.report.impact",
    "planner.report.trace",
    "planner.repository.landed",
    "planner.repository.sources",
    "planner.specification.data",
)
MOST_BYTES = 1 << 20
_MOST_DESCRIPTORS = 256


def next_child(control: socket.socket) -> dict[str, Any] | None:
    """Serve starts; returns in each child with what it shall be, and in this process with None at the end."""
    while True:
        data, received, _, _ = socket.recv_fds(control, MOST_BYTES, 4)
        if not data:
            _collect_keepers()
            return None
        if os.fork() == 0:
            # The keeper.
            child = os.fork()
            if child == 0:
                for number, descriptor in enumerate(received[1:]):
                    os.dup2(descriptor, number)
                control.detach()
                os.closerange(3, _MOST_DESCRIPTORS)
                order: dict[str, Any] = json.loads(data)
                return order
            os.closerange(0, 3)
            connection = socket.socket(fileno=received[0])
            for descriptor in received[1:]:
                os.close(descriptor)
            control.close()
            connection.sendall(f"{child}\n".encode())
            _, status = os.waitpid(child, 0)
            try:
                connection.sendall(f"{status}\n".encode())
            finally:
                os._exit(0)
        for descriptor in received:
            os.close(descriptor)
        _collect_keepers()


def _collect_keepers() -> None:
    """Those that have ended, so that what their children used counts as used by the tests."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass


def become(order: dict[str, Any], installed: list[str]) -> None:
    """Make of this process what a new interpreter is before it runs a module."""
    # As a new interpreter has it; this one ignored it for its keeper's sake.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["env"])
    time.tzset()
    entries = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    sys.path[:] = [str(Path.cwd()), *map(os.path.abspath, entries), *installed]
    sys.dont_write_bytecode = bool(os.environ.get("PYTHONDONTWRITEBYTECODE"))
    sys.argv[:] = [order["module"], *order["arguments"]]
    for name, number, mode in (("stdin", 0, "r"), ("stdout", 1, "w"), ("stderr", 2, "w")):
        before = getattr(sys, name)
        line_buffering = name == "stderr" or os.isatty(number)
        raw = os.fdopen(number, f"{mode}b", closefd=False)
        stream = io.TextIOWrapper(raw, before.encoding, before.errors, line_buffering=line_buffering)
        stream.mode = mode  # type: ignore[misc]
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def leave(code: int) -> None:
    """End as an interpreter does, without taking apart what was imported before the fork.

    Returns only where the interpreter has to tell that what was printed can't be written.
    """
    for thread in threading.enumerate():
        if thread is not threading.main_thread() and not thread.daemon:
            thread.join()
    atexit._run_exitfuncs()
    with suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    # As a new interpreter has it, but for the directory that this one was started in.
    _installed = sys.path[1:]
    for _name in MODULES:
        importlib.import_module(_name)
    assert "factory.runs.graph" not in sys.modules
    assert threading.active_count() == 1
    # A terminal's interruption is for the tests; they close the socket.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.collect()
    gc.freeze()
    _order = next_child(socket.socket(fileno=int(sys.argv[1])))
    if _order is not None:
        become(_order, _installed)
        try:
            runpy.run_module(_order["module"], run_name="__main__", alter_sys=True)
        except SystemExit as ended:
            if isinstance(ended.code, int):
                leave(ended.code)
            raise

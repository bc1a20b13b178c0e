"""A scheduler and workers of a real engine, as processes on loopback."""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from factory.engines.surroundings import worker_environment
from factory.system.process.background import Background

BAD_WORKER = '''
"""A worker that is not what it should be: it lies, hangs or says that it has another version."""
import sys, time
from pathlib import Path
from factory.engines.dask import entry, nodes
from factory.engines.surroundings import abilities
import os

how, file, scratch = sys.argv[1:]

def work(document, pack):
    if how == "hangs":
        time.sleep(600)
    return {"document": b"{}", "sha256": "0" * 64, "files": {}}

entry.work = work
can = abilities(os.environ)
if how == "old":
    can = {"workorder-0.0.1-python-3.9-linux-x86_64": 1.0}
nodes.serve_worker("", Path(file), how, can, Path(scratch), insecure=False, lifeline=True)
'''


class Engine:
    """An engine on this machine.

    Attributes:
        file: what the scheduler has written.
        running: the processes, by name.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self.file = folder / "scheduler.json"
        self.running: dict[str, Background] = {}
        self._environment = worker_environment(os.environ) | {"PYTHONPATH": str(Path.cwd())}

    def start_scheduler(self) -> None:
        """Start the scheduler, or start it again at the same address."""
        self._start("scheduler", "-m", "factory", "engine", "scheduler", *self._joining())
        end = time.monotonic() + 60
        while not self.file.exists():
            assert time.monotonic() < end, self.log("scheduler")
            time.sleep(0.05)

    def start_worker(self, name: str) -> None:
        """Start a worker with a directory of its own, or start it again in it."""
        place = str(self._folder / f"place-{name}")
        self._start(
            name, "-m", "factory", "engine", "worker", "--name", name, "--directory", place, *self._joining()
        )

    def start_bad_worker(self, how: str) -> None:
        """Start a worker that `lies`, `hangs` or is `old`."""
        program = self._folder / "bad_worker.py"
        program.write_text(BAD_WORKER)
        scratch = self._folder / f"scratch-{how}"
        scratch.mkdir(exist_ok=True)
        self._start(how, str(program), how, str(self.file), str(scratch))

    def log(self, name: str) -> str:
        """What a process has printed."""
        return (self._folder / f"{name}.log").read_text()

    def end(self, name: str) -> None:
        """Let a process end."""
        self.running.pop(name).end()

    def kill(self, name: str) -> None:
        """Kill a process as the kernel does, without a word."""
        process = self.running.pop(name)
        os.kill(process.pid, signal.SIGKILL)
        process.end()

    def _joining(self) -> tuple[str, ...]:
        return ("--scheduler-file", str(self.file), "--until-stdin-closes")

    def _start(self, name: str, *words: str) -> None:
        self.running[name] = Background(
            [sys.executable, *words], self._environment, self._folder / f"{name}.log"
        )


@contextmanager
def an_engine(folder: Path, *workers: str) -> Iterator[Engine]:
    """Within the block there are a scheduler and workers."""
    engine = Engine(folder)
    with ExitStack() as ending:
        try:
            engine.start_scheduler()
            for name in workers:
                engine.start_worker(name)
            yield engine
        finally:
            for process in engine.running.values():
                process.ask_to_end()
            for process in engine.running.values():
                ending.callback(process.end)

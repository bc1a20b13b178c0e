"""A scheduler and workers of a real engine, as processes on loopback."""

import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from factory.engines.surroundings import worker_environment
from factory.system.process.background import Background

BAD = "bad"
"""What nobody can do but the bad worker, so that it gets no trial which does not ask for that."""

BAD_WORKER = f'''
"""A worker that is not what it should be: it lies, and then it hangs."""
import sys, time
from pathlib import Path
from factory.engines.dask import entry, nodes

file = sys.argv[1]
asked = []

def work(document, pack):
    asked.append(document)
    if len(asked) > 1:
        time.sleep(600)
    return {{"document": b"{{}}", "sha256": "0" * 64, "files": {{}}}}

entry.work = work
nodes.serve_worker("", Path(file), "{BAD}", {{"{BAD}": 1.0}}, insecure=False, lifeline=True)
'''


class Engine:
    """An engine on this machine.

    Attributes:
        folder: where it keeps its files.
        file: what the scheduler has written.
        running: the processes, by name.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
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

    def start_worker(
        self,
        name: str,
        *before: str,
        place: Path | None = None,
        file: Path | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        """Start a worker with a directory of its own, or start it again in it.

        Args:
            name: what it is called.
            before: what starts it, such as `setpriv` with its options.
            place: its directory, if it is to have another one.
            file: what names the scheduler to it, if that is another file.
            variables: further environment variables.
        """
        at = str(place or self.folder / f"place-{name}")
        through = [word for variable in variables or () for word in ("--env", variable)]
        words = ("engine", "worker", "--name", name, "--directory", at, *through, *self._joining(file))
        self._start(name, "-m", "factory", *words, before=before, variables=variables)

    def start_bad_worker(self) -> None:
        """Start a worker called `bad`, which lies once and hangs from then on."""
        program = self.folder / "bad_worker.py"
        program.write_text(BAD_WORKER)
        self._start(BAD, str(program), str(self.file))

    def log(self, name: str) -> str:
        """What a process has printed."""
        return (self.folder / f"{name}.log").read_text()

    def end(self, name: str) -> None:
        """Let a process end."""
        self.running.pop(name).end()

    def kill(self, name: str) -> None:
        """Kill a process as the kernel does, without a word."""
        process = self.running.pop(name)
        os.kill(process.pid, signal.SIGKILL)
        process.end()

    def _joining(self, file: Path | None = None) -> tuple[str, ...]:
        return ("--scheduler-file", str(file or self.file), "--until-stdin-closes")

    def _start(
        self,
        name: str,
        *words: str,
        before: Sequence[str] = (),
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self.running[name] = Background(
            [*before, sys.executable, *words],
            self._environment | (variables or {}),
            self.folder / f"{name}.log",
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

"""`dask:local:N`: a scheduler and workers as processes of this machine, which end with the build.

What goes between them is encrypted with a certificate that is made for this build: whoever else uses the
machine could otherwise join, and run programs as this user.
"""

import json
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from distributed.security import Security

from factory.engines.certificates import write_certificates
from factory.engines.name import EngineProblem
from factory.engines.surroundings import worker_environment
from factory.system.files.tree import FileProblem, read_bounded
from factory.system.process.background import Background

_START_SECONDS: Final = 120.0
_TLS: Final = "DASK_DISTRIBUTED__COMM__TLS__"


@contextmanager
def started(count: int, own: Mapping[str, str]) -> Iterator[tuple[Path, Security]]:
    """Within the block there are a scheduler and workers; the file that names it, and how it is reached.

    Args:
        count: how many workers.
        own: the factory's own environment variables.

    Raises:
        EngineProblem: they don't start.
    """
    with tempfile.TemporaryDirectory(prefix="workorder-engine-") as name, ExitStack() as running:
        folder = Path(name)
        made = write_certificates(folder)
        environment = worker_environment(own) | {
            f"{_TLS}CA_FILE": str(made.authority),
            "DASK_DISTRIBUTED__COMM__REQUIRE_ENCRYPTION": "True",
        }
        for part in ("SCHEDULER", "WORKER", "CLIENT"):
            environment[f"{_TLS}{part}__CERT"] = str(made.certificate)
            environment[f"{_TLS}{part}__KEY"] = str(made.key)
        file = folder / "scheduler.json"
        program = [sys.executable, "-P", "-m", "factory", "engine"]
        common = ["--scheduler-file", str(file), "--until-stdin-closes"]

        def start(*words: str) -> Background:
            process = Background([*program, *words, *common], environment, folder / f"{words[0]}.log")
            running.callback(process.end)
            running.callback(process.ask_to_end)
            return process

        scheduler = start("scheduler", "--host", "127.0.0.1")
        workers = [start("worker", "--name", f"local-{number}") for number in range(1, count + 1)]
        _await_file(file, scheduler, folder)
        security = Security(
            tls_ca_file=str(made.authority),
            tls_client_cert=str(made.certificate),
            tls_client_key=str(made.key),
            require_encryption=True,
        )
        del workers
        yield file, security


def _await_file(file: Path, scheduler: Background, folder: Path) -> None:
    end = time.monotonic() + _START_SECONDS
    # The scheduler writes it in pieces.
    while not _is_written(file):
        if scheduler.has_ended or time.monotonic() > end:
            raise EngineProblem(
                f"the scheduler does not start: {_last_words(folder / 'scheduler.log')}",
                where="--engine dask:local",
                hint="`factory engine scheduler` by hand tells more",
            )
        time.sleep(0.05)


def _is_written(file: Path) -> bool:
    try:
        return bool(json.loads(file.read_bytes()))
    except (OSError, ValueError):
        return False


def _last_words(log: Path) -> str:
    try:
        lines = read_bounded(log).decode("utf-8", "replace").strip().splitlines()
    except FileProblem:
        return "it said nothing"
    return lines[-1][:300] if lines else "it said nothing"

"""Opens the engine that the user names, and refuses one without a worker before anything is begun."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Final

from factory.engines.dask.cluster import Cluster, Lost, WorkerFacts
from factory.engines.dask.processes import started
from factory.engines.dask.trials import DaskTrials, no_worker
from factory.engines.message import peer
from factory.engines.name import EngineName
from factory.engines.needs import needs_of
from factory.system.terminal.console import visible

_JOIN_SECONDS: Final = 30.0
_START_SECONDS: Final = 180.0
_LOOK_SECONDS: Final = 0.2


@contextmanager
def cluster_of(name: EngineName, *, insecure: bool) -> Iterator[Cluster]:
    """Within the block the scheduler is reached.

    Raises:
        EngineProblem: it is not.
    """
    with ExitStack() as used:
        security = None
        if name.kind == "processes":
            file, security = used.enter_context(started(name.processes, os.environ))
            name = EngineName("file", str(file))
        cluster = Cluster(name, insecure=insecure, security=security)
        used.callback(cluster.close)
        yield cluster


@contextmanager
def opened(
    name: EngineName, *, insecure: bool, progress: Callable[[str], None], remote: str = ""
) -> Iterator[DaskTrials]:
    """Within the block trials run on workers, of which at least one is there.

    Args:
        name: the engine.
        insecure: whether what is not encrypted may lead to other machines.
        progress: tells the user of workers that are not used, and of what they can't fetch.
        remote: from where workers may take a history, see `parse_remote`; empty for from here alone.

    Raises:
        EngineProblem: the scheduler is not reached, or no worker speaks as this coordinator does.
    """
    with cluster_of(name, insecure=insecure) as cluster:
        wanted = max(1, name.processes)
        seconds = _START_SECONDS if name.kind == "processes" else _JOIN_SECONDS
        fitting, others = _joined(cluster, wanted, seconds)
        if not fitting:
            raise no_worker(needs_of(""), others)
        for worker in others:
            told = worker.peer or "no word of its versions: start workers with `factory engine worker`"
            progress(f"the worker {visible(worker.name)} is not used: {peer()} is needed, and it has {told}")
        for worker in fitting:
            if worker.clock:
                progress(
                    f"the worker {visible(worker.name)}: {worker.clock}, so tests that look at the time may"
                    " come out otherwise there"
                )
        progress(f"trials run on {_counted(len(fitting))} of the engine")
        yield DaskTrials(cluster, remote=remote, progress=progress)


def _joined(cluster: Cluster, wanted: int, seconds: float) -> tuple[list[WorkerFacts], list[WorkerFacts]]:
    end = time.monotonic() + seconds
    while True:
        try:
            workers = cluster.workers()
        except Lost:
            workers = []
        fitting = [worker for worker in workers if peer() in worker.resources]
        if len(fitting) >= wanted or time.monotonic() > end:
            return fitting, [worker for worker in workers if worker not in fitting]
        if workers and not fitting and seconds:
            # Whether others come that fit is worth a little time.
            end, seconds = min(end, time.monotonic() + seconds / 6), 0.0
        time.sleep(_LOOK_SECONDS)


def _counted(number: int) -> str:
    return "1 worker" if number == 1 else f"{number} workers"

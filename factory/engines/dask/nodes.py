"""A scheduler and a worker of Dask's, each as the only thing that a process does."""

import asyncio
import gc
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import dask
from distributed import Scheduler, Worker, system
from distributed.comm import connect, get_address_host
from distributed.security import Security
from distributed.utils import get_ip, get_ipv6

from factory.engines.dask.cluster import CLOCK, address_in, require_certificates, silence, why
from factory.engines.dask.entry import close_office
from factory.engines.name import EngineProblem, require_private
from factory.system.sandbox.policy import MIB

_ENDING_SECONDS: Final = 20.0
_AGAIN_SECONDS: Final = 1.0
_JOINING_SECONDS: Final = 15.0
_DEFAULTS: Final = {"distributed": {"scheduler": {"worker-ttl": "60s"}}}
"""Of Dask's own configuration, where the user has set nothing else: who is silent so long is lost."""

_NOTHING_SERVED: Final = "127.0.0.1:0"
"""Where Dask's HTTP server listens, which can't be left out."""

_QUIET: Final = {
    "distributed.admin.tick.interval": "1s",
    "distributed.worker.use-file-locking": False,
    # Nobody looks at it, and it looks at a trial's thread every 10 ms.
    "distributed.worker.profile.enabled": False,
    # They ask the kernel each time, many times a second, and results are small.
    "distributed.worker.memory.monitor-interval": "2s",
    "distributed.admin.system-monitor.interval": "2s",
    # Nothing is served but Dask's own protocol.
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
}


def serve_scheduler(host: str, port: int, protocol: str, file: Path | None, *, lifeline: bool) -> None:
    """Be a scheduler until a signal comes, or, with a lifeline, until standard input closes.

    Args:
        host: where to listen.
        port: the port; 0 for one that is free.
        protocol: `tls` or `tcp`.
        file: gets the address, for who is to find it.
        lifeline: whether the end of standard input ends it.

    Raises:
        EngineProblem: it can't listen there, or certificates are missing.
    """

    require_certificates(f"{protocol}://", "scheduler")

    async def serve(ending: asyncio.Event) -> None:
        scheduler = Scheduler(
            host=host,
            port=port,
            protocol=f"{protocol}://",
            scheduler_file=str(file) if file is not None else None,
            dashboard=False,
            dashboard_address=_NOTHING_SERVED,
        )
        try:
            await scheduler
        except (OSError, RuntimeError) as error:
            raise EngineProblem(
                f"the scheduler can't listen there: {why(error.__cause__ or error)}",
                where=f"{host}:{port}",
                hint="choose another --host or --port",
            ) from error
        async with scheduler:
            print(f"listening at {scheduler.address}", flush=True)  # noqa: T201
            await ending.wait()

    _run(serve, lifeline)


def serve_worker(
    address: str,
    file: Path | None,
    name: str,
    abilities: Mapping[str, float],
    *,
    insecure: bool,
    lifeline: bool,
) -> None:
    """Be a worker until a signal comes; after the scheduler is gone, join it again when it is back.

    Args:
        address: the scheduler's; empty if the file names it.
        file: the file that names it.
        name: what the worker is called.
        abilities: what it can do.
        insecure: whether what is not encrypted may lead to other machines.
        lifeline: whether the end of standard input ends it, too.

    Raises:
        EngineProblem: what it would join is not encrypted, or certificates are missing.
    """

    async def serve(ending: asyncio.Event) -> None:
        # Dask may write there. It goes before the process ends, which nothing outlives.
        with tempfile.TemporaryDirectory(prefix="workorder-dask-", ignore_cleanup_errors=True) as scratch:
            await join(ending, scratch)

    async def join(ending: asyncio.Event, scratch: str) -> None:
        told = ""
        while not ending.is_set():
            try:
                # The file may name another scheduler by now.
                place = address or _address_in(file)
                require_private(place, insecure=insecure)
                require_certificates(place, "worker")
                await _reach(place)
                async with _worker(place, name, abilities, scratch) as worker:
                    told = ""
                    print(f"{name} has joined {worker.scheduler.address}", flush=True)  # noqa: T201
                    await _first(ending.wait(), worker.finished())
            except (OSError, ValueError, TimeoutError, RuntimeError) as error:
                reason = why(error.__cause__ or error)
                if reason != told:
                    told = reason
                    print(f"{name} tries on to join a scheduler: {reason}", file=sys.stderr, flush=True)  # noqa: T201
            await _first(ending.wait(), asyncio.sleep(_AGAIN_SECONDS))

    _run(serve, lifeline)


def _worker(scheduler: str, name: str, abilities: Mapping[str, float], scratch: str) -> Any:
    """One that has a trial at a time, serves nothing else, and tells its time."""
    return Worker(
        scheduler,
        host=_interface_to(scheduler),
        name=name,
        nthreads=1,
        resources=dict(abilities),
        local_directory=scratch,
        dashboard=False,
        dashboard_address=_NOTHING_SERVED,
        metrics={CLOCK: lambda _worker: time.time()},
        death_timeout=_JOINING_SECONDS,
    )


def memory_of_machine() -> int:
    """How many bytes of memory the processes of this machine, or of its control group, can have, in MiB."""
    return int(system.MEMORY_LIMIT) // MIB * MIB


def _interface_to(scheduler: str) -> str:
    """The address of this machine from which the scheduler is reached: nobody else is listened to.

    Who can speak to a worker without TLS can have it run anything.
    """
    host = get_address_host(scheduler)
    return f"[{get_ipv6(host)}]" if ":" in host else get_ip(host)


async def _reach(address: str) -> None:
    """Fail for the reason that a worker would try on with, silently."""
    try:
        comm = await connect(address, timeout=_JOINING_SECONDS, **Security().get_connection_args("worker"))
        await comm.close()
    except OSError as error:
        raise OSError(f"{address}: {why(error)}") from None


def _address_in(file: Path | None) -> str:
    """The address in a file that a scheduler may be about to write."""
    assert file is not None
    try:
        return address_in(file)
    except EngineProblem as error:
        raise OSError(f"{file} {error.message}") from None


async def _first(*waiting: object) -> None:
    """Wait until one of several has come."""
    tasks = [asyncio.ensure_future(one) for one in waiting]  # type: ignore[call-overload]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()


def _run(serve: object, lifeline: bool) -> None:
    # What goes wrong between the two is told by whether a worker has joined.
    silence()
    dask.config.set(_QUIET)
    dask.config.update_defaults(_DEFAULTS)

    # Nothing of what is imported is garbage, and going through it would take more time than trials do.
    gc.collect()
    gc.freeze()

    async def main() -> None:
        ending, loop = asyncio.Event(), asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, ending.set)
        if lifeline:
            threading.Thread(target=_await_end, args=(loop, ending), daemon=True).start()
        await serve(ending)  # type: ignore[operator]

    problem: EngineProblem | None = None
    try:
        asyncio.run(main())
    except EngineProblem as error:
        problem = error
    finally:
        close_office()
    if problem is not None:
        raise problem
    sys.stdout.flush()
    # A trial may still be in its thread, which nobody waits for: what it started ends with this process.
    os._exit(0)


def _await_end(loop: asyncio.AbstractEventLoop, ending: asyncio.Event) -> None:
    with suppress(OSError):
        while os.read(0, 4096):
            pass
    with suppress(RuntimeError):
        loop.call_soon_threadsafe(ending.set)
    threading.Event().wait(_ENDING_SECONDS)
    os._exit(1)

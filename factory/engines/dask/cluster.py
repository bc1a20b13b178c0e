"""The connection to Dask's scheduler: which workers there are, and one call after the other.

Nothing of trials is known here. Dask itself runs a call again when its worker is lost; how often is its own
configuration (`distributed.scheduler.allowed-failures`).
"""

import json
import logging
import math
import threading
import time
from asyncio import CancelledError
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import dask
from distributed import Client, Future, KilledWorker
from distributed.security import Security

from factory.engines.name import EngineName, EngineProblem, is_address, require_private
from factory.engines.needs import MEMORY, PROGRAM, SANDBOX, Amounts, lacking

CONNECT_SECONDS: Final = 10.0
_POLL_SECONDS: Final = 1.0
_PLAIN: Final = ["msgpack", "dask"]
"""What results may be made of: bytes, text, numbers, lists and mappings. Nothing is unpickled."""

CLOCK: Final = "workorder-clock"
"""What a worker tells with each sign of life: its time, in seconds since 1970."""

_SKEW_SECONDS: Final = 5.0
"""What a message may take before the difference counts as one of clocks."""


@dataclass(frozen=True)
class WorkerFacts:
    """A worker, as the scheduler knows it.

    Attributes:
        address: where it is.
        name: what it is called.
        resources: what it can do, and how much of it there is.
        clock_seconds: by how much its clock is ahead of the scheduler's, as far as that is sure; behind it if
            negative.
    """

    address: str
    name: str
    resources: Amounts
    clock_seconds: float = 0.0

    @property
    def peer(self) -> str:
        """The versions that it says it has; empty if it says nothing."""
        return next((name for name in self.resources if name.startswith("workorder-")), "")

    @property
    def memory_bytes(self) -> int:
        """How much memory its machine has; 0 if nobody says."""
        return int(self.resources.get(MEMORY, 0))

    @property
    def clock(self) -> str:
        """What is wrong with its clock; empty if nothing is."""
        if not self.clock_seconds:
            return ""
        where = "ahead of" if self.clock_seconds > 0 else "behind"
        return f"its clock is {abs(self.clock_seconds):.0f} s {where} the scheduler's"

    def lacking(self, needs: Amounts) -> list[str]:
        """Of what is needed what it has not, or not enough of, for people."""
        return lacking(self.resources, needs)

    @property
    def sandboxes(self) -> tuple[str, ...]:
        """The sandboxes that work there."""
        return self._named(SANDBOX)

    @property
    def programs(self) -> tuple[str, ...]:
        """The programs of languages that are installed there."""
        return self._named(PROGRAM)

    def _named(self, beginning: str) -> tuple[str, ...]:
        return tuple(
            sorted(name.removeprefix(beginning) for name in self.resources if name.startswith(beginning))
        )


class Lost(Exception):
    """The call is not under way any more, and nobody answered; the message says why."""


class Died(Lost):
    """So many workers were lost while they had the call that it is not tried again."""


class Cluster:
    """A scheduler that is there; threads may share it.

    Args:
        name: which.
        insecure: whether what is not encrypted may lead to other machines.
        security: how it is reached; None for what Dask's own configuration says.

    Raises:
        EngineProblem: it is not reached.
    """

    def __init__(self, name: EngineName, *, insecure: bool, security: Security | None = None) -> None:
        self._name = name
        self._insecure = insecure
        self._security = security
        self._lock = threading.Lock()
        self._looked_at = 0.0
        self._processing: Mapping[str, str] = {}
        self._listed: list[WorkerFacts] = []
        self._listed_at = -math.inf
        # What went wrong is told by us, once.
        silence()
        self._client = self._connected(CONNECT_SECONDS)

    @property
    def address(self) -> str:
        """The scheduler's address."""
        if self._name.kind == "address":
            return self._name.place
        return address_in(Path(self._name.place))

    def close(self) -> None:
        """Leave; what is under way for nobody else is given up."""
        with suppress(Exception):
            self._client.close(timeout=2)

    def workers(self) -> list[WorkerFacts]:
        """The workers that there are, or were a moment ago, by name.

        Raises:
            Lost: the scheduler does not answer.
        """
        with self._lock:
            if time.monotonic() - self._listed_at < _POLL_SECONDS:
                return self._listed
            try:
                known = self._client.scheduler_info(n_workers=-1)["workers"]
            except Exception as error:
                raise Lost(f"the scheduler does not answer ({type(error).__name__})") from error
            self._listed, self._listed_at = _listed(known), time.monotonic()
            return self._listed

    def submit(
        self,
        function: Callable[..., object],
        arguments: Sequence[bytes],
        key: str,
        needs: Amounts,
        workers: Sequence[str] = (),
    ) -> Future:
        """Ask for a call.

        Args:
            function: of an installed module, by whose name it travels.
            arguments: bytes alone.
            key: the call's name: the same one under way is not begun again.
            needs: what the worker must have.
            workers: the addresses of those that may; all if none are named.

        Raises:
            Lost: the scheduler does not answer.
        """
        try:
            return self._client.submit(
                function,
                *arguments,
                key=key,
                resources=dict(needs),
                workers=list(workers) or None,
                pure=True,
            )
        except Exception as error:
            raise Lost(f"the scheduler does not answer ({type(error).__name__})") from error

    def holder(self, future: Future) -> str:
        """The address of who has the result of a call; empty if nobody knows."""
        with suppress(Exception):
            return str(next(iter(self._client.who_has([future])[future.key]), ""))
        return ""

    def result(self, future: Future) -> object:
        """What a call that has ended returned; None if that is of a kind that is not read.

        Raises:
            Lost: it returned nothing.
        """
        try:
            return future.result(timeout=60)
        except TypeError:
            return None
        except KilledWorker as error:
            last = getattr(error.last_worker, "address", "")
            raise Died(
                f"{error.allowed_failures + 1} workers were lost while they had it, the last at {last}"
            ) from error
        except (Exception, CancelledError) as error:
            raise Lost(why(error)) from error

    def worker_of(self, key: str) -> str:
        """The address of the worker that has a call now; empty if none has, or nobody knows."""
        with self._lock:
            if time.monotonic() - self._looked_at > _POLL_SECONDS:
                with suppress(Exception):
                    by_worker = self._client.processing()
                    self._processing = {
                        str(task): worker for worker, tasks in by_worker.items() for task in tasks
                    }
                self._looked_at = time.monotonic()
            return self._processing.get(key, "")

    def reconnect(self, lost: Client, seconds: float) -> None:
        """Reach the scheduler again, unless another thread has done it.

        Args:
            lost: the connection that is lost, see `connection`.
            seconds: how long to try.

        Raises:
            EngineProblem: it is not reached.
        """
        with self._lock:
            if self._client is not lost:
                return
            with suppress(Exception):
                lost.close(timeout=1)
            self._client = self._connected(seconds)

    @property
    def connection(self) -> Any:
        """What is used now; another one after the connection was lost."""
        return self._client

    @property
    def is_connected(self) -> bool:
        """Whether the scheduler is reached."""
        return bool(self._client.status == "running")

    def _connected(self, seconds: float) -> Client:
        end = time.monotonic() + seconds
        while True:
            address = self.address
            require_private(address, insecure=self._insecure)
            if self._security is None:
                require_certificates(address, "client")
            try:
                return Client(
                    address,
                    security=self._security,
                    timeout=max(1.0, min(CONNECT_SECONDS, end - time.monotonic())),
                    deserializers=_PLAIN,
                    set_as_default=False,
                )
            except Exception as error:
                # A library's own mistakes, such as with a loop that a failure has closed, are no bug of ours.
                if time.monotonic() > end or not isinstance(error, OSError | TimeoutError):
                    raise EngineProblem(
                        f"the scheduler is not reached: {why(error)}",
                        where=address,
                        hint="see whether it runs there, and whether both sides have the same certificates",
                    ) from error
                time.sleep(0.5)


def address_in(file: Path) -> str:
    """The address that a scheduler has written.

    Raises:
        EngineProblem: it is no such file.
    """
    try:
        address = str(json.loads(file.read_bytes())["address"])
    except (OSError, ValueError, KeyError, TypeError):
        address = ""
    if not is_address(address):
        raise EngineProblem(
            "is no file that a scheduler has written",
            where=str(file),
            hint="start it with `factory engine scheduler --scheduler-file FILE`",
        )
    return address


def require_certificates(address: str, role: str) -> None:
    """Refuse what Dask would fail with at each try, or without a word of which file.

    Args:
        address: the scheduler's.
        role: `scheduler`, `worker` or `client`.

    Raises:
        EngineProblem: the address asks for certificates, and Dask's configuration names none that are there.
    """
    if not address.startswith("tls://"):
        return
    for name in ("ca-file", f"{role}.cert", f"{role}.key"):
        file = dask.config.get(f"distributed.comm.tls.{name}", None)
        if not file or not Path(file).is_file():
            what = f"names {file}, which is no file," if file else "names nothing"
            raise EngineProblem(
                f"Dask's configuration {what} as distributed.comm.tls.{name}",
                where=f"the {role}'s TLS",
                hint="set the variables that docs/engine.md tells of",
            )


def silence() -> None:
    """Let Dask log nothing; its own configuration gives each of these a level."""
    for name in ("distributed", "distributed.client", "distributed.gc"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def why(error: BaseException) -> str:
    """What a library says of its failure, in a line."""
    text = " ".join(str(error).split())[:200]
    return text or type(error).__name__


def _listed(known: Mapping[str, Mapping[str, Any]]) -> list[WorkerFacts]:
    facts = [
        WorkerFacts(
            address,
            str(worker["name"]),
            {str(name): float(amount) for name, amount in worker.get("resources", {}).items()},
            _skew(worker),
        )
        for address, worker in known.items()
    ]
    return sorted(facts, key=lambda worker: worker.name)


def _skew(worker: Mapping[str, Any]) -> float:
    """By how much a worker's clock is ahead of the scheduler's; 0 for what a message may take."""
    told, seen = worker.get("metrics", {}).get(CLOCK), worker.get("last_seen")
    if not isinstance(told, int | float) or not isinstance(seen, int | float):
        return 0.0
    return told - seen if abs(told - seen) > _SKEW_SECONDS else 0.0

"""Trials on the workers of a Dask scheduler; see `Trials`. Each failure of the engine is named."""

import os
import shutil
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from factory.contract.canonical import sha256_hex
from factory.contract.errors import Fault, WorkorderError
from factory.contract.strict_json import JsonValue
from factory.engines.dask.cluster import Cluster, Died, Lost, WorkerFacts
from factory.engines.dask.entry import fetch, prepare, supply, work
from factory.engines.dask.preparation import Preparation, Usable
from factory.engines.message import Fetch, Garbage, Problem, Reply, Supplies, Task, encoded, peer, unpacked
from factory.engines.name import EngineProblem
from factory.engines.needs import Amounts, described, needs_of
from factory.engines.parcels import PIECE_BYTES, Parcels
from factory.gates.before.toolchains import programs_named
from factory.gates.step import Step, StepKind
from factory.gates.trial import PartResult
from factory.system.git.client import Git
from factory.system.process.stop import Stopped
from factory.system.sandbox.policy import Resources
from factory.system.terminal.console import visible
from factory.trials.conditions import Conditions, Setting, orders_of
from factory.trials.evidence import put_down
from factory.trials.identity import name_of
from factory.trials.port import ignore_beginning, ignore_end
from factory.trials.request import TrialAnswer, TrialRequest

_AT_ONCE: Final = 64
_HEED_SECONDS: Final = 0.2
_COMMANDS: Final = 10
_SLACK_SECONDS: Final = 900.0


@dataclass(frozen=True)
class Patience:
    """How long is waited, and how often something is tried.

    Attributes:
        tries: how many workers may fail a trial.
        reconnect_seconds: how long the scheduler may be away.
        nobody_seconds: how long there may be no worker that fits.
        trial_seconds: how long a worker may have a trial; None for what follows from the commands' limit.
    """

    tries: int = 3
    reconnect_seconds: float = 60.0
    nobody_seconds: float = 120.0
    trial_seconds: float | None = None


def _unshown(_step: Step) -> None:
    """Nobody watches."""


def _untold(_text: str) -> None:
    """Nobody listens."""


@dataclass
class DaskTrials:
    """Runs trials on workers.

    Attributes:
        cluster: where they are.
        patience: how long is waited for them.
        remote: from where workers may take a history; empty for from here alone.
        progress: tells the user of what could not be had from there.
    """

    cluster: Cluster
    patience: Patience = field(default_factory=Patience)
    remote: str = ""
    progress: Callable[[str], None] = _untold
    _parcels: dict[Path, Parcels] = field(default_factory=dict)
    _locks: dict[str, threading.Lock] = field(default_factory=lambda: defaultdict(threading.Lock))
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _turns: threading.Condition = field(default_factory=threading.Condition)
    _under_way: int = 0
    preparation: Preparation = field(init=False)
    _settings: deque[tuple[Setting, str, Amounts]] = field(default_factory=lambda: deque(maxlen=16))
    _finished: dict[str, float] = field(default_factory=dict)
    """When each worker ended its last trial, by its address."""
    _supplied: dict[str, float] = field(default_factory=dict)
    """When each worker last had a history and a setting, by its address and their names."""

    are_elsewhere = True

    def __post_init__(self) -> None:
        self.preparation = Preparation(self._turns)

    def ask(
        self,
        request: TrialRequest,
        conditions: Conditions,
        folder: Path,
        begins: Callable[[str], None] = ignore_beginning,
        ended: Callable[[PartResult], None] = ignore_end,
    ) -> TrialAnswer:
        answer, facts = self._answer(request, conditions, folder)
        conditions.told(facts)
        for part in answer.results[0].parts if answer.results else ():
            begins(part.name)
            ended(part)
        return answer

    def ask_all(
        self, requests: Sequence[tuple[TrialRequest, Path]], conditions: Conditions
    ) -> list[TrialAnswer]:
        if not requests:
            return []
        with ThreadPoolExecutor(min(len(requests), _AT_ONCE)) as threads:
            asked = [
                threads.submit(self._answer, request, conditions, folder) for request, folder in requests
            ]
            answers = []
            for future in asked:
                answer, facts = future.result()
                conditions.told(facts)
                answers.append(answer)
        return answers

    def _answer(
        self, request: TrialRequest, conditions: Conditions, folder: Path
    ) -> tuple[TrialAnswer, dict[str, JsonValue]]:
        return _Asking(self, request, conditions, folder).answer()

    @contextmanager
    def turn(self, workers: Callable[[], int], heed: Callable[[], None]) -> Iterator[None]:
        """Within the block a call counts as under way; no more are than there are workers.

        Dask gives a call to a worker at once, also where each has one: it would wait there for that one's
        end, while another is free before.

        Args:
            workers: how many there are.
            heed: called now and then while this call waits; what it raises ends that.
        """
        while True:
            # Asked for before: whoever ends waits for nobody's answer.
            most = max(1, workers())
            with self._turns:
                if self._under_way < most:
                    self._under_way += 1
                    break
                self._turns.wait(_HEED_SECONDS)
            heed()
        try:
            yield
        finally:
            with self._turns:
                self._under_way -= 1
                self._turns.notify()

    def known(self, conditions: Conditions) -> tuple[str, Amounts]:
        """SHA-256 of a setting, and what its trials need of a worker.

        It holds the whole plan, so it is neither written out nor read for each trial anew.
        """
        setting = conditions.setting
        with self._lock:
            for known, name, needs in self._settings:
                if known == setting:
                    return name, needs
            name, needs = sha256_hex(encoded(setting)), _needs(conditions)
            self._settings.append((setting, name, needs))
            return name, needs

    def parcels(self, conditions: Conditions) -> Parcels:
        """What makes packs of the repository."""
        repository = conditions.bench.checkout.git.common_dir
        with self._lock:
            if repository not in self._parcels:
                # The checkout may be none of this machine, or gone before the next one is asked about.
                self._parcels[repository] = Parcels(Git.beside(repository))
            return self._parcels[repository]


class _Asking:
    """One trial, until somebody has answered."""

    def __init__(
        self, trials: DaskTrials, request: TrialRequest, conditions: Conditions, folder: Path
    ) -> None:
        self._trials = trials
        self._cluster = trials.cluster
        self._patience = trials.patience
        self._request = request
        self._conditions = conditions
        self._setting = conditions.setting
        self._stop = conditions.bench.stop
        self._begins = conditions.bench.begins
        self._folder = folder
        self._parcels = trials.parcels(conditions)
        root = conditions.setting.root
        since, self._pack = self._parcels.addition(request.base, root)
        name, self._needs = trials.known(conditions)
        self._task = Task(
            version=peer(),
            name=name_of(request, conditions),
            repository=self._parcels.repository(root),
            root=since,
            setting=name,
            request=request,
            kept_tests=conditions.kept_tests,
        )
        self._problems: dict[str, Problem] = {}
        self._number = 0
        self._asked_at = 0.0

    def answer(self) -> tuple[TrialAnswer, dict[str, JsonValue]]:
        began = time.monotonic()
        while True:
            self._heed_stop()
            reply = self._once()
            if reply is not None and reply.answer is not None:
                waited = max(0.0, time.monotonic() - began - reply.seconds)
                facts: dict[str, JsonValue] = {
                    "trial": self._request.question.kind,
                    "name": self._task.name,
                    "worker": visible(reply.worker),
                    "waited_seconds": round(waited, 3),
                    "seconds": round(reply.seconds, 3),
                }
                if self._problems:
                    names = (self._called(address, short=True) for address in sorted(self._problems))
                    facts["failed_on"] = [*map(visible, names)]
                return reply.answer, facts

    def prepare(self, address: str) -> bool:
        """Have a worker make ready what trials of this build need; nobody is shown that it does.

        Args:
            address: the worker's.

        Returns:
            Whether it is ready; the user is told if it can't be.

        Raises:
            Lost, Stopped, EngineProblem: it can't be asked.
        """
        self._begins = _unshown
        reply = self._told_to(prepare, (encoded(self._task),), address)
        if reply.outcome == "lacks":
            self._supply(address, reply.has)
            reply = self._told_to(prepare, (encoded(self._task),), address)
        problem = reply.problem or self._problems.get(address)
        if problem is not None:
            why = visible(problem.message)
            self._trials.progress(f"the worker {visible(reply.worker)} can't get ready: {why}")
        return reply.outcome == "supplied"

    def _once(self) -> Reply | None:
        """Ask once; None if it is to be asked again."""
        connection = self._cluster.connection
        self._number += 1
        self._asked_at = time.monotonic()
        # A call that failed keeps its name for a while.
        key = self._task.name if self._number == 1 else f"{self._task.name}-{self._number}-{id(self):x}"
        try:
            self._show("")
            with ExitStack() as asked:
                with self._trials.turn(lambda: len(self._usable().best), self._heed_stop):
                    allowed = self._allowed()
                    future = self._cluster.submit(
                        work, (encoded(self._task), self._pack), key, self._needs, allowed
                    )
                    asked.callback(_released, future)
                    worker = self._wait(future, key, allowed)
                    value = self._cluster.result(future)
                if worker:
                    self._trials._finished[worker] = time.monotonic()
                return self._heed_reply(value, lambda: self._cluster.holder(future) or worker)
        except Died as error:
            raise EngineProblem(
                f"a trial has lost its worker too often: {error}",
                where="--engine",
                hint="see what ends workers there, such as a limit on memory",
            ) from error
        except Lost as error:
            if not self._cluster.is_connected:
                self._cluster.reconnect(connection, self._patience.reconnect_seconds)
            self._note(f"(lost {self._number})", _lost(str(error)))
        except _Hung as hung:
            self._note(hung.worker, _lost("it did not come to an end"))
        return None

    def _heed_reply(self, value: object, holder: Callable[[], str]) -> Reply | None:
        try:
            reply, files = unpacked(value, self._task.name)
        except Garbage as error:
            self._note(holder(), _lost(f"its answer can't be used: {error}"))
            return None
        if reply.outcome == "lacks":
            self._supply(holder(), reply.has)
            return None
        if reply.outcome == "answered":
            self._folder.mkdir(parents=True, exist_ok=True)
            put_down(files, self._folder)
            return reply
        problem = reply.problem or _lost("it does not say why")
        if reply.outcome == "failed":
            raise _told(problem, reply.worker)
        self._note(holder(), problem, name=reply.worker)
        return None

    def _note(self, address: str, problem: Problem, name: str = "") -> None:
        """A worker has failed this trial; too many of them are enough.

        Raises:
            EngineProblem: so it is, or none is left.
        """
        self._problems[address] = problem
        called = visible(name or self._called(address))
        if len(self._problems) >= self._patience.tries:
            raise _told(problem, called, len(self._problems))

    def _called(self, address: str, *, short: bool = False) -> str:
        with suppress(Lost):
            for worker in self._cluster.workers():
                if worker.address == address:
                    return worker.name if short else f"{worker.name} at {address}"
        return address

    def _allowed(self) -> list[str]:
        """The workers that may be asked, if some may not; waits until one can be.

        Those that are ready and have not failed this trial, else those that have not failed it.
        """
        end = time.monotonic() + self._patience.nobody_seconds
        while True:
            usable = self._usable()
            for some in (usable.best, usable.fitting):
                others = [address for address in some if address not in self._problems]
                if others:
                    return others if len(others) < len(usable.fitting) else []
            if usable.fitting and self._problems:
                address, problem = next(reversed(self._problems.items()))
                raise _told(problem, self._called(address), len(self._problems))
            if time.monotonic() > end:
                raise no_worker(self._needs, self._cluster.workers())
            self._pause(_HEED_SECONDS)

    def _wait(self, future: Any, key: str, only: Sequence[str]) -> str:
        """Wait until a call has ended; the address of who had it, as far as that was seen.

        Args:
            future: the call.
            key: its name.
            only: the addresses of those that may have it; empty for all.

        Raises:
            _Hung: a worker has had it for too long.
            Lost: the connection is lost.
            Stopped: the build's stop asked for it.
        """
        ended = threading.Event()
        future.add_done_callback(lambda _future: ended.set())
        limit = self._patience.trial_seconds or (self._setting.timeout_seconds * _COMMANDS + _SLACK_SECONDS)
        worker, since, nobody_since = "", time.monotonic(), time.monotonic()
        self._show("")
        while not ended.wait(_HEED_SECONDS):
            self._heed(future)
            if not self._cluster.is_connected:
                raise Lost("the connection to the scheduler is lost")
            if only and all(worker.address not in only for worker in self._cluster.workers()):
                # They may come back, but at other addresses: Dask would wait for these for ever.
                with suppress(Exception):
                    future.cancel(force=True)
                raise Lost(f"who could have it has gone: {', '.join(only)}")
            seen = self._cluster.worker_of(key)
            now = time.monotonic()
            if seen:
                nobody_since = now
            elif now - nobody_since > self._patience.nobody_seconds:
                self._allowed()
                nobody_since = now
            if seen != worker:
                worker, since = seen, now
                self._show(seen)
            # While a worker ends others, this one waits its turn there.
            since = max(since, self._trials._finished.get(worker, 0.0))
            if worker and now - since > limit:
                with suppress(Exception):
                    future.cancel(force=True)
                raise _Hung(worker)
        return worker

    def _show(self, worker: str) -> None:
        """Let who watches know who has the trial; nobody has it yet where no address is known."""
        kind = self._request.question.kind
        where = f"on {self._called(worker, short=True)}" if worker else "waits for a worker"
        self._begins(Step(StepKind.TRIAL, f"{kind} {where}"))

    def _heed(self, future: Any) -> None:
        if self._stop is not None and self._stop.asked:
            with suppress(Exception):
                future.cancel()
            raise Stopped

    def _usable(self) -> Usable:
        workers = self._cluster.workers()
        return self._trials.preparation.usable(self._task.setting, workers, self._needs, self._get_ready)

    def _get_ready(self, address: str) -> bool:
        # Beside the trial, which goes on meanwhile.
        return _Asking(self._trials, self._request, self._conditions, self._folder).prepare(address)

    def _heed_stop(self) -> None:
        if self._stop is not None:
            self._stop.heed()

    def _pause(self, seconds: float) -> None:
        self._heed_stop()
        time.sleep(seconds)

    def _supply(self, address: str, has: Sequence[str]) -> None:
        """Send a worker what it lacks; one thread at a time does.

        Raises:
            Lost: the worker is not there any more.
        """
        if not address:
            raise Lost("the worker that lacked something has gone")
        with self._trials._locks[f"{address} {self._task.setting}"]:
            done = f"{address} {self._task.setting} {self._task.root}"
            if self._trials._supplied.get(done, 0.0) > self._asked_at:
                # Another thread has sent it meanwhile.
                return
            pack, tags = self._parcels.history(self._task.root, self._fetched(address, has))
            supplies = Supplies(
                version=peer(),
                repository=self._task.repository,
                root=self._task.root,
                object_format=self._parcels.object_format,
                pack=sha256_hex(pack),
                offset=0,
                total=len(pack),
                tags=tags,
                setting=self._setting,
            )
            for offset in range(0, len(pack), PIECE_BYTES):
                piece = pack[offset : offset + PIECE_BYTES]
                document = encoded(supplies.model_copy(update={"offset": offset}))
                reply = self._told_to(supply, (document, piece), address)
                if reply.outcome != "supplied":
                    self._note(address, reply.problem or _lost("it takes no supplies"), reply.worker)
                    return
            self._trials._supplied[done] = time.monotonic()

    def _fetched(self, address: str, has: Sequence[str]) -> Sequence[str]:
        """The roots that a worker has, once it was told to take the build's from a remote if there is one."""
        root, remote = self._setting.root, self._trials.remote
        if not remote or root in has:
            return has
        wanted = Fetch(
            version=peer(),
            repository=self._task.repository,
            root=root,
            object_format=self._parcels.object_format,
            remote=remote,
        )
        reply = self._told_to(fetch, (encoded(wanted),), address)
        if reply.outcome == "supplied":
            return (*has, root)
        why = reply.problem.message if reply.problem is not None else "it does not say why"
        self._trials.progress(f"{visible(reply.worker)} gets the history from here: {visible(why)}")
        return has

    def _told_to(self, function: Callable[..., object], arguments: Sequence[bytes], address: str) -> Reply:
        """What a worker says to something that is no trial; what can't be used is its problem."""
        self._number += 1
        key = f"supply-{sha256_hex(arguments[0])[:24]}-{id(self):x}-{self._number}"
        future = self._cluster.submit(function, arguments, key, self._needs, [address])
        self._wait(future, key, [address])
        try:
            reply, _ = unpacked(self._cluster.result(future), "")
        except Garbage as error:
            problem = _lost(f"its answer can't be used: {error}")
            return Reply(name="", worker=self._called(address), outcome="unfit", problem=problem)
        return reply


class _Hung(Exception):
    """A worker has had a trial for too long."""

    def __init__(self, worker: str) -> None:
        super().__init__(worker)
        self.worker = worker


def no_worker(needs: Amounts, workers: Sequence[WorkerFacts]) -> EngineProblem:
    """That no worker can do what is needed, and what each lacks."""
    wanted = ", ".join(described(name, amount) for name, amount in sorted(needs.items()))
    lacking = "; ".join(
        f"{visible(worker.name)} lacks {', '.join(worker.lacking(needs))}"
        + (f" (it has {worker.peer})" if worker.peer and worker.peer not in needs else "")
        for worker in workers[:10]
    )
    return EngineProblem(
        f"no worker has what is needed: {wanted}" + (f"; {lacking}" if lacking else "; there is none at all"),
        where="--engine",
        hint="start one with `factory engine worker`; `factory engine status` lists those that there are",
    )


def _needs(conditions: Conditions) -> Amounts:
    """What trials need of a worker; memory where they may take more than by default."""
    setting, bench = conditions.setting, conditions.bench
    environments = [bench.environment, *(project.environment for project in bench.projects.values())]
    # What an environment brings workers make.
    brought = os.pathsep.join(str(place) for environment in environments for place in environment.programs)
    named = programs_named(orders_of(setting))
    programs = [name for name in named if shutil.which(name, path=brought) is None]
    memory = setting.resources.memory_bytes
    return needs_of(setting.level, programs, memory if memory > Resources().memory_bytes else 0)


def _released(future: Any) -> None:
    with suppress(Exception):
        future.release()


def _lost(why: str) -> Problem:
    return Problem(fault=Fault.ENVIRONMENT, message=why)


def _told(problem: Problem, worker: str, tries: int = 1) -> WorkorderError:
    """An error of the engine, with the worker's name."""
    often = f", after {tries} tries" if tries > 1 else ""
    return EngineProblem(
        f"the worker {visible(worker)} could not run a trial{often}: {visible(problem.message)}",
        where=visible(problem.where),
        hint=visible(problem.hint) or "`factory engine status` tells which workers there are",
    )

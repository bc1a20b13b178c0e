"""A worker's work, whatever engine brings it: takes in supplies, carries out trials, and says why it can't.

One trial at a time. Where it works is a place of its own, locked while its process lives, with the copies of
repositories; a later worker at the same place finds them there.
"""

import os
import socket
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from factory.contract.canonical import sha256_hex
from factory.contract.errors import Fault, MachineProblem, WorkorderError, expected
from factory.contract.repo_path import RepoPath
from factory.engines.message import (
    Fetch,
    Garbage,
    Problem,
    Reply,
    Supplies,
    Task,
    decoded,
    packed,
    peer,
)
from factory.engines.mirror import Mirror
from factory.engines.place import Place
from factory.engines.seat import Seat
from factory.environments.cache import cache_folder
from factory.system.process.stop import Stop, Stopped
from factory.system.terminal.console import visible
from factory.trials.conditions import Conditions, Setting
from factory.trials.conduct import conduct, put_first
from factory.trials.evidence import collected
from factory.trials.request import TrialAnswer, TrialRequest

PLACE_VARIABLE: Final = "WORKORDER_ENGINE_DIR"
"""Names the directory in which workers of this machine keep their places."""

NAME_VARIABLE: Final = "WORKORDER_ENGINE_NAME"
"""Names this worker, for people."""

_SEATS: Final = 2
_CLOSING_SECONDS: Final = 10.0
_IDLE_SECONDS: Final = 0.02
"""Who brings no further trial so soon leaves time to clean up after the last one."""


class Office:
    """What a worker process has."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._place: Place | None = None
        self._seats: OrderedDict[tuple[str, str], Seat] = OrderedDict()
        self._rooted: set[tuple[str, str]] = set()
        self._stop: Stop | None = None
        self._trials = 0

    def fetch(self, document: bytes) -> dict[str, object]:
        """Take a history from where it may be had; see `Fetch`."""

        def act() -> Reply:
            wanted = decoded(Fetch, document)
            _require_same_version(wanted.version)
            with self._lock:
                self._own_place().mirror(wanted.repository).fetch(wanted)
            return Reply(name="", worker=called(), outcome="supplied")

        return _supplied(act)

    def supply(self, document: bytes, piece: bytes) -> dict[str, object]:
        """Take in a piece of what a build needs here; see `Supplies`."""

        def act() -> Reply:
            supplies = decoded(Supplies, document)
            _require_same_version(supplies.version)
            with self._lock:
                place = self._own_place()
                if place.mirror(supplies.repository).receive(supplies, piece):
                    place.keep(supplies.setting)
            return Reply(name="", worker=called(), outcome="supplied")

        return _supplied(act)

    def prepare(self, document: bytes) -> dict[str, object]:
        """Make what the trials of a build need here, as far as it was supplied.

        Args:
            document: one of its tasks.
        """

        def act() -> Reply:
            task = decoded(Task, document)
            _require_same_version(task.version)
            with self._lock:
                seated = self._seated(task)
            lacks = seated if isinstance(seated, Reply) else None
            return lacks or Reply(name="", worker=called(), outcome="supplied")

        return _supplied(act)

    def work(self, document: bytes, pack: bytes, stop: Stop) -> dict[str, object]:
        """Carry out a trial.

        Args:
            document: the task.
            pack: what its base holds beyond the root.
            stop: ends it when nobody waits for it any more.
        """
        began = time.monotonic()
        try:
            task = decoded(Task, document)
        except Garbage as error:
            return packed(_unfit("", _problem(error)), {})
        try:
            _require_same_version(task.version)
            with self._lock:
                self._trials += 1
                number = self._trials
                self._stop = stop
                reply, files = self._carry_out(task, pack, stop)
            threading.Thread(target=self._clean_ahead, args=(task.request.base, number), daemon=True).start()
        except Stopped:
            problem = Problem(fault=Fault.ENVIRONMENT, message="nobody waited for it any more")
            reply, files = _unfit(task.name, problem), {}
        except (Garbage, WorkorderError, OSError) as error:
            reply, files = _unfit(task.name, _problem(error)), {}
        except Exception as error:
            # A bug here must not look like a lost worker, which would be tried again.
            reply = Reply(name=task.name, worker=called(), outcome="failed", problem=_bug(error))
            files = {}
        return packed(reply.model_copy(update={"seconds": time.monotonic() - began}), files)

    def close(self) -> None:
        """Leave nothing behind but the copies of repositories; what is under way is ended."""
        if self._stop is not None:
            self._stop.ask()
        if not self._lock.acquire(timeout=_CLOSING_SECONDS):
            # What is left is removed by who takes the place next.
            return
        try:
            while self._seats:
                self._seats.popitem()[1].close()
            if self._place is not None:
                self._place.close()
                self._place = None
        finally:
            self._lock.release()

    def _carry_out(self, task: Task, pack: bytes, stop: Stop) -> tuple[Reply, dict[RepoPath, bytes]]:
        seat = self._seated(task)
        if isinstance(seat, Reply):
            return seat.model_copy(update={"name": task.name}), {}
        place = self._own_place()
        place.mirror(task.repository).add(task.request.base, pack)
        with place.passing() as folder:
            with seat.conditions(task.request, task.kept_tests, folder, stop) as conditions:
                answer = _conduct(task.request, conditions, folder)
            files = collected(folder, {})
        evidence = {path: sha256_hex(data) for path, data in files.items()}
        reply = Reply(name=task.name, worker=called(), outcome="answered", answer=answer, evidence=evidence)
        return reply, files

    def _seated(self, task: Task) -> Seat | Reply:
        """The seat of a task; what is said if something for it is missing."""
        place = self._own_place()
        mirror = place.mirror(task.repository)
        key = (task.repository, task.setting)
        rooted, seat = (task.repository, task.root), self._seats.get(key)
        if seat is None or rooted not in self._rooted:
            setting = place.setting(task.setting)
            has = mirror.roots()
            if setting is None or task.root not in has:
                return Reply(name="", worker=called(), outcome="lacks", has=has)
            self._rooted.add(rooted)
            seat = seat or self._opened(mirror, key, setting, place)
        self._seats.move_to_end(key)
        return seat

    def _clean_ahead(self, base: str, number: int) -> None:
        """Clean what the last trial has used, if no other begins meanwhile: that would do it itself."""
        time.sleep(_IDLE_SECONDS)
        if self._trials != number:
            return
        with self._lock:
            if self._seats and self._trials == number:
                with suppress(WorkorderError, OSError):
                    self._seats[next(reversed(self._seats))].clean_ahead(base)

    def _opened(self, mirror: Mirror, key: tuple[str, str], setting: Setting, place: Place) -> Seat:
        """A seat of this key; of all others only the last ones used stay open."""
        with place.passing() as scratch:
            self._seats[key] = Seat(mirror, setting, scratch)
        while len(self._seats) > _SEATS:
            self._seats.popitem(last=False)[1].close()
        return self._seats[key]

    def _own_place(self) -> Place:
        if self._place is None:
            named = os.environ.get(PLACE_VARIABLE)
            self._place = Place(Path(named) if named else cache_folder(os.environ) / "engine")
        return self._place


def _supplied(act: Callable[[], Reply]) -> dict[str, object]:
    """What is said of something that was taken in, or could not be."""
    try:
        return packed(act(), {})
    except (Garbage, WorkorderError, OSError) as error:
        return packed(_unfit("", _problem(error)), {})
    except Exception as error:
        return packed(_unfit("", _bug(error)), {})


def _conduct(request: TrialRequest, conditions: Conditions, folder: Path) -> TrialAnswer:
    if request.tree is not None:
        tree = put_first(request, conditions)
        if tree != request.tree:
            raise Garbage(f"the files make the tree {tree[:12]} on this base, and not {request.tree[:12]}")
    return conduct(request, conditions, folder)


def called() -> str:
    """What this worker is called, for people."""
    return visible(os.environ.get(NAME_VARIABLE) or f"{socket.gethostname()}-{os.getpid()}")


def _unfit(name: str, problem: Problem) -> Reply:
    return Reply(name=name, worker=called(), outcome="unfit", problem=problem)


def _require_same_version(version: str) -> None:
    if version != peer():
        raise MachineProblem(
            f"the worker has {peer()}, and the coordinator {visible(version)}",
            hint="install the same version of Workorder, in the same version of Python",
        )


def _bug(error: Exception) -> Problem:
    what = visible(f"{type(error).__name__}: {error}"[:500])
    return Problem(fault=Fault.ENVIRONMENT, message=f"a worker broke off: {what}")


def _problem(error: Exception) -> Problem:
    known = expected(error)
    if known is None:
        return Problem(fault=Fault.ENVIRONMENT, message=visible(str(error)))
    return Problem(fault=known.fault, message=known.message, where=known.where, hint=known.hint)

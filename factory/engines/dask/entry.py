"""What Dask calls on a worker, by name. Takes bytes and gives plain values."""

import atexit
import threading
from typing import Final

from distributed import get_worker
from distributed.worker import thread_state

from factory.engines.office import Office
from factory.system.process.stop import Stop

_OFFICE: Final = Office()
atexit.register(_OFFICE.close)

_LOOK_SECONDS: Final = 0.5


def work(document: bytes, pack: bytes) -> dict[str, object]:
    """Carry out a trial; see `Office.work`."""
    ended = threading.Event()
    with Stop() as stop:
        watch = threading.Thread(target=_stop_if_unwanted, args=(stop, ended), kwargs=_present(), daemon=True)
        watch.start()
        try:
            return _OFFICE.work(document, pack, stop)
        finally:
            ended.set()
            watch.join()


def prepare(document: bytes) -> dict[str, object]:
    """Make what a build needs; see `Office.prepare`."""
    return _OFFICE.prepare(document)


def supply(document: bytes, piece: bytes) -> dict[str, object]:
    """Take in a piece of what a build needs; see `Office.supply`."""
    return _OFFICE.supply(document, piece)


def fetch(document: bytes) -> dict[str, object]:
    """Take a history from where it may be had; see `Office.fetch`."""
    return _OFFICE.fetch(document)


def close_office() -> None:
    """Leave nothing behind; the process is about to end."""
    _OFFICE.close()


def _present() -> dict[str, object]:
    return {"worker": get_worker(), "key": thread_state.key}


def _stop_if_unwanted(stop: Stop, ended: threading.Event, *, worker: object, key: object) -> None:
    """End the trial when its coordinator has given it up, or is gone: Dask lets calls go on that began."""
    while not ended.wait(_LOOK_SECONDS):
        tasks = getattr(getattr(worker, "state", None), "tasks", None)
        if tasks is None:
            return
        task = tasks.get(key)
        if task is None or task.state == "cancelled":
            stop.ask()
            return

"""Which workers are ready for the trials of a build; those that are not get ready meanwhile."""

import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from factory.engines.dask.cluster import WorkerFacts
from factory.engines.needs import Amounts

_AT_ONCE: Final = 64


@dataclass(frozen=True)
class Usable:
    """The workers that trials of a build may go to.

    Attributes:
        fitting: the addresses of all that have what is needed.
        best: of those the ones that are ready; all of them as long as none is.
    """

    fitting: tuple[str, ...]
    best: tuple[str, ...]


class Preparation:
    """Gets workers ready, each once for a build, in threads of its own; threads may share it.

    Args:
        changed: notified when one is.
    """

    def __init__(self, changed: threading.Condition) -> None:
        self._changed = changed
        self._lock = threading.Lock()
        self._asked: set[tuple[str, str]] = set()
        self._ready: dict[str, set[str]] = defaultdict(set)
        self._under_way = 0
        self._found: dict[str, tuple[Sequence[WorkerFacts], int, Usable]] = {}

    def usable(
        self,
        setting: str,
        workers: Sequence[WorkerFacts],
        needs: Amounts,
        get_ready: Callable[[str], bool],
    ) -> Usable:
        """Which workers there are for the trials of a build; what is not ready begins to get so.

        Args:
            setting: the name of the build's setting.
            workers: all that there are; the same list is not looked through twice.
            needs: what they must have.
            get_ready: gets the one with this address ready, and says whether it is; what it raises says that
                it may be tried again.
        """
        with self._lock:
            ready = self._ready[setting]
            known = self._found.get(setting)
            if known is not None and known[0] is workers and known[1] == len(ready):
                return known[2]
            fitting = tuple(worker.address for worker in workers if not worker.lacking(needs))
            best = tuple(address for address in fitting if address in ready)
            for address in fitting:
                if (setting, address) not in self._asked and self._under_way < _AT_ONCE:
                    self._asked.add((setting, address))
                    self._under_way += 1
                    threading.Thread(
                        target=self._get_ready, args=(setting, address, get_ready), daemon=True
                    ).start()
            found = Usable(fitting, best or fitting)
            self._found[setting] = (workers, len(ready), found)
            return found

    def _get_ready(self, setting: str, address: str, get_ready: Callable[[str], bool]) -> None:
        try:
            is_ready = get_ready(address)
        except Exception:
            # The worker, the scheduler or the build has gone.
            is_ready = None
        with self._lock:
            self._under_way -= 1
            if is_ready:
                self._ready[setting].add(address)
            elif is_ready is None:
                self._asked.discard((setting, address))
        with self._changed:
            self._changed.notify_all()

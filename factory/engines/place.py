"""Where a worker keeps what it was supplied with: a directory of its own, locked while its process lives.

In it are copies of repositories and the settings of builds. A later worker at the same place finds them; what
no worker has used for a month is removed, and supplied again if it is needed after all.
"""

import fcntl
import os
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from factory.contract.canonical import sha256_hex
from factory.contract.errors import WorkorderError
from factory.engines.message import decoded, encoded
from factory.engines.mirror import Mirror, is_name
from factory.system.files.tree import FileProblem, read_bounded, write_atomic
from factory.system.removal import remove_tree
from factory.trials.conditions import Setting

_PLACES: Final = 10_000
_SETTINGS: Final = "settings"
_PASSING: Final = "passing-"
"""Begins the names of directories that no later worker wants."""

_KEPT_SECONDS: Final = 30 * 24 * 3_600.0


class Place:
    """The first of a machine's places that no living worker has; threads may share it.

    What a dead worker left there is removed meanwhile, by a thread of its own.

    Args:
        places: the directory that holds them; made if it is not there.

    Raises:
        FileProblem: all are taken.
        OSError: it can't be made.
    """

    def __init__(self, places: Path) -> None:
        self._lock = threading.Lock()
        self._mirrors: dict[str, Mirror] = {}
        self.folder, self._held = _taken(places)
        # Listed now: what is made here from now on is nobody else's.
        left = sorted(self.folder.iterdir())
        threading.Thread(target=self._tidy, args=(left,), daemon=True).start()

    def close(self) -> None:
        """Leave it to others, with all that is in it."""
        with self._lock:
            os.close(self._held)
            self._held = -1

    def mirror(self, repository: str) -> Mirror:
        """The copy of a repository, which may be empty.

        Args:
            repository: its name.

        Raises:
            Garbage: that is none.
            GitError, OSError: what a killed worker left there can't be removed.
        """
        with self._lock:
            if repository not in self._mirrors:
                mirror = Mirror(self.folder, repository)
                mirror.clean_up()
                mirror.begin()
                self._mirrors[repository] = mirror
            return self._mirrors[repository]

    def setting(self, name: str) -> Setting | None:
        """A setting that was kept; None if it was not, or what is there is another one.

        Args:
            name: its SHA-256.
        """
        file = self.folder / _SETTINGS / f"{name}.json"
        try:
            text = read_bounded(file)
        except FileProblem:
            return None
        if sha256_hex(text) != name:
            return None
        with suppress(OSError):
            os.utime(file)
        return decoded(Setting, text)

    def keep(self, setting: Setting) -> None:
        """Keep a setting.

        Raises:
            FileProblem: it can't be written.
        """
        text = encoded(setting)
        write_atomic(self.folder / _SETTINGS / f"{sha256_hex(text)}.json", text)

    @contextmanager
    def passing(self) -> Iterator[Path]:
        """Within the block there is an empty directory in the place."""
        with tempfile.TemporaryDirectory(prefix=_PASSING, dir=self.folder) as name:
            yield Path(name)

    def _tidy(self, left: Sequence[Path]) -> None:
        since = time.time() - _KEPT_SECONDS
        with suppress(WorkorderError, OSError):
            for setting in (self.folder / _SETTINGS).glob("*.json"):
                if setting.stat().st_mtime < since:
                    setting.unlink()
            for folder in left:
                if folder.name.startswith(_PASSING):
                    remove_tree(folder)
                elif is_name(folder.name):
                    self._tidy_copy(folder, since)

    def _tidy_copy(self, folder: Path, since: float) -> None:
        with self._lock:
            if self._held < 0 or folder.name in self._mirrors:
                return
            mirror = Mirror(self.folder, folder.name)
            if mirror.last_used >= since:
                mirror.clean_up()
                return
            gone = self.folder / f"{_PASSING}{folder.name}"
            folder.rename(gone)
        remove_tree(gone)


def _taken(places: Path) -> tuple[Path, int]:
    """The directory of the first place that is free, and the descriptor of its lock."""
    places.mkdir(parents=True, exist_ok=True, mode=0o700)
    for place, lock in _locks(places):
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            continue
        place.mkdir(exist_ok=True, mode=0o700)
        return place, lock
    raise FileProblem("has no free place for a worker", where=str(places))


def _locks(places: Path) -> Iterator[tuple[Path, int]]:
    for number in range(_PLACES):
        file = places / f"{number}.lock"
        yield places / str(number), os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

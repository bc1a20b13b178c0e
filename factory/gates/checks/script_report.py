"""What pytest reports where a repository's own script runs it, as often as it does.

The script may change its environment, run several sessions, and call pytest by any interpreter, so nothing of
ours can be loaded there: pytest is asked for the report that it writes by itself, into a pipe of ours.
"""

import os
import select
import shlex
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Final

from factory.gates.baseline_report import file_of
from factory.gates.check import Landing
from factory.gates.checks.pytest_report import LONGEST_REPORT, SAME_FORM, BadReport, passed_in
from factory.system.removal import remove_tree

_NAME: Final = "pytest_reports"
_PIECE: Final = 65_536
_BEGINS: Final = b"<?xml "
_OPTIONS: Final = "PYTEST_ADDOPTS"


class ScriptReport:
    """A block in which the script runs, and the sessions of pytest in it report.

    Args:
        temporary: the directory for temporary files of the command. What lies there is hostile.
    """

    def __init__(self, temporary: Path) -> None:
        self._path = temporary / _NAME
        self._received = bytearray()
        self._is_whole = True

    def variables(self, given: Mapping[str, str]) -> Mapping[str, str]:
        """The environment variables with which pytest reports.

        Args:
            given: those that the command has. Their options, and those of its own command lines, come after
                ours, and count.
        """
        ours = shlex.join((*SAME_FORM, f"--junitxml={self._path}"))
        return {_OPTIONS: f"{ours} {given.get(_OPTIONS, '')}".rstrip()}

    def passed_tests(self, landing: Landing) -> tuple[str, ...] | None:
        """The ids of the tests that passed, without parameters, after the block; None if nobody knows.

        Args:
            landing: the tree that was verified.
        """
        beginning, *reports = bytes(self._received).split(_BEGINS)
        if beginning or not reports or not self._is_whole:
            return None
        try:
            return _placed({test for report in reports for test in passed_in(_BEGINS + report)}, landing)
        except BadReport:
            return None

    def __enter__(self) -> "ScriptReport":
        # An earlier command may have put anything there.
        remove_tree(self._path)
        os.mkfifo(self._path)
        # The command may be another user's.
        self._path.chmod(0o622)
        # For reading and writing: there is no end between two sessions, and no opening waits.
        self._pipe = os.open(self._path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW)
        self._over, self._end = os.pipe()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._end)
        self._reader.join()
        os.close(self._over)
        os.close(self._pipe)
        remove_tree(self._path)

    def _read(self) -> None:
        """Take what is written until the block ends, also what is too much: nobody may have to wait."""
        while True:
            readable, _, _ = select.select((self._pipe, self._over), (), ())
            if self._pipe not in readable:
                return
            piece = os.read(self._pipe, _PIECE)
            self._is_whole = self._is_whole and len(self._received) + len(piece) <= LONGEST_REPORT
            if self._is_whole:
                self._received += piece


def _placed(tests: Iterable[str], landing: Landing) -> tuple[str, ...] | None:
    """The tests by the tree's paths, sorted; None if one may be several files' test.

    A session names files from its own directory. What is no file of the tree is somebody else's test, such as
    one of a session that a test started.
    """
    tests = sorted(tests)
    elsewhere = {file for test in tests if (file := file_of(test)) not in landing}
    places: dict[str, list[str]] = {file: [] for file in elsewhere}
    for path in landing if elsewhere else ():
        for start in (index for index, letter in enumerate(path, 1) if letter == "/"):
            if path[start:] in places:
                places[path[start:]].append(path)
    if any(len(found) > 1 for found in places.values()):
        return None
    placed = {file: found[0] for file, found in places.items() if found}
    return tuple(
        sorted(
            placed.get(file_of(test), file_of(test)) + test.removeprefix(file_of(test))
            for test in tests
            if file_of(test) in placed or file_of(test) not in elsewhere
        )
    )

"""Which tests passed on what a work order starts from: as reports tell, without running them once more."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from factory.gates.baseline_report import file_of
from factory.runs.record.files import CHECK_RESULTS
from factory.runs.record.folder import attempts_in

_VERIFYING: Final = ("verify", "other_projects")


class PassedTests:
    """What the build's base and the passed attempts of its work orders reported.

    Args:
        on_base: the ids of the tests that passed on the base.
        out: the build's directory, which keeps what each run found.
    """

    def __init__(self, on_base: Iterable[str] = (), out: Path | None = None) -> None:
        self._on_base = frozenset(on_base)
        self._out = out
        self._of: dict[str, tuple[frozenset[str], frozenset[str] | None]] = {}
        self._unrecorded: list[str] = []

    def keep(self, order_id: str, files: Collection[str], run_id: str) -> None:
        """Remember what a work order wrote, and which tests passed when its attempt did."""
        attempts = attempts_in(self._out / run_id) if self._out is not None else []
        if not attempts:
            self._unrecorded.append(order_id)
        self._of[order_id] = (frozenset(files), _reported(attempts[-1][1]) if attempts else None)

    @property
    def unrecorded(self) -> tuple[str, ...]:
        """The work orders of which the build's directory holds nothing."""
        return tuple(self._unrecorded)

    def after(self, orders: Sequence[str]) -> tuple[str, ...]:
        """The ids of the tests that passed on the base with what work orders made of it.

        Args:
            orders: those of them that are known, one after the other.
        """
        return passed_after(self._on_base, [self._of[name] for name in orders if name in self._of])


def passed_after(
    before: Collection[str], made: Sequence[tuple[Collection[str], Collection[str] | None]]
) -> tuple[str, ...]:
    """The ids of the tests that passed, sorted: of each file, what the last one who wrote it has reported.

    A report also names tests of other files. Those may be there thanks to work orders that what is asked
    about does not hold.

    Args:
        before: the ids of those that passed before anything was made.
        made: the files that each work order wrote, and the tests that passed then; None if nobody knows.
    """
    last: Mapping[str, int] = {path: number for number, (files, _) in enumerate(made) for path in files}
    tests = {test for test in before if file_of(test) not in last}
    for number, (_, reported) in enumerate(made):
        tests.update(test for test in reported or () if last.get(file_of(test)) == number)
    return tuple(sorted(tests))


def _reported(attempt: Path) -> frozenset[str] | None:
    """The tests that passed in an attempt, by its folder; None if no report of it tells."""
    documents = [CHECK_RESULTS[part].read_sound(attempt) for part in _VERIFYING]
    checks = [check.passed_tests for document in documents if document for check in document.checks]
    known = [tests for tests in checks if tests is not None]
    return frozenset(test for tests in known for test in tests) if known else None

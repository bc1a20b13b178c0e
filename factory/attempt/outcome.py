"""How a run can end, as its record names it, and how it can be known that a command passed."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Final, Literal

VerdictKind = Literal["report", "completion", "exit code"]
"""By the runner's own report, by a sign after the last statement, or by the exit code alone."""

_WEAKEST_FIRST: Final[tuple[VerdictKind, ...]] = ("exit code", "completion", "report")


def weakest(kinds: Iterable[VerdictKind]) -> VerdictKind:
    """The one of several verdicts that says least; of none that of an exit code."""
    return min(kinds, key=_WEAKEST_FIRST.index, default="exit code")


class RunOutcome(StrEnum):
    """How a run ended. `passed` waits for its turn to land; `killed` is written by the next start."""

    LANDED = "landed"
    PASSED = "passed"
    ALREADY_LANDED = "already_landed"
    FAILED = "failed"
    STOPPED = "stopped"
    REFUSED = "refused"
    NOT_RESTORED = "not_restored"
    INTERRUPTED = "interrupted"
    INTERNAL_ERROR = "internal_error"
    KILLED = "killed"

"""The ways in which a run can end, as its record names them."""

from enum import StrEnum


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

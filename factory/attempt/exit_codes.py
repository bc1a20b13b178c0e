"""The exit codes of `factory`; the README documents each. Imports nothing that takes time."""

from enum import IntEnum


class ExitCode(IntEnum):
    """How a command of `factory` ended."""

    PASS = 0
    FAIL = 1
    REFUSED = 2
    PROVIDER = 3
    PLAN_DEFECT = 4
    BUDGET = 5
    NOT_RESTORED = 6
    STATE_CORRUPT = 7
    ENVIRONMENT = 8
    INTERNAL = 70
    HUNG_UP = 129
    INTERRUPTED = 130
    TERMINATED = 143

"""Which outcomes would come out again, so that they may be remembered. Pure."""

import signal
from collections.abc import Iterable, Iterator
from typing import Final

from factory.attempt.failure import FailureClass
from factory.gates.check import CheckResult, CommandResult, Probed
from factory.gates.trial import TrialResult

_KILLED: Final = int(signal.SIGKILL)


def commands_of(results: Iterable[TrialResult]) -> Iterator[CommandResult]:
    """All commands that ran for some results."""
    for check in _checks(results):
        yield from check.commands


def last(results: Iterable[TrialResult]) -> bool:
    """Whether results are those of what was tried, and not of the machine or its load."""
    found = tuple(results)
    blamed = any(
        check.failure is not None and check.failure.failure_class is FailureClass.ENVIRONMENT
        for check in _checks(found)
    )
    return not blamed and all(map(ended_by_itself, commands_of(found)))


def probes_last(probed: Iterable[Probed]) -> bool:
    """The same of what acceptance commands did on a base.

    One that could not run may run after a person has installed what it lacks.
    """
    return all(
        command.colour != "impossible" and (command.result is None or ended_by_itself(command.result))
        for command in probed
    )


def ended_by_itself(command: CommandResult) -> bool:
    """Whether neither a limit nor anything outside had a part in how a command ended.

    A limit on time depends on what else the machine does; one on memory or processes does less, but the
    moment at which it is noticed does. A killing signal may come from the kernel that has no memory left.
    """
    return not (
        command.timed_out
        or command.killed is not None
        or command.supervisor_killed
        or command.machine_failed
        or command.signal == _KILLED
    )


def _checks(results: Iterable[TrialResult]) -> Iterator[CheckResult]:
    for result in results:
        for part in result.parts:
            yield from part.checks

"""What a check is, what it may use, and what it reports.

A check reports by `CheckResult`; it never raises for what a command did. How commands are started is given
by the context, so that a check knows neither processes nor sandboxes. Whose fault a failed command is, is
decided in `judge`.
"""

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from pydantic import BaseModel, ConfigDict

from factory.contract.work_order import WorkOrder
from factory.failure import Failure
from factory.system.files import Tree


class CommandResult(BaseModel):
    """One executed command.

    Attributes:
        command: as it stands in the plan.
        argv: the words that were executed.
        exit_code: what it returned; None if a signal ended it or it did not start.
        signal: the signal that ended it.
        timed_out: whether the time limit ended it.
        not_started: why it could not be started.
        seconds: elapsed time.
        output_file: the file in the attempt's folder with what it printed.
        output_bytes: how much it printed, stored or not.
        excerpt: the canonical beginning and end of the output.
        leftovers: how many processes it left behind, which were killed.
        changed: the tracked files and pieces of git's state that it changed although it must not.
        supervisor_killed: whether the process that watches over it was killed.
        sandbox: the level of the sandbox that it ran in; empty if in none.
        killed: the limit for which it was killed, such as `memory`.
        limit: that limit in words, such as `2 GiB of memory for all its processes together`.
        sandbox_failed: why the sandbox could not be entered; then the command never ran.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    command: str
    argv: tuple[str, ...]
    exit_code: int | None
    signal: int | None
    timed_out: bool
    not_started: str | None
    seconds: float
    output_file: str
    output_bytes: int
    excerpt: str
    leftovers: int
    changed: tuple[str, ...]
    supervisor_killed: bool = False
    sandbox: str = ""
    killed: str | None = None
    limit: str = ""
    sandbox_failed: str | None = None


class CheckResult(BaseModel):
    """What a check found.

    Attributes:
        name: the check's name.
        failure: why it failed; None if it passed.
        commands: the commands it ran, in order.
        note: what a reader should know about a pass, such as that no test was collected.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    failure: Failure | None = None
    commands: tuple[CommandResult, ...] = ()
    note: str = ""

    @property
    def passed(self) -> bool:
        """Whether the attempt may go on."""
        return self.failure is None


@dataclass(frozen=True)
class CheckContext:
    """What a check may use.

    Attributes:
        order: the work order.
        tree: the files, reached without following links.
        landing: the paths of all files that the commit will hold if the attempt passes.
        execute: runs one command in the checkout; takes the name of its output file, the command's text and
            its words.
    """

    order: WorkOrder
    tree: Tree
    landing: frozenset[str]
    execute: Callable[[str, str, tuple[str, ...]], CommandResult]


class Check(Protocol):
    """One deterministic check of an attempt."""

    @property
    def name(self) -> str: ...

    def run(self, context: CheckContext) -> CheckResult: ...


def words_of(command: str) -> tuple[str, ...] | None:
    """The words of a command as it is executed, without a shell; None if it can't be executed."""
    try:
        words = tuple(shlex.split(command))
    except ValueError:
        return None
    # No program has an empty name, and no argument can hold NUL.
    return words if words and words[0] and "\0" not in command else None

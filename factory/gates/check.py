"""What a check is, what it may use, and what it reports.

A check reports by `CheckResult`; it never raises for what a command did. How commands are started is given
by the context, so that a check knows neither processes nor sandboxes. Whose fault a failed command is, is
decided in `judge`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, Protocol, runtime_checkable

from pydantic import BaseModel, ConfigDict, Field

from factory.attempt.failure import Failure
from factory.attempt.outcome import VerdictKind
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import WorkOrder
from factory.gates.step import Begins, unwatched
from factory.gates.verdict.judgement import Summary
from factory.gates.verdict.report import Report
from factory.system.files.tree import Tree
from factory.system.terminal.console import visible

_NAMED: Final = 10
"""How many tests a message names."""
_LONGEST_NAME: Final = 200

Colour = Literal["red", "green", "exempt", "impossible"]


class ServiceResult(BaseModel):
    """One service that ran beside a command.

    Attributes:
        name: its name.
        log_file: the file in the attempt's folder with what it printed; empty if that was nothing.
        log_bytes: how much it printed, stored or not.
        died: how it ended before the command did; empty if it did not.
        excerpt: of one that did, the canonical beginning and end of its log.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    log_file: str
    log_bytes: int
    died: str = ""
    excerpt: str = ""


class UnreadyService(BaseModel):
    """The service that did not get ready, so that the command never ran.

    Attributes:
        name: its name.
        why: what kept it, a clause about it.
        words: what it is started by; none of a preset, whose programs are the machine's.
        planned: whether the plan declares it.
        excerpt: the canonical beginning and end of its log.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    why: str
    words: tuple[str, ...] = ()
    planned: bool = False
    excerpt: str = ""


class CommandResult(BaseModel):
    """One executed command.

    Attributes:
        command: as it stands in the plan.
        argv: the words that were executed.
        exit_code: what it returned; None if a signal ended it, it reached a limit or did not start.
        signal: the signal that ended it, if it reached no limit.
        timed_out: whether the time limit ended it.
        not_started: why it could not be started.
        seconds: elapsed time.
        output_file: the file in the attempt's folder with what it printed.
        output_bytes: how much it printed, stored or not.
        excerpt: the canonical beginning and end of the output.
        leftovers: how many processes it left behind, which were killed.
        changed: the tracked files and pieces of git's state that it changed although it must not.
        supervisor_killed: whether the process that watches over it was killed.
        killed_outside: whether something that is not its own killed that process, or the sandbox around it.
        sandbox: the level of the sandbox that it ran in; empty if in none.
        killed: the limit that it reached and was killed for, such as `memory`.
        limit: that limit in words, such as `2 GiB of memory for all its processes together`.
        sandbox_failed: why the sandbox could not be entered; then the command never ran.
        verdict: how it can be known that it passed.
        summary: what its runner reported, in numbers; None if it has none or reported nothing.
        shortcoming: what is missing although its exit code would pass; empty if nothing is.
        report: all that was reported, which no document holds.
        services: what ran beside it.
        unready: the service for which it never ran; None if it ran.
        project: the directory of the project in which it ran; empty for the root.
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
    killed_outside: bool = False
    sandbox: str = ""
    killed: str | None = None
    limit: str = ""
    sandbox_failed: str | None = None
    verdict: VerdictKind = "exit code"
    summary: Summary | None = None
    shortcoming: str = ""
    report: Report | None = Field(default=None, exclude=True)
    services: tuple[ServiceResult, ...] = Field(default=(), exclude_if=lambda value: not value)
    unready: UnreadyService | None = Field(default=None, exclude_if=lambda value: value is None)
    project: str = Field(default="", exclude_if=lambda value: not value)

    @property
    def machine_failed(self) -> bool:
        """Whether the machine, and nothing that was run, is the reason why it has no end of its own."""
        return self.killed_outside or self.sandbox_failed is not None or self.unready is not None


class CheckResult(BaseModel):
    """What a check found.

    Attributes:
        name: the check's name.
        failure: why it failed; None if it passed.
        commands: the commands it ran, in order.
        note: what a reader should know beside that, such as that no test was collected.
        gates: whether a failure fails the attempt; otherwise it is only recorded and shown.
        failing_tests: the ids of the tests that failed, an id once for each failure; None if the check did
            not tell them apart.
        passed_tests: the ids of the tests that passed, without parameters; None if its runner gave no report.
        removed_tests: the ids of those that passed before and are gone from files that may be written.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    failure: Failure | None = None
    commands: tuple[CommandResult, ...] = ()
    note: str = ""
    gates: bool = True
    failing_tests: tuple[str, ...] | None = None
    passed_tests: tuple[str, ...] | None = None
    removed_tests: tuple[str, ...] = Field(default=(), exclude_if=lambda value: not value)

    @property
    def removal(self) -> str:
        """Which tests were removed, a clause; empty for none."""
        return f"removed or renamed: {listed_tests(self.removed_tests)}" if self.removed_tests else ""

    @property
    def passed(self) -> bool:
        """Whether the attempt may go on."""
        return self.failure is None or not self.gates

    @property
    def changed(self) -> bool:
        """Whether a command changed what it must not, so that no later result can be trusted."""
        return any(command.changed for command in self.commands)


def listed_tests(tests: Sequence[str]) -> str:
    """Some tests that passed before, counted and the first of them named."""
    names = ", ".join(visible(test[:_LONGEST_NAME]) for test in tests[:_NAMED])
    more = f" and {len(tests) - _NAMED} more" if len(tests) > _NAMED else ""
    return f"{names}{more}"


class Probed(BaseModel):
    """What one acceptance command did on the baseline.

    Attributes:
        command: as it stands in the plan.
        colour: `red` if it failed as it should; `green` if it passed already; `exempt` if the plan allows
            that; `impossible` if it can't run, whatever the work order writes.
        weak: whether it passed already, beside others that failed: it prepares something, or proves nothing.
        reason: why it is a defect, or why it is exempt; empty for red.
        result: how it ended; None if it could not be split into words.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    command: str
    colour: Colour
    reason: str = ""
    result: CommandResult | None = None
    weak: bool = Field(default=False, exclude_if=lambda value: not value)


class Landing(Protocol):
    """The tree that lands if the attempt passes: what is in it, by path."""

    def __contains__(self, path: str) -> bool:
        """Whether there is a file of this path."""
        ...

    def __iter__(self) -> Iterator[str]:
        """The paths of all files; in a large repository this takes time."""
        ...

    def is_directory(self, path: str) -> bool:
        """Whether there are files below this path."""
        ...


class Execute(Protocol):
    """Runs commands in the checkout."""

    @property
    def places(self) -> Mapping[str, str]:
        """Directories of this machine, and the names that stand for them in a prompt."""
        ...

    @property
    def variables(self) -> Mapping[str, str]:
        """The environment variables that commands see."""
        ...

    def __call__(
        self,
        name: str,
        command: str,
        words: tuple[str, ...],
        timeout_seconds: float | None = None,
        variables: Mapping[str, str] | None = None,
    ) -> CommandResult:
        """Run one command to its end.

        Args:
            name: what its output file is called.
            command: its text, for records.
            words: what is executed.
            timeout_seconds: its own time limit; None for the one that all commands have.
            variables: environment variables of its own; None for none.
        """
        ...


@dataclass(frozen=True)
class CheckContext:
    """What a check may use.

    Attributes:
        order: the work order; None on a baseline, where nothing is promised yet.
        exempt: whether the files can't be verified as a whole yet: then they are only compiled.
        tree: the files, reached without following links.
        landing: the tree that lands if the attempt passes.
        before: the bytes of a file as it was before the work order; None if it was not there.
        execute: runs commands in the checkout.
        temporary: the directory for temporary files that commands see as TMPDIR. What lies there is hostile.
        folder: where artifacts go.
        within: the same for a project of the repository, given its directory: all paths are relative to that,
            and commands run in it.
        begins: told what is done now.
    """

    order: WorkOrder | None
    exempt: bool
    tree: Tree
    landing: Landing
    before: Callable[[RepoPath], bytes | None]
    execute: Execute
    temporary: Path
    folder: Path
    within: "Callable[[RepoPath], CheckContext]"
    begins: Begins = unwatched

    @property
    def of_order(self) -> "CheckContext":
        """The context in which the work order's commands run: that of its project."""
        project = self.order.project if self.order is not None else None
        return self if project is None else self.within(project)

    @property
    def writable(self) -> tuple[RepoPath, ...]:
        """The files that the model could have written."""
        return self.order.allowed_files if self.order is not None else ()


class Check(Protocol):
    """One deterministic check of an attempt."""

    @property
    def name(self) -> str: ...

    def run(self, context: CheckContext) -> CheckResult: ...


@runtime_checkable
class CheckFamily(Protocol):
    """Checks that only the tree to be judged decides on."""

    def checks(self, context: CheckContext) -> tuple[Check, ...]:
        """The checks of a tree."""
        ...

"""What a check is, and how one command of a check is run and judged.

A check reports by `CheckResult`; it never raises for what a command did. How commands are started is given
by the context, so that a check knows neither processes nor sandboxes.
"""

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from pydantic import BaseModel, ConfigDict

from factory.contract.work_order import WorkOrder
from factory.failure import Failure, FailureClass, Stage
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
        execute: runs one command in the checkout; takes the name of its output file, the command's text and
            its words.
    """

    order: WorkOrder
    tree: Tree
    execute: Callable[[str, str, tuple[str, ...]], CommandResult]


class Check(Protocol):
    """One deterministic check of an attempt."""

    @property
    def name(self) -> str: ...

    def run(self, context: CheckContext) -> CheckResult: ...


def words_of(command: str) -> tuple[str, ...] | None:
    """The words of a command as it is executed, without a shell; None if it can't be split or is empty."""
    try:
        return tuple(shlex.split(command)) or None
    except ValueError:
        return None


def judge(
    result: CommandResult, stage: Stage, tree: Tree, *, passing: frozenset[int] = frozenset({0})
) -> Failure | None:
    """Whose fault a command's end is, or None if it passed.

    Args:
        result: how the command ended.
        stage: the stage that a failure belongs to.
        tree: the files, to tell a missing program from a missing file of the product.
        passing: the exit codes that pass.
    """

    def failure(whose: FailureClass, message: str, hint: str = "") -> Failure:
        return Failure(
            stage=stage,
            failure_class=whose,
            message=message,
            where=result.command,
            hint=hint,
            exit_code=result.exit_code,
            excerpt=result.excerpt,
        )

    if result.not_started is not None:
        return _not_started(result, failure)
    if result.timed_out:
        return failure(FailureClass.MODEL_DEFECT, "the command did not end within its time limit")
    if result.changed:
        return failure(
            FailureClass.MODEL_DEFECT,
            f"the command changed what it must not: {', '.join(result.changed)}",
            "a check may not change tracked files, HEAD, the index or git's configuration",
        )
    if result.exit_code in passing:
        return None
    missing = _missing_module(result, tree)
    if missing is not None:
        return failure(
            FailureClass.ENVIRONMENT,
            f"the Python module {missing} is not installed for this command",
            "install it in the environment that runs the checks",
        )
    if result.signal is not None:
        return failure(FailureClass.MODEL_DEFECT, f"the command was ended by signal {result.signal}")
    return failure(FailureClass.MODEL_DEFECT, f"the command returned {result.exit_code}")


class _MakeFailure(Protocol):
    def __call__(self, whose: FailureClass, message: str, hint: str = "") -> Failure: ...


def _not_started(result: CommandResult, failure: _MakeFailure) -> Failure:
    program = result.argv[0]
    if "/" not in program:
        return failure(
            FailureClass.ENVIRONMENT,
            f"the program {program} can't be started: {result.not_started}",
            "install it, or put it on PATH",
        )
    if result.not_started == "permission denied":
        return failure(
            FailureClass.PLAN_DEFECT,
            f"the file {program} is not executable, and a proposal can't make it so",
            f"name its interpreter in the work order, such as `bash {program}`",
        )
    return failure(FailureClass.MODEL_DEFECT, f"{program} can't be started: {result.not_started}")


def _missing_module(result: CommandResult, tree: Tree) -> str | None:
    """The module of a `python -m MODULE` that Python did not find, unless the product should have made it."""
    if "-m" not in result.argv:
        return None
    module = result.argv[result.argv.index("-m") + 1 : result.argv.index("-m") + 2]
    if not module or f"No module named {module[0]}" not in result.excerpt:
        return None
    top = module[0].split(".")[0]
    if not top.isidentifier() or "Traceback" in result.excerpt:
        return None
    made = any((tree.root / place).exists() for place in (top, f"{top}.py", f"src/{top}"))
    return None if made else module[0]

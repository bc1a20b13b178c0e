"""Whose fault a command's end is: the model's, the plan's, or that of the machine it ran on. Pure.

The rule is who could act. A model can write the allowed files and nothing else; a program that is not
installed, or a file that would have to be executable, is beyond its reach, and asking again would be in vain.
"""

import posixpath
import re
from collections.abc import Iterable
from typing import Final, Protocol

from factory.attempt.failure import Failure, FailureClass, Stage
from factory.gates.check import CheckContext, CommandResult

_NO_MODULE: Final = re.compile(
    r"(?:python|pypy): (?:No module named (?P<module>[\w.]+)"
    r"|Error while finding module specification for '[\w.]+' \(ModuleNotFoundError: "
    r"No module named '(?P<package>[\w.]+)'\))"
)
_NO_PROGRAM: Final = re.compile(r".*: (?:line )?\d+: (?P<program>[\w.+-]+): (?:command )?not found")
_COMMAND_NOT_FOUND: Final = 127
"""The exit code of a shell whose last command is not installed."""


def judge(
    result: CommandResult, stage: Stage, context: CheckContext, *, passing: frozenset[int] = frozenset({0})
) -> Failure | None:
    """The failure that a command's end is, or None if it passed.

    Args:
        result: how the command ended.
        stage: the stage that a failure belongs to.
        context: the work order and the files, to know what the model could have done.
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

    if result.sandbox_failed is not None:
        return failure(
            FailureClass.ENVIRONMENT,
            f"the sandbox for the command could not be entered: {result.sandbox_failed}",
            "`factory doctor` tells what is missing",
        )
    if result.not_started is not None:
        return _not_started(result, result.not_started, context, failure)
    if result.killed is not None:
        return failure(
            FailureClass.MODEL_DEFECT,
            f"the command was killed because it reached a limit: {result.limit}",
            "commands must do with that much",
        )
    if result.timed_out:
        return failure(FailureClass.MODEL_DEFECT, "the command did not end within its time limit")
    if result.killed_outside:
        return failure(
            FailureClass.ENVIRONMENT,
            "the command's sandbox was killed from outside",
            "see whether the machine ran out of memory, then run again: what was paid is stored",
        )
    if result.supervisor_killed:
        return failure(FailureClass.MODEL_DEFECT, "the process that watches over the command was killed")
    if result.changed:
        return failure(
            FailureClass.MODEL_DEFECT,
            f"the command changed what it must not: {', '.join(result.changed)}",
            "a check may not change tracked files, HEAD, the index or git's configuration",
        )
    if result.exit_code in passing:
        return None
    missing = _missing_tool(result, context)
    if missing is not None:
        return failure(
            FailureClass.ENVIRONMENT,
            f"{missing} is not installed for this command",
            "install it in the environment that runs the checks",
        )
    if result.signal is not None:
        return failure(FailureClass.MODEL_DEFECT, f"the command was ended by signal {result.signal}")
    return failure(FailureClass.MODEL_DEFECT, f"the command returned {result.exit_code}")


class _MakeFailure(Protocol):
    def __call__(self, whose: FailureClass, message: str, hint: str = "") -> Failure: ...


def _not_started(result: CommandResult, reason: str, context: CheckContext, failure: _MakeFailure) -> Failure:
    program = result.argv[0]
    if "/" not in program or program.startswith("/"):
        return failure(
            FailureClass.ENVIRONMENT,
            f"the program {program} can't be started: {reason}",
            "install it, or put it on PATH",
        )
    path = posixpath.normpath(program)
    writable = path in context.writable
    if path not in context.landing and not writable:
        # An earlier command may have had to build it.
        return failure(FailureClass.MODEL_DEFECT, f"{program} can't be started: {reason}")
    if reason == "permission denied" or path not in context.landing:
        return failure(
            FailureClass.PLAN_DEFECT,
            f"the file {program} is not executable, and a proposal can't make it so",
            f"name its interpreter in the work order, such as `bash {program}`",
        )
    return failure(
        FailureClass.MODEL_DEFECT if writable else FailureClass.ENVIRONMENT,
        f"{program} can't be started: {reason}",
        "its first line must be #! and a program that is installed",
    )


def _missing_tool(result: CommandResult, context: CheckContext) -> str | None:
    """The program or Python module that is not installed, if that is why the command failed."""
    if any(posixpath.normpath(word) in context.writable for word in result.argv[1:]):
        # The model wrote the script, so it chose what the script needs.
        return None
    last = result.excerpt.rstrip().rpartition("\n")[2]
    found = _NO_PROGRAM.fullmatch(last)
    if found is not None and result.exit_code == _COMMAND_NOT_FOUND:
        return f"the program {found['program']}"
    found = _NO_MODULE.fullmatch(last)
    if found is None:
        return None
    module: str = found["module"] or found["package"]
    own = _names((*context.landing, *context.writable))
    return None if module.split(".")[0] in own else f"the Python module {module}"


def _names(paths: Iterable[str]) -> set[str]:
    """The names that may be modules of the product: of its directories and its Python files."""
    return {segment.removesuffix(".py") for path in paths for segment in path.split("/")}

"""Whose fault a command's end is: the model's, the plan's, or that of the machine it ran on. Pure.

The rule is who could act. A model can write the allowed files and nothing else; a program that is not
installed, or a file that would have to be executable, is beyond its reach, and asking again would be in vain.
"""

import posixpath
import re
from collections.abc import Iterable, Sequence
from typing import Final, TypedDict

from factory.attempt.brief import excerpt
from factory.attempt.failure import Failure, Stage
from factory.gates.check import CheckContext, CommandResult, ServiceResult, UnreadyService
from factory.gates.skipped_tests import skipped_by_the_work
from factory.gates.temporary_files import refused_in
from factory.gates.verdict.judgement import failing_tests

_NO_MODULE: Final = re.compile(
    r"(?:python|pypy): (?:No module named (?P<module>[\w.]+)"
    r"|Error while finding module specification for '[\w.]+' \(ModuleNotFoundError: "
    r"No module named '(?P<package>[\w.]+)'\))"
)
_NO_PROGRAM: Final = re.compile(r".*: (?:line )?\d+: (?P<program>[\w.+-]+): (?:command )?not found")
_NO_TOOLCHAIN: Final = re.compile(r"error: rustup could not choose a version of (?P<program>\w+) to run")
_PROOF: Final = "a command proves something only if it comes to its end and its tests run and pass"
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
    if result.not_started is not None and result.sandbox_failed is None:
        return _not_started(result, result.not_started, stage, context)
    if result.unready is not None:
        return _unready(result, result.unready, stage, context)
    evidence = _evidence(result)
    broken = _broken_by_the_machine(result)
    if broken is not None:
        message, hint = broken
        return Failure.environment(stage, message, hint=hint, **evidence)
    violation = _violation(result)
    if violation is not None:
        message, hint = violation
        return Failure.model_defect(stage, message, hint=hint, **evidence)
    if result.exit_code in passing:
        missing = result.shortcoming or skipped_by_the_work(result, stage, context)
        if not missing:
            return None
        return Failure.model_defect(stage, missing, hint=_PROOF, **evidence)
    refused = refused_in(result.command, result.excerpt, result.sandbox)
    if refused is not None:
        message, hint = refused
        return Failure.environment(stage, message, hint=hint, **evidence)
    tool = _missing_tool(result, context)
    if tool is not None:
        return Failure.environment(
            stage,
            f"{tool} is not installed for this command",
            hint="install it in the environment that runs the checks",
            **evidence,
        )
    ended = (
        f"was ended by signal {result.signal}"
        if result.signal is not None
        else f"returned {result.exit_code}"
    )
    died = "".join(f"; the service {service.name} {service.died} before" for service in _died(result))
    tests = failing_tests(result.report, result.excerpt)
    first = posixpath.join(result.project, tests[0]) if tests else ""
    return Failure.model_defect(stage, f"the command {ended}{died}", test=first, **evidence)


class _Evidence(TypedDict):
    where: str
    exit_code: int | None
    excerpt: str


def _evidence(result: CommandResult) -> _Evidence:
    printed = [
        result.excerpt,
        *(f"=== log of {service.name} ===\n{service.excerpt}" for service in _died(result)),
    ]
    shown = "\n".join(filter(None, printed))
    return {
        "where": result.command,
        "exit_code": result.exit_code,
        "excerpt": excerpt(shown) if _died(result) else result.excerpt,
    }


def _died(result: CommandResult) -> list[ServiceResult]:
    return [service for service in result.services if service.died]


def _unready(result: CommandResult, unready: UnreadyService, stage: Stage, context: CheckContext) -> Failure:
    """A service did not get ready: the machine's fault, unless it runs files of the repository."""
    message = f"the service {unready.name} did not get ready: {unready.why}"
    where, shown = result.command, unready.excerpt
    if _runs_files(unready.words, context):
        hint = "it got ready before these files were written"
        return Failure.model_defect(stage, message, where=where, hint=hint, excerpt=shown)
    hint = "its log tells more; `factory doctor` looks for the programs of services"
    return Failure.environment(stage, message, where=where, hint=hint, excerpt=shown)


def _runs_files(words: Sequence[str], context: CheckContext) -> bool:
    """Whether a service is started by something of the repository: a script, or a module."""
    before = ""
    for word in words:
        path = posixpath.normpath(word)
        if before == "-m" and word.split(".")[0] in _names((*context.landing, *context.writable)):
            return True
        if path != "." and (path in context.landing or path in context.writable):
            return True
        before = word
    return False


def _broken_by_the_machine(result: CommandResult) -> tuple[str, str] | None:
    """What kept the command from its end although it was started, and what to do; None if nothing did."""
    if result.sandbox_failed is not None:
        return (
            f"the sandbox for the command could not be entered: {result.sandbox_failed}",
            "`factory doctor` tells what is missing",
        )
    if result.killed_outside and result.killed is None and not result.timed_out:
        return (
            "the command's sandbox was killed from outside",
            "see whether the machine ran out of memory, then run again: what was paid is stored",
        )
    return None


def _violation(result: CommandResult) -> tuple[str, str] | None:
    """What fails the command whatever it returned, and what to do; None if nothing does."""
    if result.killed is not None:
        return (
            f"the command was killed because it reached a limit: {result.limit}",
            "commands must do with that much",
        )
    if result.timed_out:
        return "the command did not end within its time limit", ""
    if result.supervisor_killed:
        return "the process that watches over the command was killed", ""
    if result.changed:
        return (
            f"the command changed what it must not: {', '.join(result.changed)}",
            "a check may not change tracked files, HEAD, the index or git's configuration",
        )
    return None


def _not_started(result: CommandResult, reason: str, stage: Stage, context: CheckContext) -> Failure:
    evidence = _evidence(result)
    program = result.argv[0]
    if "/" not in program or program.startswith("/"):
        return Failure.environment(
            stage,
            f"the program {program} can't be started: {reason}",
            hint="install it, or put it on PATH",
            **evidence,
        )
    path = posixpath.normpath(program)
    writable = path in context.writable
    if path not in context.landing and not writable:
        # An earlier command may have had to build it.
        return Failure.model_defect(stage, f"{program} can't be started: {reason}", **evidence)
    if reason == "permission denied" or path not in context.landing:
        return Failure.plan_defect(
            stage,
            f"the file {program} is not executable, and a proposal can't make it so",
            hint=f"name its interpreter in the work order, such as `bash {program}`",
            **evidence,
        )
    blamed = Failure.model_defect if writable else Failure.environment
    return blamed(
        stage,
        f"{program} can't be started: {reason}",
        hint="its first line must be #! and a program that is installed",
        **evidence,
    )


def _missing_tool(result: CommandResult, context: CheckContext) -> str | None:
    """The program or Python module that is not installed, if that is why the command failed."""
    if any(posixpath.normpath(word) in context.writable for word in result.argv[1:]):
        # The model wrote the script, so it chose what the script needs.
        return None
    match = _NO_TOOLCHAIN.match(result.excerpt)
    if match is not None:
        return f"a toolchain for {match['program']}"
    last = result.excerpt.rstrip().rpartition("\n")[2]
    match = _NO_PROGRAM.fullmatch(last)
    if match is not None and result.exit_code == _COMMAND_NOT_FOUND:
        return f"the program {match['program']}"
    match = _NO_MODULE.fullmatch(last)
    if match is None:
        return None
    module: str = match["module"] or match["package"]
    own = _names((*context.landing, *context.writable))
    return None if module.split(".")[0] in own else f"the Python module {module}"


def _names(paths: Iterable[str]) -> set[str]:
    """The names that may be modules of the product: of its directories and its Python files."""
    return {segment.removesuffix(".py") for path in paths for segment in path.split("/")}

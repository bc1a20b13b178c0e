"""The red probe: acceptance commands run before the work is done, and each must fail.

A command that passes on the baseline proves nothing; one that can't run at all can never pass. Both are found
here, before a model is paid. What follows from a defect is decided elsewhere.
"""

import posixpath
import re
from collections.abc import Sequence
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from factory.command_words import words_of
from factory.contract.limits import MAX_CONTEXT_BYTES
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import WorkOrder
from factory.failure import Failure, FailureClass, Stage
from factory.gates.check import CheckContext, CommandResult
from factory.gates.judge import judge
from factory.system.files import FileProblem

Colour = Literal["red", "green", "exempt", "impossible"]

_CANNOT_EXECUTE: Final = (126, 127)
"""The exit codes of a shell, and of `env` and the like, for a program that is not executable or not there."""

_PYTEST_USAGE: Final = 4
_NO_OPTION: Final = re.compile(r"^.*: error: unrecognized arguments: (?P<options>.*)$", re.MULTILINE)
_NO_TESTS: Final = re.compile(r"^ERROR: file or directory not found: (?P<path>.*)$", re.MULTILINE)
_BRINGS_OPTIONS: Final = frozenset({"conftest.py", "pyproject.toml", "pytest.ini", "setup.cfg", "tox.ini"})
"""Files by which a repository may bring options to pytest, beside its plugins."""

_NO_IMPORT: Final = re.compile(
    r"Traceback \(most recent call last\):\n"
    r'  File "<string>", line \d+, in <module>\n(?:    .*\n)*'
    r"ModuleNotFoundError: No module named '(?P<module>[\w.]+)'(?:; .*)?"
)
"""What is left of an import that stands in the command itself, not in a module that it imports."""


_NO_PYTHON: Final = re.compile(
    r"""File "<string>", line \d+\n(?:.*\n)*(?P<error>(?:Syntax|Indentation|Tab)Error: .*)"""
)
"""What is left of code in the command that Python can't read. Of other code it gives a traceback."""


class Probed(BaseModel):
    """What one acceptance command did on the baseline.

    Attributes:
        command: as it stands in the plan.
        colour: `red` if it failed as it should; `green` if it passed already; `exempt` if the plan allows
            that; `impossible` if it can't run, whatever the work order writes.
        reason: why it is a defect, or why it is exempt; empty for red.
        result: how it ended; None if it could not be split into words.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    command: str
    colour: Colour
    reason: str = ""
    result: CommandResult | None = None


def probe(order: WorkOrder, context: CheckContext) -> tuple[Probed, ...]:
    """Run the acceptance commands of `order` on the baseline, in their order.

    Args:
        order: the work order.
        context: of a checkout of the baseline, in which nothing was written.
    """
    reasons = {exempt.command: exempt.reason for exempt in order.red_exempt}
    found = []
    for number, command in enumerate(order.acceptance_commands, start=1):
        words = words_of(command)
        if words is None:
            reason = "it can't be split into words, or names no program"
            found.append(Probed(command=command, colour="impossible", reason=reason))
            continue
        result = context.execute(f"acceptance_{number}", command, words)
        found.append(_judged(command, result, order, context, reasons.get(command)))
    return tuple(found)


def defect(probed: Sequence[Probed]) -> Failure | None:
    """The first command that is no proof of the work, as a defect of the plan; None if all are.

    A command that the machine could not run says nothing of the plan: that is an error of the environment.
    """
    for one in probed:
        if one.colour not in ("green", "impossible"):
            continue
        if one.result is not None and one.result.machine_failed:
            return Failure(
                stage=Stage.PREFLIGHT,
                failure_class=FailureClass.ENVIRONMENT,
                message=one.reason,
                where=one.command,
                excerpt=one.result.excerpt,
            )
        green = one.colour == "green"
        return Failure(
            stage=Stage.PREFLIGHT,
            failure_class=FailureClass.PLAN_DEFECT,
            message=f"the acceptance command is no proof: {one.reason}",
            where=one.command,
            hint=(
                "demand something that is only true once the work is done; or, where passing already is"
                " right, name the command in red_exempt with the reason"
                if green
                else "correct the command in the work order"
            ),
            exit_code=one.result.exit_code if one.result else None,
            excerpt=one.result.excerpt if one.result else "",
        )
    return None


def _judged(
    command: str, result: CommandResult, order: WorkOrder, context: CheckContext, exempt: str | None
) -> Probed:
    def told(colour: Colour, reason: str = "") -> Probed:
        return Probed(command=command, colour=colour, reason=reason, result=result)

    impossible = _impossible(result, order, context)
    if impossible:
        return told("impossible", impossible)
    if exempt is not None:
        return told("exempt", exempt)
    if result.exit_code == 0:
        return told("green", "it passes before anything was done")
    return told("red")


def _impossible(result: CommandResult, order: WorkOrder, context: CheckContext) -> str:
    """Why a command can't run, whatever the work order writes; empty if it can."""
    if result.timed_out:
        return "it did not end within its time limit"
    failure = judge(result, Stage.PREFLIGHT, context)
    if failure is not None and result.machine_failed:
        return failure.message
    lacking = _lacking(result, order, context)
    if lacking:
        return lacking
    # A program or a script that the work order is to write is missing for a reason that it can change.
    if any(posixpath.normpath(word) in order.allowed_files for word in result.argv):
        return ""
    if result.not_started is not None:
        return f"the program {result.argv[0]} can't be started: {result.not_started}"
    if result.exit_code in _CANNOT_EXECUTE:
        return f"it returned {result.exit_code}: something that it starts is not there or not executable"
    if failure is not None and failure.failure_class is FailureClass.ENVIRONMENT:
        return failure.message
    return ""


def _lacking(result: CommandResult, order: WorkOrder, context: CheckContext) -> str:
    """What pytest or Python code in the command says that it lacks, if the work order can't bring it."""
    if result.exit_code == _PYTEST_USAGE:
        options = _NO_OPTION.search(result.excerpt)
        if options is not None and not any(_brings_options(path, context) for path in order.allowed_files):
            return f"pytest does not know `{options['options']}`, and the work order can't teach it"
        tests = _NO_TESTS.search(result.excerpt)
        if tests is not None and not _may_write(tests["path"], order):
            return f"`{tests['path']}` is not there, and the work order may not write it"
    unreadable = _NO_PYTHON.fullmatch(result.excerpt.strip())
    if unreadable is not None:
        return f"its code is not valid Python: {unreadable['error']}"
    missing = _NO_IMPORT.fullmatch(result.excerpt.strip())
    if missing is not None and missing["module"].partition(".")[0] not in _names(context):
        return (
            f"it imports `{missing['module']}`, which is not installed and which the work order can't write"
        )
    return ""


def _names(context: CheckContext) -> set[str]:
    """The names of the product's directories and files: a module may be built from a file of any kind."""
    paths = (*context.landing, *context.writable)
    return {segment.partition(".")[0] for path in paths for segment in path.split("/")}


def _brings_options(path: RepoPath, context: CheckContext) -> bool:
    """Whether what is written to a file may teach pytest an option: its configuration, or a plugin."""
    if path.segments[-1] in _BRINGS_OPTIONS:
        return True
    try:
        found = context.tree.read(path, max_bytes=MAX_CONTEXT_BYTES)
    except FileProblem:
        # SE tells of it.
        return True
    return found is not None and b"pytest_addoption" in found.data


def _may_write(path: str, order: WorkOrder) -> bool:
    """Whether a work order may write what is at a path, or something below it."""
    there = posixpath.normpath(path.partition("::")[0])
    return any(allowed == there or allowed.startswith(f"{there}/") for allowed in order.allowed_files)

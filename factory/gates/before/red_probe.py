"""The red probe: acceptance commands run before the work is done, and each must fail.

A command that passes on the baseline proves nothing; one that can't run at all can never pass. Both are found
here, before a model is paid. What follows from a defect is decided elsewhere.
"""

import posixpath
import re
from collections.abc import Callable, Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Final

from factory.attempt.failure import Failure, FailureClass, Stage
from factory.configuration.command_words import words_of
from factory.contract.limits import MAX_CONTEXT_BYTES
from factory.contract.repo_path import RepoPath
from factory.contract.work_order import VERIFY_SCRIPT, WorkOrder
from factory.gates.check import CheckContext, Colour, CommandResult, Probed
from factory.gates.judge import judge
from factory.system.files.tree import FileProblem

_CANNOT_EXECUTE: Final = (126, 127)
"""The exit codes of a shell, and of `env` and the like, for a program that is not executable or not there."""

_NOT_THERE: Final = re.compile(
    r"""(?:.*[\s'":])?(?P<what>[^\s'":]+)['"]?: """
    r"(?:No such file or directory|(?:command )?not found|Permission denied|Is a directory|cannot execute.*)"
)
"""What a shell, and `env` and the like, say of a program or a script that they can't start."""

_WORD: Final = re.compile(r"[^\s'\"`;&|<>()$=,\[\]{}]+")
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


def probe(order: WorkOrder, context: CheckContext, restore: Callable[[], None]) -> tuple[Probed, ...]:
    """Run the acceptance commands of `order` on the baseline, in their order.

    Args:
        order: the work order.
        context: of a checkout of the baseline, in which nothing was written.
        restore: puts the checkout back; what one command left behind would decide the result of the next.
    """
    reasons = {exempt.command: exempt.reason for exempt in order.red_exempt}
    probed: list[Probed] = []
    for number, command in enumerate(order.acceptance_commands, start=1):
        if number > 1:
            restore()
        words = words_of(command)
        if words is None:
            reason = "it can't be split into words, or names no program"
            probed.append(Probed(command=command, colour="impossible", reason=reason))
            continue
        result = context.execute(f"acceptance_{number}", command, words)
        probed.append(_classify(command, result, order, context, reasons.get(command)))
    return tuple(probed)


def defect(probed: Sequence[Probed]) -> Failure | None:
    """The first command that is no proof of the work, as a defect of the plan; None if all are.

    A command that the machine could not run says nothing of the plan: that is an error of the environment.
    """
    for command in probed:
        if command.colour not in ("green", "impossible"):
            continue
        if command.result is not None and command.result.machine_failed:
            return Failure.environment(
                Stage.PREFLIGHT, command.reason, where=command.command, excerpt=command.result.excerpt
            )
        green = command.colour == "green"
        return Failure.plan_defect(
            Stage.PREFLIGHT,
            f"the acceptance command is no proof: {command.reason}",
            where=command.command,
            hint=(
                "demand something that is only true once the work is done; or, where passing already is"
                " right, name the command in red_exempt with the reason"
                if green
                else "correct the command in the work order"
            ),
            exit_code=command.result.exit_code if command.result else None,
            excerpt=command.result.excerpt if command.result else "",
        )
    return None


def _classify(
    command: str, result: CommandResult, order: WorkOrder, context: CheckContext, exempt: str | None
) -> Probed:
    def probed(colour: Colour, reason: str = "") -> Probed:
        return Probed(command=command, colour=colour, reason=reason, result=result)

    impossible = _impossible(command, result, order, context)
    if impossible:
        return probed("impossible", impossible)
    if exempt is not None:
        return probed("exempt", exempt)
    if result.exit_code == 0 and not result.shortcoming:
        return probed("green", "it passes before anything was done")
    return probed("red")


def _impossible(command: str, result: CommandResult, order: WorkOrder, context: CheckContext) -> str:
    """Why a command can't run, whatever the work order writes; empty if it can."""
    if result.timed_out:
        return "it did not end within its time limit"
    failure = judge(result, Stage.PREFLIGHT, context)
    if failure is not None and result.machine_failed:
        return failure.message
    earlier = order.acceptance_commands[: order.acceptance_commands.index(command)]
    lacking = _lacking(result, order, context, earlier)
    if lacking:
        return lacking
    if result.not_started is not None:
        assert failure is not None
        # What is neither there nor to be written may be built, by an earlier command or by the verification.
        is_built = bool(earlier) or VERIFY_SCRIPT in (*context.writable, *context.landing)
        if failure.failure_class is FailureClass.MODEL_DEFECT and (
            is_built or posixpath.normpath(result.argv[0]) in context.writable
        ):
            return ""
        return failure.message
    if result.exit_code in _CANNOT_EXECUTE:
        last = result.excerpt.rstrip().rpartition("\n")[2]
        missing = _NOT_THERE.fullmatch(last)
        # A word of the command may hold blanks.
        shown = [word for word in result.argv if word in last]
        named = [missing["what"], *shown] if missing is not None else _words([command])
        if any(_is_written(name, order) or ("." in name and _names_it(name, earlier)) for name in named):
            return ""
        return f"it returned {result.exit_code}: something that it starts is not there or not executable"
    if failure is not None and failure.failure_class is FailureClass.ENVIRONMENT:
        return failure.message
    return ""


def _names_it(path: str, commands: Sequence[str]) -> bool:
    """Whether one of these commands names a file, which it may build."""
    name = posixpath.basename(path)
    return any(posixpath.basename(word) == name for word in _words(commands))


def _words(commands: Sequence[str]) -> list[str]:
    return [word for command in commands for word in _WORD.findall(command)]


def _lacking(result: CommandResult, order: WorkOrder, context: CheckContext, earlier: Sequence[str]) -> str:
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
    own = _names((*context.landing, *context.writable, *_words(earlier)))
    if missing is not None and missing["module"].partition(".")[0] not in own:
        return (
            f"it imports `{missing['module']}`, which is not installed and which the work order can't write"
        )
    return ""


def _names(paths: Iterable[str]) -> set[str]:
    """The names of directories and files: a module may be built from a file of any kind."""
    return {segment.partition(".")[0] for path in paths for segment in path.split("/")}


def _brings_options(path: RepoPath, context: CheckContext) -> bool:
    """Whether what is written to a file may teach pytest an option: its configuration, or a plugin."""
    if path.segments[-1] in _BRINGS_OPTIONS:
        return True
    try:
        file = context.tree.read(path, max_bytes=MAX_CONTEXT_BYTES)
    except FileProblem:
        # SE tells of it.
        return True
    return file is not None and b"pytest_addoption" in file.data


def _may_write(path: str, order: WorkOrder) -> bool:
    """Whether a work order may write a file, or something below a directory."""
    return _is_written(path, order) or _is_written(f"{path.partition('::')[0]}/*", order)


def _is_written(path: str, order: WorkOrder) -> bool:
    """Whether a work order may write a file.

    The path is as a command names it, which may run in a directory of the repository, and may be a pattern.
    """
    there = re.sub(r"^(?:\.\./)+", "", posixpath.normpath(path.partition("::")[0]))
    return any(fnmatchcase(f"/{allowed}", f"*/{there}") for allowed in order.allowed_files)

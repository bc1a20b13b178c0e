"""The files that programs are given as arguments: those that they must read, and those that they may."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from factory.plans.commands.code.files import successful_arguments
from factory.plans.commands.interpreters import is_python, is_shell, python_run, shell_run
from factory.plans.commands.programs import Invocation
from factory.plans.commands.tests import pytest_arguments

_GREPS: Final = frozenset({"egrep", "fgrep", "grep"})
_READERS: Final = frozenset(
    {"cat", "cmp", "diff", "file", "head", "ls", "md5sum", "nl", "sha256sum", "sort", "stat", "tail", "wc"}
)
_TESTS: Final = frozenset({"-d", "-e", "-f", "-r", "-s", "-x"})
_VALUES: Final = {
    "head": frozenset({"-c", "-n"}),
    "tail": frozenset({"-c", "-n"}),
    "sort": frozenset({"-S", "-T", "-k", "-o", "-t"}),
    "stat": frozenset({"-c", "--format", "--printf"}),
    "diff": frozenset({"-I", "-U", "-W", "-x", "-X"}),
    "ls": frozenset({"-I", "-w"}),
}
_GREP_VALUES: Final = frozenset({"-A", "-B", "-C", "-D", "-d", "-m"})
_PYTEST_VALUES: Final = frozenset(
    {"-k", "-m", "-p", "-c", "-o", "-n", "-r", "-W", "--ignore", "--ignore-glob", "--deselect", "--rootdir"}
    | {"--confcutdir", "--junitxml", "--junit-xml", "--basetemp", "--durations", "--maxfail", "--tb"}
)
_OUTPUT: Final = re.compile(r"-o|--?[\w-]*(?:out|report|dest|write|save|log|xml|export|target|to)[\w-]*")
_DATA: Final = re.compile(r"(?:[\w.@-]+/)+[\w.@-]*\w\.[A-Za-z]\w{0,4}|/(?:[\w.@-]+/)+[\w.@-]+")


def read_operands(invocation: Invocation) -> tuple[str, ...]:
    """The files that a well-known program is given and can't do without, as they are written."""
    name, arguments = invocation.name, invocation.arguments
    if name in _GREPS:
        return tuple(_searched(arguments))
    if name in _READERS:
        return tuple(_plain(arguments, _VALUES.get(name, frozenset())))
    if name in ("test", "["):
        words = arguments[:-1] if name == "[" else arguments
        return words[1:] if len(words) == 2 and words[0] in _TESTS else ()
    if is_shell(name):
        shell = shell_run(arguments)
        return (shell.script,) if shell.script is not None and not shell.executes else ()
    if is_python(name) and (run := python_run(arguments)).kind == "module" and run.target == "py_compile":
        return tuple(_plain(run.arguments, frozenset()))
    return tuple(
        argument.partition("::")[0] for argument in _plain(pytest_arguments(invocation), _PYTEST_VALUES)
    )


def possible_inputs(invocation: Invocation) -> tuple[str, ...]:
    """The files below a directory that another program is given to read, as far as that can be told.

    Of several the last one is left out: it may be written.
    """
    if invocation.code is not None and invocation.code.tree is not None:
        return tuple(path for given in successful_arguments(invocation.code.tree) for path in _inputs(given))
    return _inputs(product_arguments(invocation))


def _inputs(arguments: Sequence[str]) -> tuple[str, ...]:
    """The inputs among arguments; one that is not known is empty, and may be a file, too."""
    paths = [
        argument
        for before, argument in zip(("", *arguments), arguments, strict=False)
        if (not argument or _DATA.fullmatch(argument)) and not _OUTPUT.fullmatch(before)
    ]
    return tuple(filter(None, paths[:1] if len(paths) == 1 else paths[:-1]))


def product_arguments(invocation: Invocation) -> tuple[str, ...]:
    """What a module, a script or a program of the repository is given; empty of any other program."""
    if is_python(invocation.name):
        run = python_run(invocation.arguments)
        return run.arguments if run.kind in ("module", "script") else ()
    return invocation.arguments if "/" in invocation.program else ()


def patterns(invocation: Invocation) -> tuple[str, ...]:
    """The arguments that are taken for names of files and are patterns of such names."""
    return tuple(path for path in read_operands(invocation) if any(sign in path for sign in "*?["))


def _searched(arguments: tuple[str, ...]) -> Iterator[str]:
    has_pattern = any(
        argument in ("--file", "--regexp") or re.match(r"-[a-zA-Z]*[ef]|--(?:file|regexp)=", argument)
        for argument in arguments
    )
    plain = list(_plain(arguments, _GREP_VALUES | {"-e", "-f", "--file", "--regexp"}))
    yield from plain if has_pattern else plain[1:]


def _plain(arguments: tuple[str, ...], with_value: frozenset[str]) -> Iterator[str]:
    """The arguments that are neither options nor their values."""
    is_value = ends = False
    for argument in arguments:
        if is_value:
            is_value = False
        elif argument == "--" and not ends:
            ends = True
        elif argument.startswith("-") and not ends:
            is_value = argument in with_value
        else:
            yield argument

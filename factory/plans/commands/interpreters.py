"""What the command line of a shell, of Python or of `env` runs. Reads options; starts nothing."""

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

SHELLS: Final = frozenset({"sh", "bash", "dash", "zsh", "ksh", "ash", "rbash"})
ASSIGNMENT: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")

WRAPPERS: Final = frozenset(
    {"builtin", "busybox", "cd", "coverage", "env", "eval", "exec", "hatch", "nice", "nohup", "pdm", "pipenv"}
    | {"poetry", "pushd", "rye", "setsid", "stdbuf", "sudo", "time", "timeout", "uv", "xargs"}
    | {"if", "then", "else", "elif", "do", "while", "until", "!", "{", "fi", "done", "}"}
)
"""Programs whose inner program is an invocation of its own."""

_PYTHON: Final = re.compile(r"(python|pypy)([0-9]+(\.[0-9]+)*)?(\.exe)?|py")
_SHELL_OPTIONS_WITH_VALUE: Final = frozenset({"--rcfile", "--init-file"})


def is_python(program: str) -> bool:
    """Whether `program`, by its file name, is a Python interpreter."""
    return _PYTHON.fullmatch(posixpath.basename(program)) is not None


def is_shell(program: str) -> bool:
    """Whether `program`, by its file name, is a shell."""
    return posixpath.basename(program) in SHELLS


@dataclass(frozen=True)
class ShellRun:
    """What a shell runs: `text` given with `-c`, or the file `script`; both None if it reads its input.

    Attributes:
        executes: False if the shell only checks the syntax (`-n`).
    """

    text: str | None
    script: str | None
    arguments: tuple[str, ...]
    executes: bool


def shell_run(arguments: Sequence[str]) -> ShellRun:
    """Read the arguments of a shell."""
    takes_text = reads_input = False
    executes = True
    index = 0
    while index < len(arguments):
        argument = arguments[index]
        if argument in ("-", "--"):
            index += 1
            break
        if argument.startswith("--"):
            index += 2 if argument in _SHELL_OPTIONS_WITH_VALUE else 1
        elif len(argument) > 1 and argument[0] in "-+":
            letters = argument[1:]
            if argument[0] == "-":
                takes_text = takes_text or "c" in letters
                reads_input = reads_input or "s" in letters
                executes = executes and "n" not in letters
            index += 1 + letters.count("o") + letters.count("O")
        else:
            break
    rest = tuple(arguments[index:])
    if takes_text:
        return ShellRun(rest[0] if rest else None, None, rest[1:], executes)
    if reads_input or not rest:
        return ShellRun(None, None, rest, executes)
    return ShellRun(None, rest[0], rest[1:], executes)


@dataclass(frozen=True)
class PythonRun:
    """What a Python interpreter runs; `kind` is `input` if it reads its input or only prints something.

    Attributes:
        asserts: False if it leaves assertions out (`-O`).
        heeds_environment: False if variables such as PYTHONOPTIMIZE are nothing to it (`-E`, `-I`).
    """

    kind: Literal["module", "code", "script", "input"]
    target: str
    arguments: tuple[str, ...]
    asserts: bool = True
    heeds_environment: bool = True


def python_run(arguments: Sequence[str]) -> PythonRun:
    """Read the arguments of a Python interpreter."""
    index, asserts, heeds = 0, True, True
    while index < len(arguments):
        argument = arguments[index]
        index += 1
        if argument == "-" or not argument:
            break
        if argument.startswith("--"):
            index += argument == "--check-hash-based-pycs"
            continue
        if not argument.startswith("-"):
            return PythonRun("script", argument, tuple(arguments[index:]), asserts, heeds)
        for position, letter in enumerate(argument[1:], start=2):
            if letter not in "cmWX":
                asserts = asserts and letter != "O"
                heeds = heeds and letter not in "EI"
                continue
            value = argument[position:]
            if not value and index < len(arguments):
                value = arguments[index]
                index += 1
            if letter == "c":
                return PythonRun("code", value, tuple(arguments[index:]), asserts, heeds)
            if letter == "m":
                return PythonRun("module", value, tuple(arguments[index:]), asserts, heeds)
            break
    return PythonRun("input", "", tuple(arguments[index:]))


def leaves_assertions_out(optimize: str) -> bool:
    """Whether Python leaves assertions out with this value of PYTHONOPTIMIZE."""
    return bool(optimize) and not (optimize.isdecimal() and int(optimize) == 0)


@dataclass(frozen=True)
class EnvRun:
    """What `env` runs, and what it sets before.

    Attributes:
        split_text: a text that `env -S` splits into words of its own, which stand before `words`.
        words: the program and its arguments.
        directory: where it runs, empty if it is not changed.
        python_path: the entries of PYTHONPATH, if it is set.
        optimize: the value of PYTHONOPTIMIZE, empty if it is taken away; None if nothing is said of it.
    """

    split_text: str
    words: tuple[str, ...]
    directory: str
    python_path: tuple[str, ...]
    optimize: str | None = None


def env_run(arguments: Sequence[str]) -> EnvRun:
    """Read the arguments of `env`."""
    directory = split_text = ""
    python_path: tuple[str, ...] = ()
    optimize: str | None = None
    index = 0
    while index < len(arguments):
        argument = arguments[index]
        name, _, value = argument.partition("=")
        following = arguments[index + 1] if index + 1 < len(arguments) else ""
        index += 1
        if argument == "--":
            break
        if argument in ("-u", "--unset"):
            optimize = "" if following == "PYTHONOPTIMIZE" else optimize
            index += 1
        elif argument in ("-i", "-", "--ignore-environment"):
            optimize = ""
        elif argument in ("-C", "--chdir"):
            directory, index = following, index + 1
        elif name == "--chdir":
            directory = value
        elif argument in ("-S", "-vS", "--split-string"):
            split_text, index = following, index + 1
            break
        elif name == "--split-string":
            split_text = value
            break
        elif argument.startswith(("-S", "-vS")):
            split_text = argument.partition("S")[2]
            break
        elif argument.startswith("-"):
            continue
        elif ASSIGNMENT.match(argument):
            if name == "PYTHONPATH":
                python_path = tuple(entry for entry in value.split(":") if entry)
            elif name == "PYTHONOPTIMIZE":
                optimize = value
        else:
            index -= 1
            break
    return EnvRun(split_text, tuple(arguments[index:]), directory, python_path, optimize)

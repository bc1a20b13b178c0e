"""Sees through the spelling of a command: every program it would start, whichever way it is wrapped.

`env X=1 bash -c "./scripts/verify.sh"` starts `env`, `bash` and `scripts/verify.sh`. Which files those need
is in `needs`.
"""

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from factory.plans.commands.interpreters import (
    ASSIGNMENT,
    env_run,
    is_python,
    is_shell,
    leaves_assertions_out,
    python_run,
    shell_run,
)
from factory.plans.commands.node_code import evaluated, read_node_code
from factory.plans.commands.python_code import PythonCode, read_code
from factory.plans.commands.words import UnsplittableCommand, Word, simple_commands, split_words

MAX_NESTING: Final = 10
"""How many wrappers inside each other are followed."""

_KEYWORDS: Final = frozenset({"if", "then", "elif", "else", "while", "until", "do", "!", "{"})
_OPTION_VALUES: Final[dict[str, frozenset[str]]] = {
    "builtin": frozenset(),
    "busybox": frozenset(),
    "command": frozenset(),
    "exec": frozenset({"-a"}),
    "nice": frozenset({"-n", "--adjustment"}),
    "nohup": frozenset(),
    "setsid": frozenset(),
    "stdbuf": frozenset({"-i", "-o", "-e"}),
    "sudo": frozenset({"-u", "-g"}),
    "time": frozenset({"-f", "-o"}),
    "timeout": frozenset({"-s", "-k", "--signal", "--kill-after"}),
    "xargs": frozenset({"-n", "-I", "-L", "-P", "-a", "-d"}),
}
"""Programs and built-ins that start the program named after their options, with the options that take a
value."""

_COVERAGE_VALUES: Final = frozenset({"--source", "--rcfile", "--omit", "--include", "--data-file"})
_RUNNERS: Final = frozenset({"uv", "poetry", "pipenv", "hatch", "pdm", "rye"})
_MODULES_THAT_ARE_PROGRAMS: Final = frozenset({"pytest", "unittest", "coverage"})


@dataclass(frozen=True)
class Invocation:
    """A program with its arguments.

    Attributes:
        program: the program as it is spelled.
        arguments: the words after it.
        directory: where it runs, relative to the repository's root; empty for the root.
        python_path: directories that PYTHONPATH names, as written.
        code: the code of a `python -c`, or that of a `node -e` as Python.
        in_shell: whether a shell reads the words, because a program around it hands them to one.
        asserts: False if what is set before (PYTHONOPTIMIZE), or an option of Python (`-O`), leaves the
            assertions of Python out.
    """

    program: str
    arguments: tuple[str, ...] = ()
    directory: str = ""
    python_path: tuple[str, ...] = ()
    code: PythonCode | None = None
    in_shell: bool = False
    asserts: bool = True

    @property
    def name(self) -> str:
        """The program's file name."""
        return posixpath.basename(self.program)

    def path(self, text: str) -> str:
        """`text` as a path of the repository, as seen from where the program runs."""
        joined = posixpath.normpath(posixpath.join(self.directory, text))
        return "" if joined == "." else joined


@dataclass(frozen=True)
class Reading:
    """A command, read.

    Attributes:
        texts: the words of the command itself, and of a text that `env` splits: no shell reads these.
        shell_texts: the words of each text that it hands to a shell.
        scripts: these texts, as the words are that it hands on.
        invocations: every program that it starts, wrappers included, outermost first.
        problem: why a text inside can't be followed, as what is said of the command; empty if all could.
    """

    texts: tuple[tuple[Word, ...], ...]
    shell_texts: tuple[tuple[Word, ...], ...]
    scripts: frozenset[str]
    invocations: tuple[Invocation, ...]
    problem: str


def read_command(command: str, directory: str = "") -> Reading:
    """See through `command`.

    Args:
        command: its text.
        directory: where it runs, relative to the repository's root; empty for the root.

    Raises:
        UnsplittableCommand: the command itself can't be split into words.
    """
    reader = _Reader()
    words = split_words(command)
    reader.read(words, Invocation("", directory=directory), depth=0, judged=True)
    return Reading(
        tuple(reader.texts),
        tuple(reader.shell_texts),
        frozenset(reader.scripts),
        tuple(reader.invocations),
        reader.problem,
    )


class _Reader:
    """Collects what `read_command` returns. `around` carries the directory and what is set inwards."""

    def __init__(self) -> None:
        self.texts: list[tuple[Word, ...]] = []
        self.shell_texts: list[tuple[Word, ...]] = []
        self.scripts: set[str] = set()
        self.invocations: list[Invocation] = []
        self.problem = ""

    def read(self, words: tuple[Word, ...], around: Invocation, *, depth: int, judged: bool) -> None:
        if judged:
            self._texts_around(around).append(words)
        for command in simple_commands(words):
            around = self.follow(command, around, depth)

    def follow(self, words: Sequence[str], around: Invocation, depth: int) -> Invocation:
        """Follow one simple command; returns what surrounds the commands after it."""
        if depth > MAX_NESTING:
            self.problem = f"wraps more than {MAX_NESTING} programs in each other"
            return around
        start = 0
        while start < len(words) and ASSIGNMENT.match(words[start]):
            start += 1
        if start == len(words):
            return around
        program, arguments = words[start], tuple(words[start + 1 :])
        inner = _with_assignments(around, words[:start])
        invocation = replace(inner, program=program, arguments=arguments)
        if is_python(program):
            run = python_run(arguments)
            asserts = run.asserts and (inner.asserts or not run.heeds_environment)
            code = read_code(run.target, asserts=asserts) if run.kind == "code" else None
            invocation = replace(invocation, code=code, asserts=asserts)
        elif invocation.name == "node" and (evaluation := evaluated(arguments)) is not None:
            invocation = replace(invocation, code=read_node_code(evaluation, invocation.directory))
        self.invocations.append(invocation)
        if invocation.name == "export":
            return _with_assignments(around, arguments)
        if invocation.name in ("cd", "pushd") and invocation.arguments:
            return replace(around, directory=invocation.path(invocation.arguments[-1]))
        self._follow_wrapped(invocation, inner, depth + 1)
        return around

    def _follow_wrapped(self, invocation: Invocation, environment: Invocation, depth: int) -> None:
        around = replace(invocation, code=None)
        name, arguments = invocation.name, invocation.arguments
        if is_shell(name):
            shell = shell_run(arguments)
            if shell.text is not None:
                self.scripts.add(shell.text)
                self._read_nested(shell.text, around, depth, judged=True)
        elif is_python(name):
            run = python_run(arguments)
            if run.kind == "module" and run.target in _MODULES_THAT_ARE_PROGRAMS:
                self.follow((run.target, *run.arguments), around, depth)
            # An option of Python is nothing to what its code starts.
            around = replace(around, asserts=environment.asserts)
        elif name == "env":
            self._follow_env(arguments, around, depth)
        elif name == "eval":
            self._read_nested(" ".join(arguments), around, depth, judged=True)
        elif name in _KEYWORDS:
            self.follow(arguments, around, depth)
        elif name in _RUNNERS and arguments[:1] == ("run",):
            self.follow(_after_options(arguments[1:], frozenset()), around, depth)
        elif name == "coverage" and arguments[:1] == ("run",):
            self.follow(
                ("python", *_after_options(arguments[1:], _COVERAGE_VALUES, stop="-m")), around, depth
            )
        elif name in _OPTION_VALUES:
            rest = _after_options(arguments, _OPTION_VALUES[name])
            self.follow(rest[1:] if name == "timeout" else rest, around, depth)
        for command in invocation.code.commands if invocation.code else ():
            self._read_nested(command, around, depth, judged=False)

    def _follow_env(self, arguments: tuple[str, ...], around: Invocation, depth: int) -> None:
        run = env_run(arguments)
        inner = replace(
            around,
            directory=around.path(run.directory) if run.directory else around.directory,
            python_path=run.python_path or around.python_path,
            asserts=around.asserts if run.optimize is None else not leaves_assertions_out(run.optimize),
        )
        words = run.words
        if run.split_text:
            try:
                split = split_words(run.split_text)
            except UnsplittableCommand as error:
                self.problem = f"gives env a text that can't be split into words: {error}"
                return
            self._texts_around(around).append(split)
            words = (*(word.text for word in split), *words)
            if ASSIGNMENT.match(words[0] if words else ""):
                words = ("env", *words)
        self.follow(words, inner, depth)

    def _read_nested(self, text: str, around: Invocation, depth: int, *, judged: bool) -> None:
        if depth > MAX_NESTING:
            self.problem = f"wraps more than {MAX_NESTING} programs in each other"
            return
        try:
            words = split_words(text)
        except UnsplittableCommand as error:
            if judged:
                self.problem = f"gives a shell a text that can't be split into words: {error}"
            return
        self.read(words, replace(around, in_shell=True), depth=depth, judged=judged)

    def _texts_around(self, around: Invocation) -> list[tuple[Word, ...]]:
        return self.shell_texts if around.in_shell else self.texts


def _with_assignments(around: Invocation, words: Sequence[str]) -> Invocation:
    """What surrounds a program before which, or for which, these variables are set."""
    for name, _, value in (word.partition("=") for word in words):
        if name == "PYTHONOPTIMIZE":
            around = replace(around, asserts=not leaves_assertions_out(value))
    return around


def _after_options(
    arguments: tuple[str, ...], with_value: frozenset[str], *, stop: str = ""
) -> tuple[str, ...]:
    index = 0
    while index < len(arguments) and arguments[index].startswith("-") and arguments[index] != stop:
        if arguments[index] == "--":
            return arguments[index + 1 :]
        index += 2 if arguments[index] in with_value else 1
    return arguments[index:]

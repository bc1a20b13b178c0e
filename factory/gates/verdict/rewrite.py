"""Rewrites the words of a command of Python so that a program of ours runs what they name. Pure."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from factory.gates.verdict.prefix import without_prefix

Runner = Literal["pytest", "unittest", "code", "module", "script"]

START: Final = (
    "exec(compile(__import__('posix').read({text},1<<24),'<workorder>','exec'),{{'__name__':'<workorder>'}})"
)
"""What the interpreter is given instead: `posix` is built in, so no file can take its place."""

_PYTHON: Final = re.compile(r"(?:.*/)?python(?:3(?:\.\d+)?)?")
_PYTEST: Final = re.compile(r"(?:.*/)?(?:pytest|py\.test)")
# Options of the interpreter that stand alone, and those that end in a value.
_ALONE: Final = frozenset("bBdEIOPqRsStuv")
_WITH_VALUE: Final = frozenset("WX")
_BEFORE_CODE: Final = ("PYTHONPATH",)
"""Variables by which files of the checkout could run before a program of ours."""

_RUNS_NO_TEST: Final = frozenset(
    {
        "--version", "-V", "--help", "-h", "--fixtures", "--funcargs", "--fixtures-per-test", "--markers",
        "--setup-plan", "--setuponly", "--setup-only", "--cache-show",
    }
)  # fmt: skip
"""Options of pytest with which it prints and runs nothing: their exit code says all that there is."""


@dataclass(frozen=True)
class Rewritten:
    """A command that a program of ours runs.

    Attributes:
        runner: which program.
        before: the words before the interpreter's `-c`.
        searched: the PYTHONPATH that the command sets.
        script: where the console command is that it calls; empty for none.
        arguments: what the program is given: of Python code the code or the module first.
    """

    runner: Runner
    before: tuple[str, ...]
    searched: str
    script: str
    arguments: tuple[str, ...]

    @property
    def lists(self) -> bool:
        """Whether the command asks pytest to collect tests only."""
        return self.runner == "pytest" and bool({"--co", "--collect-only"} & {*self.arguments})

    @property
    def chooses(self) -> bool:
        """Whether the command itself leaves out tests of those that it names."""
        return chooses(self.arguments)

    def words(self, descriptors: Sequence[int]) -> tuple[str, ...]:
        """What is executed.

        Args:
            descriptors: of the word, the report and the text.
        """
        start = START.format(text=descriptors[2])
        script = (self.script,) if self.runner == "pytest" else ()
        joined = ",".join(map(str, descriptors))
        return (*self.before, "-c", start, joined, self.searched, *script, *self.arguments)


def chooses(arguments: Sequence[str]) -> bool:
    """Whether the arguments of a test runner leave out tests of those that they name."""
    options = ("-k", "-m", "--deselect", "--lf", "--last-failed", "--sw", "--stepwise", "--ignore")
    return any(word.startswith(options) for word in arguments)


def rewritten(
    words: Sequence[str],
    *,
    is_own: Callable[[str, str], bool],
    is_script: Callable[[str], bool],
    interpreter: Callable[[str], tuple[str, str] | None],
) -> Rewritten | None:
    """The command as a program of ours runs it; None if its exit code is all that can be known.

    Args:
        words: the command's words.
        is_own: whether a module is the project's, by its name and the PYTHONPATH that the command sets.
        is_script: whether a file is a Python script of the project.
        interpreter: the interpreter of a console command and where that is; None if it can't be told.
    """
    before, rest, withheld = without_prefix(words, withheld=_BEFORE_CODE)
    searched = withheld.get("PYTHONPATH", "")
    if not rest:
        return None
    if _PYTEST.fullmatch(rest[0]):
        place = interpreter(rest[0])
        if place is None or _RUNS_NO_TEST & {*rest}:
            return None
        return Rewritten("pytest", (*before, place[0]), searched, place[1], tuple(rest[1:]))
    if not _PYTHON.fullmatch(rest[0]):
        return None
    options, kind, value, arguments = _interpreted(rest)
    python = (*before, *rest[: 1 + options])
    match kind:
        case "c":
            return Rewritten("code", python, searched, "", (value, *arguments))
        case "m" if value == "pytest":
            return (
                None if _RUNS_NO_TEST & {*arguments} else Rewritten("pytest", python, searched, "", arguments)
            )
        case "m" if value == "unittest":
            return Rewritten("unittest", python, searched, "", arguments)
        case "m" if is_own(value.partition(".")[0], searched):
            return Rewritten("module", python, searched, "", (value, *arguments))
        case "script" if is_script(value):
            return Rewritten("script", python, searched, "", (value, *arguments))
        case _:
            return None


def _interpreted(words: Sequence[str]) -> tuple[int, str, str, tuple[str, ...]]:
    """How many words are options of the interpreter; what it runs.

    Returns:
        The number of options; `c`, `m` or `script`, or nothing if it is none of them; the code, the module or
        the file; the arguments.
    """
    at = 1
    nothing = (0, "", "", ())
    while at < len(words) and words[at].startswith("-") and len(words[at]) > 1:
        option = words[at]
        for place, letter in enumerate(option[1:], start=1):
            if letter in _ALONE:
                continue
            value = option[place + 1 :]
            if letter in ("c", "m"):
                # Options that share its word would be lost.
                if place > 1:
                    return nothing
                following = () if value else words[at + 1 : at + 2]
                if not value and not following:
                    return nothing
                skipped = at + 1 + len(following)
                return at - 1, letter, value or following[0], tuple(words[skipped:])
            if letter in _WITH_VALUE:
                at += 0 if value else 1
                break
            return nothing
        at += 1
    if at < len(words) and not words[at].startswith("-"):
        return at - 1, "script", words[at], tuple(words[at + 1 :])
    return nothing

"""What suffices for a command to pass before any work: files that are there, words in them, older tests.

Looks at words only; what is there at which point is for who asks. In doubt a command needs more.
"""

import re
from dataclasses import dataclass
from typing import Final

from factory.plans.commands.needs import command_needs
from factory.plans.commands.programs import Invocation, Reading
from factory.plans.commands.proof.demands import is_self_contained
from factory.plans.commands.strength import never_fails

_EXISTENCE: Final = frozenset({"-d", "-e", "-f", "-r"})
_PLAIN: Final = re.compile(r"[\w #:,-]+")
_SEARCH_OPTIONS: Final = re.compile(r"-[qFEns]+")
_TEST_OPTIONS: Final = re.compile(r"-(?:[qvxsl]+|r\w|-tb=\w+|-no-header|-maxfail=\d+|-quiet|-verbose)")


@dataclass(frozen=True)
class Beforehand:
    """What suffices for a command to pass.

    Attributes:
        always: whether it says the same of every repository.
        files: files that must be there.
        word: what must stand in each of them, if anything.
        tests: test files that must pass.
        suites: directories whose tests must pass, `""` for all.
    """

    always: bool = False
    files: tuple[str, ...] = ()
    word: str = ""
    tests: tuple[str, ...] = ()
    suites: tuple[str, ...] = ()


def beforehand(reading: Reading) -> Beforehand | None:
    """What suffices for a command to pass; None where that does not show."""
    if never_fails(reading):
        return Beforehand(always=True)
    *around, last = reading.invocations or (None,)
    if last is None or reading.problem:
        return None
    if last.name == "pytest" and all(starter.name.startswith("python") for starter in around):
        return _tests(last, reading)
    if around:
        return None
    if last.code is not None and last.code.tree is not None:
        return Beforehand(always=True) if is_self_contained(last.code.tree) else None
    return _existence(last) or _search(last)


def _tests(pytest: Invocation, reading: Reading) -> Beforehand | None:
    paths = [word for word in pytest.arguments if not word.startswith("-")]
    options = [word for word in pytest.arguments if word.startswith("-")]
    if any("::" in path or "*" in path for path in paths) or not all(map(_TEST_OPTIONS.fullmatch, options)):
        return None
    needs = command_needs(reading)
    return Beforehand(tests=needs.scripts, suites=needs.suites)


def _existence(invocation: Invocation) -> Beforehand | None:
    words = invocation.arguments[:-1] if invocation.name == "[" else invocation.arguments
    if invocation.name not in ("test", "[") or len(words) != 2 or words[0] not in _EXISTENCE:
        return None
    return Beforehand(files=(invocation.path(words[1]),))


def _search(invocation: Invocation) -> Beforehand | None:
    words = [word for word in invocation.arguments if not word.startswith("-")]
    options = [word for word in invocation.arguments if word.startswith("-")]
    if invocation.name not in ("grep", "fgrep") or len(words) < 2:
        return None
    if not _PLAIN.fullmatch(words[0]) or not all(map(_SEARCH_OPTIONS.fullmatch, options)):
        return None
    return Beforehand(files=tuple(invocation.path(word) for word in words[1:]), word=words[0])
